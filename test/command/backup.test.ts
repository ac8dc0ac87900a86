import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holders } from "../support/pgp";
import { onEachRekeyTarget } from "../support/rekey";
import { folder, tools } from "./rekey";

onEachRekeyTarget("pulumi-steward rekey backup", (current) => {
  const { alone, sent, forHolders, submitShares } = tools(current);

  test("fetches the backup for all holders or for one, who decrypts the share, and removes it by the nonce of its rekey", async () => {
    const none = await alone(["backup"]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain(current().gateway.url);
    const all = await holders(3);
    const name = await forHolders(all);
    await submitShares(name, current().first.slice(0, 3));

    const whole = await alone(["backup"]);
    expect(whole.code).toBe(0);
    expect(whole.stderr).toContain(name);
    const lines = whole.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/ [0-9a-f]+$/, "")).sort()).toEqual(
      all.map(({ fingerprint }) => `for the holder of ${fingerprint}, encrypted:`).sort(),
    );

    const [mine] = all.slice(1);
    const { fingerprint = "" } = mine ?? {};
    const asGpgPrintsIt = (fingerprint.match(/.{4}/g) ?? []).join(" ").toUpperCase();
    const output = join(folder, "mine");
    const one = await alone(["backup", "--fingerprint", asGpgPrintsIt, "--output", output]);
    expect(one).toMatchObject({ code: 0, stdout: "" });
    expect(one.stderr).toContain(output);
    expect(readFileSync(output, "utf8").split(":")[0]).toBe(`for the holder of ${fingerprint}, encrypted`);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const key = join(folder, "key");
    writeFileSync(key, mine?.privateKey.armor() ?? "");
    const decrypted = await alone(["decrypt", "--key", key, "--share", output]);
    expect(decrypted.stdout).toMatch(/^[0-9a-f]{66}\n$/);

    const refused = async (args: string[], code: number, ...facts: string[]): Promise<void> => {
      const run = await alone(["backup", ...args]);
      expect(run).toMatchObject({ code, stdout: "" });
      for (const fact of facts) expect(run.stderr).toContain(fact);
    };
    await refused(["--output", output], 1, "--output", "EEXIST");
    await refused(["--fingerprint", "00"], 1, ...all.map((each) => each.fingerprint));
    await refused(["--delete"], 2, "--nonce");
    for (const option of ["--output", "--fingerprint"]) await refused(["--delete", "--nonce", name, option, "x"], 2, "--delete", option);
    await refused(["--delete", "--nonce", "x"], 1, "--nonce", name);
    expect((await alone(["backup"])).stdout).toBe(whole.stdout);

    const removed = await alone(["backup", "--delete", "--nonce", name]);
    expect(removed).toMatchObject({ code: 0, stdout: "" });
    expect(removed.stderr).toContain(name);
    expect((await alone(["backup"])).code).toBe(1);
    expect(sent("update")).toBe(0);
  });
});
