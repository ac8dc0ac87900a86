import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { provider } from "../../../provider/engine/runtime";
import { Sandbox, start } from "../../../sandbox/index";
import { certificate } from "../../support/certificates";
import { wire } from "../../support/deployment";

// An operation parses the configuration once, and reads each PEM file once.

let sandbox: Sandbox;
let folder: string;
let caCert: string;
let read: jest.SpyInstance;
beforeAll(async () => {
  sandbox = await start({ dialect: "standard" });
  folder = mkdtempSync(join(tmpdir(), "steward-"));
  caCert = join(folder, "ca.pem");
  writeFileSync(caCert, certificate);
  read = jest.spyOn(fs, "readFileSync");
});
beforeEach(() => read.mockClear());
afterAll(async () => {
  read.mockRestore();
  rmSync(folder, { recursive: true });
  await sandbox.close();
});

const filesRead = (): number => read.mock.calls.filter(([file]) => file === caCert).length;
const config = (): string => JSON.stringify({ secrets: { address: sandbox.secrets.url, token: sandbox.secrets.token, caCert } });

test("each operation of a resource reads the configuration and a PEM file once", async () => {
  let asked = 0;
  const handler = provider("secrets:SchedulerRole");
  handler.configure({
    config: {
      get: () => {
        asked++;
        return config();
      },
    },
  });
  const counted = async <T>(operation: () => Promise<T>): Promise<T> => {
    clearCache();
    asked = 0;
    read.mockClear();
    const result = await operation();
    expect([asked, filesRead()]).toEqual([1, 1]);
    return result;
  };
  const passed = (properties: object): Record<string, unknown> => wire({ ...properties, __provider: "text" });
  const given = { name: "web", policies: ["readonly"] };
  const { inputs } = await counted(() => handler.check({}, passed(given)));
  const { id, outs } = await counted(() => handler.create(passed(inputs)));
  await counted(() => handler.diff(id, passed(outs), passed(inputs)));
  await counted(() => handler.read(id, passed(outs)));
  const { outs: updated } = await counted(() => handler.update(id, passed(outs), passed({ ...inputs, policies: ["other"] })));
  await counted(() => handler.delete(id, passed(updated)));
});
