// @ts-check
// Starts, finds and stops the background process of the demonstration.
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { isAlive } = require("./cache");
const { Problem, root } = require("./command");
const { cleanEnvironment } = require("./environment");

const deadline = 20_000;

/** @typedef {{ pid: number, env: { SECRETS_ADDR: string, SECRETS_TOKEN: string, [name: string]: string }, page: string }} Running */

/**
 * The sandbox that was started with this folder, if it still runs.
 * @param {string} folder
 * @returns {Promise<Running | undefined>}
 */
async function findSandbox(folder) {
  const sandbox = read(folder);
  if (!sandbox || !isAlive(sandbox.pid)) return undefined;
  try {
    // The pid may belong to another process now. Any response, even an error, proves that the sandbox runs.
    await fetch(sandbox.env.SECRETS_ADDR, { signal: AbortSignal.timeout(10_000) });
    return sandbox;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @returns {Promise<Running>}
 */
async function startSandbox(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const log = path.join(folder, "sandbox.log");
  const output = fs.openSync(log, "w");
  const child = spawn(process.execPath, [path.join(__dirname, "demo-sandbox.js"), file(folder)], {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ["ignore", output, output],
    detached: true,
  });
  fs.closeSync(output);
  child.unref();
  for (const end = Date.now() + deadline; Date.now() < end && child.exitCode === null; await sleep(50)) {
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
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGKILL"])) {
    process.kill(pid, signal);
    for (const end = Date.now() + 5_000; Date.now() < end && isAlive(pid); ) await sleep(20);
    if (!isAlive(pid)) return;
  }
}

/**
 * @param {string} folder
 * @returns {Running | undefined}
 */
function read(folder) {
  return fs.existsSync(file(folder)) ? JSON.parse(fs.readFileSync(file(folder), "utf8")) : undefined;
}

/** @param {string} folder */
function file(folder) {
  return path.join(folder, "sandbox.json");
}

module.exports = { findSandbox, startSandbox, stopSandbox };
