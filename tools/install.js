// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { root, say, withProgress } = require("./command");
const { npm } = require("./npm");

const folders = ["provider", "sandbox", "command"];
const files = ["tools/declarations.mjs", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
/** The output of builds and of npm. */
const output = /(^|[\\/])(dist|node_modules|parser\.js)($|[\\/])/;
/**
 * The list of source files of the last successful build. Its time is the start of that build, so that a later edit triggers another build.
 */
const stamp = path.join(root, "dist/.built");

/** Installs the dependencies, unless npm has done so since package-lock.json was last written. */
async function install() {
  // npm writes this file at the end of an installation.
  const installed = fs.statSync(path.join(root, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  const hasDevelopmentPackages = fs.existsSync(path.join(root, "node_modules/typescript"));
  if (installed && hasDevelopmentPackages && installed.mtimeMs >= fs.statSync(path.join(root, "package-lock.json")).mtimeMs) return;
  say("Installing the dependencies with npm.");
  await withProgress("installing", npm(["ci"]));
}

/** Builds the two packages unless both are newer than their sources. */
async function build() {
  const sources = [...files, ...folders.flatMap(sourcesIn)];
  const list = sources.join("\n");
  const newest = Math.max(...sources.map((file) => fs.statSync(path.join(root, file)).mtimeMs));
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === list && fs.statSync(stamp).mtimeMs > newest) return;
  say("Building dist/.");
  const start = new Date();
  // Remove the output of deleted files.
  for (const folder of [".", "sandbox"]) fs.rmSync(path.join(root, folder, "dist"), { recursive: true, force: true });
  await withProgress("building dist/", npm(["run", "build"]));
  fs.writeFileSync(stamp, list);
  fs.utimesSync(stamp, start, start);
}

/** The source files of a folder, by their paths in the repository. @param {string} folder */
const sourcesIn = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => !output.test(file) && fs.statSync(path.join(root, folder, file)).isFile())
    .map((file) => path.join(folder, file));

module.exports = { install, build };
