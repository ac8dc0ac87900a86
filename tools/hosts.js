// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { cached } = require("./cache");
const { Problem, findOnPath, isExecutable, say, succeed } = require("./command");
const { goBuild } = require("./go");
const { getPulumi, installedSdk } = require("./pulumi");

/** The versions in tools/go/pulumi-language-*, and of the generator itself. Change them together. */
const version = "yaml-1.38.1-python-3.67.1-go-3.60.0-generator-2";
/** The program with which the language host for Python runs a program. */
const pythonRunner = "pulumi-language-python-exec";
/** The languages whose hosts, built from a Go module, cannot generate programs. */
const generated = ["nodejs", "python", "go"];
const program = (/** @type {string} */ name) => (process.platform === "win32" ? `${name}.exe` : name);

/**
 * @typedef {object} Hosts Folders to prepend to PATH; none if the command line includes its own hosts.
 * @property {string[]} running Hosts that run programs in YAML, Python and Go.
 * @property {string[]} generating Hosts that only generate Node, Python and Go. `pulumi import`, `pulumi package gen-sdk` and `pulumi package add` use them.
 */

/** @type {Promise<Hosts> | undefined} */
let hosts;

/**
 * The language hosts besides the one for Node: those next to the command line, or else those in the cache, which are built with Go.
 * @returns {Promise<Hosts>}
 */
function getHosts() {
  hosts ??= findHosts();
  return hosts;
}

/** @returns {Promise<Hosts>} */
async function findHosts() {
  const { command } = await getPulumi();
  const beside = path.dirname(fs.realpathSync(command));
  if (["yaml", "python", "go"].every((language) => isExecutable(path.join(beside, program(`pulumi-language-${language}`)))))
    return { running: [], generating: [] };
  const folder = await cached(`hosts-${version}-${process.platform}-${process.arch}`, build);
  return { running: [path.join(folder, "running")], generating: [path.join(folder, "generating")] };
}

/** @param {string} folder */
async function build(folder) {
  for (const language of ["yaml", "python", "go"]) {
    const name = `pulumi-language-${language}`;
    await goBuild(name, { output: path.join(folder, "running", program(name)), minutes: "1 minute" });
  }
  const sdk = await succeed("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"], {
    cwd: path.join(__dirname, "go/pulumi-language-python"),
    env: { ...process.env, GOWORK: "off" },
  });
  const runner = path.join(folder, "running", pythonRunner);
  fs.copyFileSync(path.join(sdk.trim(), "python/cmd", pythonRunner), runner);
  fs.chmodSync(runner, 0o755);
  const generator = path.join(folder, program("pulumi-language-generator"));
  await goBuild("pulumi-language-generator", { output: generator, minutes: "1 minute" });
  fs.mkdirSync(path.join(folder, "generating"));
  for (const language of generated) fs.linkSync(generator, path.join(folder, "generating", program(`pulumi-language-${language}`)));
}

/**
 * A Python virtual environment with the same version of Pulumi's SDK as for Node.
 * @returns {Promise<string>}
 */
async function getPython() {
  const python = findOnPath("python3");
  if (!python) throw new Problem("Install Python 3.10 or later with venv and pip (https://www.python.org/downloads).");
  const sdk = installedSdk().version;
  return cached(`python-${sdk}-${process.platform}-${process.arch}`, async (folder) => {
    say(`Installing Pulumi ${sdk} for Python.`);
    await succeed(python, ["-m", "venv", folder]);
    await succeed(path.join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", `pulumi==${sdk}`, "parver", "wheel"]);
  });
}

module.exports = { getHosts, getPython };
