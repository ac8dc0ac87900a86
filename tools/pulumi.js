// @ts-check
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

/** Installs the official release with Pulumi's installer. Resolves to the reason if it fails. @param {string} folder @returns {Promise<string | undefined>} */
async function download(folder) {
  const { PulumiCommand } = require("@pulumi/pulumi/automation");
  say(`Downloading Pulumi ${version}.`);
  try {
    // Without its check, which parses the version, it also takes a string.
    await PulumiCommand.install({ root: folder, version: /** @type {never} */ (version), skipVersionCheck: true });
  } catch (error) {
    return /** @type {Error} */ (error).message.split("\n")[0];
  }
  const bin = path.join(folder, "bin");
  for (const file of fs.readdirSync(bin)) fs.renameSync(path.join(bin, file), path.join(folder, file));
  return undefined;
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
