// @ts-check
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/** The cache is outside the repository, so that slow builds survive a fresh clone and `npm ci`. */
function cacheFolder() {
  const home = process.platform === "darwin" ? path.join(os.homedir(), "Library", "Caches") : path.join(os.homedir(), ".cache");
  return path.join(process.env.XDG_CACHE_HOME || home, "pulumi-steward");
}

/**
 * A folder of the cache, which is created on first use. It is renamed from a temporary name when it is complete, so that a killed process leaves
 * no incomplete folder.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} make Fills the empty folder.
 * @returns {Promise<string>}
 */
async function cached(name, make) {
  const target = path.join(cacheFolder(), name);
  fs.mkdirSync(cacheFolder(), { recursive: true });
  removeAbandoned();
  if (fs.existsSync(target)) return target;
  const partial = `${target}.partial-${process.pid}`;
  fs.rmSync(partial, { recursive: true, force: true });
  fs.mkdirSync(partial);
  try {
    await make(partial);
    // Another process may have finished first: keep its folder.
    if (!fs.existsSync(target)) fs.renameSync(partial, target);
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
  }
  return target;
}

/** Removes the folders of killed processes. */
function removeAbandoned() {
  for (const entry of fs.readdirSync(cacheFolder())) {
    const pid = /\.partial-(\d+)$/.exec(entry)?.[1];
    if (pid && !isAlive(Number(pid))) fs.rmSync(path.join(cacheFolder(), entry), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

module.exports = { cacheFolder, cached, isAlive };
