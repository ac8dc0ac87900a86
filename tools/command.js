// @ts-check
const { execFileSync, spawn } = require("node:child_process");
const { once } = require("node:events");
const fs = require("node:fs");
const path = require("node:path");

const root = path.dirname(__dirname);

/** An error that the user can fix. It is printed as one message, without a stack trace. */
class Problem extends Error {}

/**
 * Progress goes to stderr, so that the output of a command stays clean.
 * @param {string} line
 */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a command on the terminal of this process and resolves to its exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>}
 */
async function run(command, args, options) {
  const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
  // Ctrl-C also reaches the child. This process must outlive it to clean up and to return its exit code.
  const ignore = () => {};
  const forward = () => child.kill("SIGTERM");
  process.on("SIGINT", ignore).on("SIGTERM", forward);
  try {
    const [code] = await once(child, "close");
    return code ?? 1;
  } catch (error) {
    throw new Problem(`Cannot start ${command}: ${/** @type {Error} */ (error).message}.`);
  } finally {
    process.off("SIGINT", ignore).off("SIGTERM", forward);
  }
}

/**
 * Runs a command quietly and resolves to its exit code and its output.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
async function capture(command, args, options) {
  const child = spawn(command, args, { cwd: root, ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  try {
    const [code] = await once(child, "close");
    return { code: code ?? 1, output };
  } catch (error) {
    return { code: 127, output: /** @type {Error} */ (error).message };
  }
}

/**
 * Runs a command quietly and resolves to its output. Throws with the output if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 */
async function succeed(command, args, options) {
  const { code, output } = await capture(command, args, options);
  if (code !== 0) throw new Problem(`${output.trim()}\n${path.basename(command)} ${args.join(" ")} failed: see its output above.`);
  return output;
}

/**
 * The absolute path of a program on PATH.
 * @param {string} program
 * @returns {string | undefined}
 */
function findOnPath(program) {
  const file = process.platform === "win32" ? `${program}.exe` : program;
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map((folder) => path.join(folder, file))
    .find(isExecutable);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The files of the repository, new ones too, by their paths in it. @param {...string} patterns @returns {string[]} */
const sourceFiles = (...patterns) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => fs.existsSync(path.join(root, file)));

/**
 * Prints a line every 20 seconds during long work.
 * @template T
 * @param {string} what `building dist/`
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
function withProgress(what, work) {
  const start = Date.now();
  const progress = setInterval(() => say(`  still ${what}, ${Math.round((Date.now() - start) / 1000)} s …`), 20_000);
  return work.finally(() => clearInterval(progress));
}

module.exports = { root, Problem, say, withProgress, run, capture, succeed, findOnPath, isExecutable, sourceFiles };
