// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { root, say } = require("./command");
const { npm } = require("./npm");

const sources = ["provider", "sandbox", "command", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
const dist = path.join(root, "dist");
/** Written after a build without errors; as old as the start of that build, so that an edit made meanwhile is built next time. */
const stamp = path.join(dist, ".built");

/** Installs the dependencies unless what package-lock.json asks for is there. */
async function install() {
  if (isInstalled()) return;
  say("Installing the dependencies with npm.");
  await npm(["ci"]);
}

function isInstalled() {
  // npm keeps what it installed in a lock file of its own, with the same entries.
  const installed = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  const wanted = readPackages(path.join(root, "package-lock.json"));
  return Object.entries(wanted).every(([folder, { version, link, optional, devOptional }]) => {
    const entry = installed[folder];
    if (!entry) return folder === "" || optional || devOptional;
    return entry.version === version && entry.link === link;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, link?: boolean, optional?: boolean, devOptional?: boolean }>}
 */
function readPackages(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")).packages : {};
}

/** Compiles provider/, sandbox/ and command/ to dist/ unless that is newer than they are. */
async function build() {
  if (fs.existsSync(stamp) && fs.statSync(stamp).mtimeMs > newest(sources)) return;
  say("Building dist/.");
  const start = new Date();
  // A file that was removed would otherwise stay in the package.
  fs.rmSync(dist, { recursive: true, force: true });
  await npm(["run", "build"]);
  fs.writeFileSync(stamp, "");
  fs.utimesSync(stamp, start, start);
}

/**
 * When the newest of these files and folders was written.
 * @param {string[]} entries
 * @returns {number}
 */
function newest(entries) {
  return Math.max(
    ...entries.map((entry) => {
      const file = path.join(root, entry);
      const { mtimeMs } = fs.statSync(file);
      if (!fs.statSync(file).isDirectory()) return mtimeMs;
      // A folder counts, too: it is newer than dist/ when a file was removed from it.
      return Math.max(mtimeMs, newest(fs.readdirSync(file).map((name) => path.join(entry, name))));
    }),
  );
}

module.exports = { install, build };
