import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as entry from "pulumi-steward/sandbox";
import * as sandbox from "pulumi-steward-sandbox";

const root = join(__dirname, "../..");

test("pulumi-steward/sandbox exports each value of pulumi-steward-sandbox", () => {
  expect(entry).toEqual(expect.objectContaining({ ...sandbox }));
});

describe("in a separate folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "steward-entry-"));
  const modules = join(folder, "node_modules/pulumi-steward-sandbox");
  beforeAll(() => cpSync(join(root, "dist/command"), join(folder, "command"), { recursive: true }));
  afterEach(() => rmSync(modules, { recursive: true, force: true }));
  afterAll(() => rmSync(folder, { recursive: true }));

  function load(program: string): string {
    writeFileSync(join(folder, "program.mjs"), program);
    const { status, stderr } = spawnSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" });
    expect(status).toBe(1);
    return /^Error: .*$/m.exec(stderr)?.[0] ?? stderr;
  }
  const programs = {
    require: 'import { createRequire } from "node:module"; createRequire(import.meta.url)("./command/sandbox-entry.js");',
    import: 'import { start } from "./command/sandbox-entry.js"; await start();',
  };

  test.each(Object.entries(programs))("%s without the package fails with one message that says what to install", (_, program) => {
    expect(load(program)).toBe(
      "Error: The sandbox is a separate package, pulumi-steward-sandbox. Install it: https://github.com/pulumi-steward/pulumi-steward#install-and-use.",
    );
  });

  test("an incomplete installation fails with its own reason", () => {
    mkdirSync(modules, { recursive: true });
    writeFileSync(join(modules, "index.js"), 'require("hono");');
    expect(load(programs.import)).toBe("Error: Cannot find module 'hono'");
  });
});
