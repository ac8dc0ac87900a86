// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { cached } = require("./cache");
const { Problem, capture, findOnPath, isExecutable, say } = require("./command");
const { goBuild } = require("./go");
const { getPulumi, installedSdk } = require("./pulumi");

/** The versions in tools/go/pulumi-language-*, and of the generator itself: change them together. */
const version = "yaml-1.38.1-python-3.67.1-go-3.60.0-generator-2";
/** Runs a Python program; the host for Python starts it. */
const pythonRunner = "pulumi-language-python-exec";
/** The newest hosts for these three that build from a module run programs, but generate none. */
const generated = ["nodejs", "python", "go"];
const program = (/** @type {string} */ name) => (process.platform === "win32" ? `${name}.exe` : name);

/**
 * @typedef {object} Hosts Folders to put first on PATH; none where the command line brings its own hosts.
 * @property {string[]} running Hosts that run programs in YAML, Python and Go.
 * @property {string[]} generating Hosts that only generate programs and SDKs, in Node, Python and Go: for `pulumi import`, `pulumi package gen-sdk` and `pulumi package add`.
 */

/** @type {Promise<Hosts> | undefined} */
let found;

/**
 * The language hosts beyond the one for Node: those beside the command line, else the ones in our cache, else built with Go.
 * @returns {Promise<Hosts>}
 */
function getHosts() {
  found ??= findHosts();
  return found;
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
  const { code, output } = await capture("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"], {
    cwd: path.join(__dirname, "go/pulumi-language-python"),
    env: { ...process.env, GOWORK: "off" },
  });
  if (code !== 0) throw new Problem(`Go does not tell where the SDK of pulumi-language-python lies:\n${output}`);
  const runner = path.join(folder, "running", pythonRunner);
  fs.copyFileSync(path.join(output.trim(), "python/cmd", pythonRunner), runner);
  fs.chmodSync(runner, 0o755);
  const generator = path.join(folder, program("pulumi-language-generator"));
  await goBuild("pulumi-language-generator", { output: generator, minutes: "1 minute" });
  fs.mkdirSync(path.join(folder, "generating"));
  for (const language of generated) fs.linkSync(generator, path.join(folder, "generating", program(`pulumi-language-${language}`)));
}

/**
 * A virtual environment of Python with Pulumi's SDK, of the same version as the one for Node.
 * @returns {Promise<string>}
 */
async function getPython() {
  const python = findOnPath("python3");
  if (!python) throw new Problem("Install Python 3.10 or later with venv and pip (https://www.python.org/downloads).");
  const sdk = installedSdk().version;
  return cached(`python-${sdk}-${process.platform}-${process.arch}`, async (folder) => {
    say(`Installing Pulumi ${sdk} for Python.`);
    const steps = [
      [python, "-m", "venv", folder],
      [path.join(folder, "bin/python"), "-m", "pip", "install", "--quiet", `pulumi==${sdk}`, "parver", "wheel"],
    ];
    for (const [command = "", ...args] of steps) {
      const { code, output } = await capture(command, args);
      if (code !== 0) throw new Problem(`${path.basename(command)} ${args.join(" ")} failed:\n${output}`);
    }
  });
}

module.exports = { getHosts, getPython };
