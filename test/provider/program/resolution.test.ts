import fs, { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshSandbox } from "../../sandbox/sandbox";
import { certificate } from "../../support/certificates";
import { temporaryFolder } from "../../support/cleanup";
import { Engine } from "../../support/engine";

const sandbox = freshSandbox({ dialect: "standard" });

test("each call of a provider reads a PEM file of its connection once", async () => {
  const folder = temporaryFolder();
  const caCert = join(folder, "ca.pem");
  writeFileSync(caCert, certificate);
  const { url: address, token } = sandbox().secrets;
  const role = new Engine("secrets:SchedulerRole", { "steward:default": { secrets: { address, token, caCert, dialect: "standard" } } });
  const read = jest.spyOn(fs, "readFileSync");
  const [given, changed] = [
    { name: "web", policies: ["a"] },
    { name: "web", policies: ["b"] },
  ];
  const operations: [operation: () => Promise<unknown>, calls: string][] = [
    [() => role.problems(given), "check"],
    [() => role.up(given), "check, create"],
    [() => role.up(given), "check, diff"],
    [() => role.refresh(), "read, diff"],
    [() => role.up(changed), "check, diff, update"],
    [() => role.destroy(), "delete"],
  ];
  for (const [operation, calls] of operations) {
    read.mockClear();
    await operation();
    const reads = read.mock.calls.filter(([file]) => file === caCert).length;
    expect([calls, reads]).toEqual([calls, calls.split(", ").length]);
  }
  read.mockRestore();
});
