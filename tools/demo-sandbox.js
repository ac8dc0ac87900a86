// @ts-check
// Starts, finds and stops the sandbox of the demonstration, a background process that stops after an hour.
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { isAlive } = require("./cache");
const { Problem, root } = require("./command");
const { cleanEnvironment } = require("./environment");

/** @typedef {{ pid: number, env: Record<string, string>, page: string }} Running */

/** The file with the addresses of the process. @param {string} folder */
const fileIn = (folder) => path.join(folder, "sandbox.json");

/** The sandbox that was started with this folder, if it still runs. @param {string} folder @returns {Promise<Running | undefined>} */
async function findSandbox(folder) {
  if (!fs.existsSync(fileIn(folder))) return undefined;
  /** @type {Running} */
  const sandbox = JSON.parse(fs.readFileSync(fileIn(folder), "utf8"));
  if (!isAlive(sandbox.pid)) return undefined;
  // The pid may belong to another process now. Any response, even an error, proves that the sandbox runs.
  const response = await fetch(sandbox.page, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return response && sandbox;
}

/** @param {string} folder @returns {Promise<Running>} */
async function startSandbox(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const log = path.join(folder, "sandbox.log");
  const output = fs.openSync(log, "w");
  const stdio = /** @type {import("node:child_process").StdioOptions} */ (["ignore", output, output, "ipc"]);
  const child = spawn(process.execPath, [__filename], { cwd: root, env: cleanEnvironment(), stdio, detached: true });
  fs.closeSync(output);
  const sandbox = await new Promise((resolve) => child.once("message", resolve).once("exit", () => resolve(undefined)));
  if (!sandbox) {
    const printed = fs.readFileSync(log, "utf8").trim();
    fs.rmSync(folder, { recursive: true, force: true });
    throw new Problem(`Cannot start the sandbox: ${printed || "no output"}.`);
  }
  child.disconnect();
  child.unref();
  // Other users may not read it, since it contains tokens.
  fs.writeFileSync(fileIn(folder), JSON.stringify(sandbox, null, 2), { mode: 0o600 });
  return sandbox;
}

/** @param {Running} sandbox */
async function stopSandbox({ pid }) {
  process.kill(pid, "SIGTERM");
  for (const end = Date.now() + 5_000; Date.now() < end && isAlive(pid); ) await sleep(20);
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

/** Runs the sandbox in this process, and sends its addresses to the parent process. */
async function serve() {
  const { start } = require("../sandbox/dist");
  const { env, page, close } = await start({ dialect: "hashicorp" });
  process.send?.({ pid: process.pid, env, page });
  const stop = () => close().then(() => process.exit());
  process.on("SIGTERM", stop);
  setTimeout(stop, 60 * 60 * 1000);
}

module.exports = { findSandbox, startSandbox, stopSandbox };

if (require.main === module)
  serve().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
