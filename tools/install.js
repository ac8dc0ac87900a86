// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { root, say } = require("./command");
const { npm } = require("./npm");

const sources = [
  "provider",
  "sandbox",
  "command",
  "tools/declarations.mjs",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];
/** The output of builds and of npm. */
const made = ["dist", "node_modules", "parser.js"];
/**
 * The list of source files of the last successful build. Its time is the start of that build, so that a later edit triggers another build.
 */
const stamp = path.join(root, "dist/.built");

/** Installs the dependencies unless those in package-lock.json are installed. */
async function install() {
  if (isInstalled()) return;
  say("Installing the dependencies with npm.");
  await npm(["ci"]);
}

function isInstalled() {
  // npm records the installed packages in another lock file with the same entries.
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

/** Builds the two packages unless both are newer than their sources. */
async function build() {
  const files = sources.flatMap(filesOf);
  const list = files.join("\n");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === list && fs.statSync(stamp).mtimeMs > newest(files)) return;
  say("Building dist/.");
  const start = new Date();
  // Remove the output of deleted files.
  for (const folder of [".", "sandbox"]) fs.rmSync(path.join(root, folder, "dist"), { recursive: true, force: true });
  await npm(["run", "build"]);
  fs.writeFileSync(stamp, list);
  fs.utimesSync(stamp, start, start);
}

/**
 * The files of a source, by their paths in the repository.
 * @param {string} entry
 * @returns {string[]}
 */
function filesOf(entry) {
  if (!fs.statSync(path.join(root, entry)).isDirectory()) return [entry];
  const names = fs.readdirSync(path.join(root, entry)).filter((name) => !made.includes(name));
  return names.flatMap((name) => filesOf(path.posix.join(entry, name)));
}

/** The modification time of the newest file. @param {string[]} files */
function newest(files) {
  return Math.max(...files.map((file) => fs.statSync(path.join(root, file)).mtimeMs));
}

module.exports = { install, build };
