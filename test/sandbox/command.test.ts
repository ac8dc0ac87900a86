import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCommand } from "../../sandbox/command";
import { call } from "./call";

test.each([
  [[], "SECRETS"],
  [["--dialect", "hashicorp"], "VAULT"],
])("sandbox %j prints variables that work, until it is stopped", async (options, prefix) => {
  const lines: string[] = [];
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let running = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    running = resolve;
  });
  const command = createCommand(
    (line) => {
      if (lines.push(line) === 12) running();
    },
    () => stopped,
  );
  const ended = command.parseAsync(["sandbox", ...options], { from: "user" });
  await ready;
  const [, page = ""] = /^# (\S+) shows/.exec(lines.shift()!) ?? [];
  expect(await (await fetch(page)).text()).toContain("<h1>Sandbox</h1>");
  const env = Object.fromEntries(lines.map((line) => /^export (\w+)=(\S+)$/.exec(line)!.slice(1) as [string, string]));
  const service = { url: env[`${prefix}_ADDR`]!, token: env[`${prefix}_TOKEN`]! };
  expect((await call(service, "GET", "/v1/sys/mounts")).status).toBe(200);
  expect(Object.keys(env)).toEqual(expect.arrayContaining(["SHARE_1", "SHARE_5"]));
  stop();
  await ended;
  await expect(fetch(service.url)).rejects.toThrow();
});

test.each([
  ["--port", "many"],
  ["--port", "70000"],
  ["--dialect", "vault"],
])("sandbox %s %s is refused", async (...options) => {
  const command = createCommand(
    () => undefined,
    () => Promise.resolve(),
  );
  for (const one of [command, ...command.commands]) one.exitOverride().configureOutput({ writeErr: () => undefined });
  await expect(command.parseAsync(["sandbox", ...options], { from: "user" })).rejects.toThrow(/is invalid/);
});

test("the help names every option, and the file can be run", () => {
  const command = createCommand(
    () => undefined,
    () => Promise.resolve(),
  );
  const help = command.commands[0]!.helpInformation();
  expect(help).toMatch(/--dialect <dialect>[\s\S]*"standard",\s+"hashicorp"[\s\S]*--port <port>/);
  expect(readFileSync(join(__dirname, "../../sandbox/command.ts"), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});
