// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { root, succeed } = require("./command");

/**
 * Runs npm quietly.
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<void>}
 */
async function npm(args, options) {
  const windows = process.platform === "win32";
  await succeed(windows ? "npm.cmd" : "npm", [...args, "--no-audit", "--no-fund"], { shell: windows, ...options });
}

/**
 * Packs the packages as `npm publish` does, with the existing dist/.
 * @param {string} folder The folder of the tarballs.
 * @returns {Promise<{ provider: string, sandbox: string }>} The tarball of each package.
 */
async function pack(folder) {
  const tarball = async (/** @type {string} */ workspace) => {
    const cwd = path.join(root, workspace);
    const { name, version } = JSON.parse(fs.readFileSync(path.join(cwd, "package.json"), "utf8"));
    await npm(["pack", "--ignore-scripts", "--pack-destination", folder], { cwd });
    return path.join(folder, `${name}-${version}.tgz`);
  };
  return { provider: await tarball("."), sandbox: await tarball("sandbox") };
}

module.exports = { npm, pack };
