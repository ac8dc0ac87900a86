import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { cacheFolder, isAlive } from "../tools/cache";
import { temporaryFolder } from "./support/cleanup";
import { ended } from "./support/project";

const root = join(__dirname, "..");

/** The commands of the README, in a copy of the repository, so that a running demonstration is not affected. */
describe("npm run up, refresh and destroy", () => {
  const copy = temporaryFolder();
  const home = temporaryFolder();
  const asked: string[] = [];
  const trap = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  });
  let environment: Record<string, string | undefined>;

  beforeAll(async () => {
    const isOurs = (file: string): boolean => !/(^|\/)(\.git|\.state|node_modules)$/.test(relative(root, file));
    cpSync(root, copy, { recursive: true, preserveTimestamps: true, filter: isOurs });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
    await new Promise<void>((done) => trap.listen(0, "127.0.0.1", done));
    const theirs = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    environment = {
      ...process.env,
      // The environment of an operator's shell.
      VAULT_ADDR: theirs,
      VAULT_TOKEN: "theirs",
      SECRETS_ADDR: theirs,
      NOMAD_ADDR: theirs,
      NOMAD_TOKEN: "theirs",
      PULUMI_BACKEND_URL: theirs,
      PULUMI_ACCESS_TOKEN: "theirs",
      HOME: home,
      XDG_CACHE_HOME: join(cacheFolder(), ".."),
    };
  });
  afterAll(async () => {
    await demo("destroy");
    trap.close();
  });

  async function demo(...args: string[]): Promise<{ code: number; output: string }> {
    const child = spawn(process.execPath, [join(copy, "tools/run.js"), ...args], {
      cwd: copy,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return ended(child);
  }

  test("the printed steps work, and leave the caller's servers and home directory alone", async () => {
    const up = await demo("up");
    expect(up).toMatchObject({ code: 0 });
    const [, page = ""] = /^Watch it in your browser: (\S+)$/m.exec(up.output) ?? [];
    expect(await (await fetch(page)).text()).toContain("<h1>Sandbox</h1>");
    const [, token = "", body = "", address = ""] =
      /curl -X POST -H "X-Vault-Token: (\S+)" -d '(\S+)' (\S+\/nomad\/role\/web)$/m.exec(up.output) ?? [];
    expect((await fetch(address, { method: "POST", headers: { "X-Vault-Token": token }, body })).status).toBe(204);
    expect((await demo("refresh")).output).toContain('~ [0]: "readonly" => "administrator"');
    expect((await demo("up")).output).toMatch(/SchedulerRole web updated .*\[diff: ~policies\]/);
    expect((await demo("refresh")).output).not.toContain("~");
    const { pid } = JSON.parse(readFileSync(join(copy, ".state/sandbox/sandbox.json"), "utf8"));
    expect(isAlive(pid)).toBe(true);
    expect((await demo("destroy")).output).toMatch(/- \d+ deleted/);
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(copy, ".state"))).toBe(false);
    expect(asked).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  test("--server requires the scheduler of the caller and confirmation, and sends nothing without a terminal", async () => {
    const { NOMAD_TOKEN, ...others } = environment;
    for (const [variables, message] of [
      [others, /set SCHEDULER_ADDR and SCHEDULER_TOKEN, or NOMAD_ADDR and NOMAD_TOKEN\.$/m],
      [
        { ...others, NOMAD_TOKEN },
        /This writes scheduler\/config\/access, .*scheduler\/role\/web, .* on http:\/\/127\.0\.0\.1:\d+, .*run it in a terminal/,
      ],
    ] as const) {
      environment = variables;
      const { code, output } = await demo("up", "--server");
      expect([code === 0, output, asked]).toEqual([false, expect.stringMatching(message), []]);
    }
  });
});
