// @ts-check
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { cacheFolder, cached } = require("./cache");
const { Problem, capture, findOnPath, isExecutable, root, say } = require("./command");
const { cleanEnvironment } = require("./environment");
const { goBuild } = require("./go");

/** The version to download or build, also in tools/go/pulumi/go.mod. */
const version = "3.259.0";
/** The oldest supported version on PATH. */
const oldest = { major: 3, minor: 200 };
const releases = "https://get.pulumi.com/releases/sdk";
/** The engine starts it for dynamic resources. It is part of the command line and, without the executable bit, of @pulumi/pulumi. */
const launcher = "pulumi-resource-pulumi-nodejs";
const languageHost = "pulumi-language-nodejs";

/**
 * @typedef {object} Pulumi
 * @property {string} command The absolute path of the command line.
 * @property {string[]} bin Folders to prepend to PATH.
 * @property {string} version
 */

/** @type {Promise<Pulumi> | undefined} */
let pulumi;

/**
 * The Pulumi command line: the one on PATH, or else the one in the cache, which is the official release or built with Go. Does not change the
 * user's login, plugins and PATH.
 * @returns {Promise<Pulumi>}
 */
function getPulumi() {
  pulumi ??= findPulumi();
  return pulumi;
}

/** @returns {Promise<Pulumi>} */
async function findPulumi() {
  const onPath = await pulumiOnPath();
  if (onPath) return onPath;
  const folder = await cached(`pulumi-${version}-${process.platform}-${process.arch}`, async (folder) => {
    const reason = await download(folder);
    if (!reason) return;
    say(`Cannot use the release of Pulumi ${version} (${reason}). Building it from source.`);
    await build(folder);
  });
  return { command: path.join(folder, "pulumi"), bin: [folder], version };
}

/** @returns {Promise<Pulumi | undefined>} */
async function pulumiOnPath() {
  const command = findOnPath("pulumi");
  if (!command) return undefined;
  // Even this command writes to PULUMI_HOME.
  const env = { ...cleanEnvironment(), PULUMI_HOME: path.join(cacheFolder(), "home"), PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { output } = await capture(command, ["version"], { env });
  const [text, major, minor] = /v?(\d+)\.(\d+)\.\d+/.exec(output) ?? [];
  const folder = path.dirname(fs.realpathSync(command));
  const has = (/** @type {string} */ program) => isExecutable(path.join(folder, program)) || findOnPath(program) !== undefined;
  if (!text || Number(major) !== oldest.major || Number(minor) < oldest.minor || !has(languageHost)) {
    say(`Ignoring ${command}: it is not Pulumi ${oldest.major}.${oldest.minor} or later with ${languageHost} next to it or on PATH.`);
    return undefined;
  }
  const bin = [path.dirname(command)];
  if (!has(launcher)) bin.unshift(await cached(`launcher-${installedSdk().version}`, async (target) => copyLauncher(target)));
  return { command, bin, version: text.replace("v", "") };
}

/**
 * Downloads and unpacks the official release. Resolves to the reason if it fails.
 * @param {string} folder
 * @returns {Promise<string | undefined>}
 */
async function download(folder) {
  if (process.platform === "win32") return "unpacking it on Windows is not supported";
  try {
    const name = `pulumi-v${version}-${process.platform}-${process.arch}.tar.gz`;
    const checksums = await fetch(`${releases}/pulumi-${version}-checksums.txt`);
    if (!checksums.ok) return `status ${checksums.status} for its checksums`;
    const sums = await checksums.text();
    const response = await fetch(`${releases}/${name}`);
    if (!response.ok) return `status ${response.status} for ${releases}/${name}`;
    say(`Downloading Pulumi ${version}.`);
    const archive = Buffer.from(await response.arrayBuffer());
    const sum = createHash("sha256").update(archive).digest("hex");
    if (!sums.includes(`${sum}  ${name}`)) return "its checksum differs from the published one";
    const file = path.join(folder, name);
    fs.writeFileSync(file, archive);
    const { code, output } = await capture("tar", ["-xzf", file, "-C", folder, "--strip-components", "1"]);
    fs.rmSync(file);
    if (code !== 0) return `tar failed: ${output.trim()}`;
    if (!isExecutable(path.join(folder, launcher))) copyLauncher(folder);
    return undefined;
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error);
    return cause instanceof Error ? cause.message : message;
  }
}

/** @param {string} folder */
async function build(folder) {
  if (!findOnPath("go")) {
    throw new Problem(
      "Install the Pulumi command line (https://www.pulumi.com/docs/install) or Go 1.25 or later (https://go.dev/dl), then run this again.",
    );
  }
  await goBuild(languageHost, { output: path.join(folder, languageHost), minutes: "1 minute" });
  const flags = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  await goBuild("pulumi", { output: path.join(folder, "pulumi"), minutes: "3 minutes", flags });
  copyLauncher(folder);
}

/** @param {string} folder */
function copyLauncher(folder) {
  const file = path.join(folder, launcher);
  fs.copyFileSync(path.join(installedSdk().folder, launcher), file);
  fs.chmodSync(file, 0o755);
}

function installedSdk() {
  const manifest = require.resolve("@pulumi/pulumi/package.json", { paths: [root] });
  return { folder: path.dirname(manifest), version: require(manifest).version };
}

module.exports = { getPulumi, installedSdk };
