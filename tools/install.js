// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { root, say } = require("./command");
const { npm } = require("./npm");

const sources = ["provider", "sandbox", "command", "forward", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
/** What a build makes, and npm. */
const made = ["dist", "node_modules", "parser.js"];
/**
 * Written after a build without errors: the files that it was of. It is as old as the start of that build, so that an edit made meanwhile is built
 * next time.
 */
const stamp = path.join(root, "dist/.built");

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

/** Compiles the two packages to their dist/ unless both are newer than their sources. */
async function build() {
  const files = sources.flatMap(filesOf);
  const list = files.join("\n");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === list && fs.statSync(stamp).mtimeMs > newest(files)) return;
  say("Building dist/.");
  const start = new Date();
  // A file that was removed would otherwise stay in the package.
  for (const folder of [".", "sandbox"]) fs.rmSync(path.join(root, folder, "dist"), { recursive: true, force: true });
  await npm(["run", "build"]);
  fs.writeFileSync(stamp, list);
  fs.utimesSync(stamp, start, start);
}

/**
 * The files of a source, by their paths from the root.
 * @param {string} entry
 * @returns {string[]}
 */
function filesOf(entry) {
  if (!fs.statSync(path.join(root, entry)).isDirectory()) return [entry];
  const names = fs.readdirSync(path.join(root, entry)).filter((name) => !made.includes(name));
  return names.flatMap((name) => filesOf(path.posix.join(entry, name)));
}

/** When the newest of these files was written. @param {string[]} files */
function newest(files) {
  return Math.max(...files.map((file) => fs.statSync(path.join(root, file)).mtimeMs));
}

module.exports = { install, build };
