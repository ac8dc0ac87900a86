import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { run } from "../../sandbox/command";
import { listen } from "../provider/http/exchange";
import { call } from "../support/call";

/** The file that npm puts on the PATH as `pulumi-steward-sandbox`. */
const command = join(__dirname, "../../sandbox/dist/command.js");

async function expectToWork(stdout: Readable, prefix: string, stop: () => void, ended: Promise<unknown>): Promise<void> {
  const env: Record<string, string> = {};
  for await (const line of createInterface({ input: stdout })) {
    const [, name = "", value = ""] = /^(?:export (\w+)=|# )(\S+)/.exec(line) ?? [];
    env[name || "page"] = value;
    if (name === "SHARE_5") break;
  }
  expect(Object.keys(env)).toHaveLength(12);
  expect(await (await fetch(env.page!)).text()).toContain("<h1>Sandbox</h1>");
  const service = { url: env[`${prefix}_ADDR`]!, token: env[`${prefix}_TOKEN`]! };
  expect((await call(service, "GET", "/v1/sys/mounts")).status).toBe(200);
  stop();
  expect(await ended).toBe(0);
  await expect(fetch(service.url)).rejects.toThrow();
}

/** Runs one command line in this process, stops it, and returns its output. */
async function printed(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await run(args, { stdout, stderr }, () => Promise.resolve());
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

test.each([
  [[], "SECRETS"],
  [["--dialect", "hashicorp"], "VAULT"],
])("%j prints environment variables that work until it is stopped", async (options, prefix) => {
  const stdout = new PassThrough();
  const stopped = new EventEmitter();
  const ended = run(options, { stdout, stderr: new PassThrough() }, () => once(stopped, "stop").then(() => undefined));
  await expectToWork(stdout, prefix, () => stopped.emit("stop"), ended);
});

test("Ctrl-C stops the sandbox", async () => {
  const child = spawn(process.execPath, [command]);
  const ended = new Promise((done) => child.on("close", done));
  await expectToWork(child.stdout, "SECRETS", () => child.kill("SIGINT"), ended);
});

test("the sandbox ends if its standard output is closed", async () => {
  const child = spawn(process.execPath, [command]);
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdout.destroy();
  expect(await new Promise((done) => child.on("close", done))).toBe(1);
  expect(stderr).toBe("");
});

test.each([
  ["--port", "many"],
  ["--port", "70000"],
  ["--dialect", "vault"],
])("%s %s is rejected", async (...options) => {
  expect(await printed(options)).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(/ is invalid\. /) });
});

test("a port in use is reported", async () => {
  const port = await listen(createServer());
  const result = await printed(["--port", String(port)]);
  const message = `One of the four ports from ${port} on is in use. Choose another --port, or 0 for free ports.`;
  expect(result).toEqual({ code: 1, stdout: "", stderr: `pulumi-steward-sandbox: ${message}\n` });
});

test("--version prints the version, and --help every option", async () => {
  expect((await printed(["--version"])).stdout).toBe(`${require("../../sandbox/package.json").version}\n`);
  const options = /--dialect <dialect>[\s\S]*"standard",\s+"hashicorp"[\s\S]*--port <port>/;
  expect(await printed(["--help"])).toMatchObject({ code: 0, stdout: expect.stringMatching(options) });
});
