// @ts-check
// Starts, finds and stops the sandbox of the demonstration, a background process that stops after an hour.
//
//   node tools/demo-sandbox.js <file>
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { isAlive } = require("./cache");
const { Problem, root } = require("./command");
const { cleanEnvironment } = require("./environment");

/** @typedef {{ pid: number, env: Record<string, string>, page: string }} Running */

/** The file in which the process writes its addresses. @param {string} folder */
const fileIn = (folder) => path.join(folder, "sandbox.json");

/** @param {string} folder @returns {Running | undefined} */
const read = (folder) => (fs.existsSync(fileIn(folder)) ? JSON.parse(fs.readFileSync(fileIn(folder), "utf8")) : undefined);

/** The sandbox that was started with this folder, if it still runs. @param {string} folder @returns {Promise<Running | undefined>} */
async function findSandbox(folder) {
  const sandbox = read(folder);
  if (!sandbox || !isAlive(sandbox.pid)) return undefined;
  // The pid may belong to another process now. Any response, even an error, proves that the sandbox runs.
  const response = await fetch(sandbox.page, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return response && sandbox;
}

/** @param {string} folder @returns {Promise<Running>} */
async function startSandbox(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const log = path.join(folder, "sandbox.log");
  const output = fs.openSync(log, "w");
  const child = spawn(process.execPath, [__filename, fileIn(folder)], {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ["ignore", output, output],
    detached: true,
  });
  fs.closeSync(output);
  child.unref();
  for (const end = Date.now() + 20_000; Date.now() < end && child.exitCode === null; await sleep(50)) {
    const sandbox = read(folder);
    if (sandbox) return sandbox;
  }
  child.kill("SIGKILL");
  const printed = fs.readFileSync(log, "utf8").trim();
  fs.rmSync(folder, { recursive: true, force: true });
  throw new Problem(`Cannot start the sandbox: ${printed || "no output"}.`);
}

/** @param {Running} sandbox */
async function stopSandbox({ pid }) {
  process.kill(pid, "SIGTERM");
  for (const end = Date.now() + 5_000; Date.now() < end && isAlive(pid); ) await sleep(20);
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

/** Runs the sandbox in this process. @param {string} file */
async function serve(file) {
  const { start } = require("../sandbox/dist");
  const { env, page, close } = await start();
  // Renamed when complete, since `startSandbox` waits for the file. Other users may not read it, since it contains tokens.
  fs.writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, env, page }, null, 2), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
  const stop = () => close().then(() => process.exit());
  process.on("SIGTERM", stop);
  setTimeout(stop, 60 * 60 * 1000);
}

module.exports = { findSandbox, startSandbox, stopSandbox };

if (require.main === module)
  serve(process.argv[2] ?? "").catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
