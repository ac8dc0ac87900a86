// @ts-check
// Packs the native plugin and the commands of a holder as one executable that runs without Node, in the format of Pulumi's plugins.
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { root, say, succeed } = require("./command");

/** Pulumi's names of this platform, which are those of Go. */
const platform = process.platform === "win32" ? "windows" : process.platform;
const architecture = process.arch === "x64" ? "amd64" : process.arch;
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Bundles the files that the plugin loads at run time: two JSON files, the installed SDK, and the module that openpgp needs for brainpool curves.
 * @type {import("esbuild").Plugin}
 */
const inline = {
  name: "inline",
  setup(build) {
    build.onLoad({ filter: /openpgp[\\/]dist[\\/]node[\\/]openpgp\.min\.cjs$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, "utf8").replace(/\w+\.nodeRequire\("eckey-utils"\)/g, 'require("eckey-utils")'),
      loader: "js",
    }));
    build.onLoad({ filter: /dist[\\/]provider[\\/]engine[\\/]plugin-\w+\.js$/ }, ({ path: file }) => ({
      contents: fs
        .readFileSync(file, "utf8")
        .replace(/\(0, \w+\.createRequire\)\(require\.resolve\("@pulumi\/pulumi\/package\.json"\)\)/g, "undefined")
        .replace(/\bsdk\("\.\//g, 'require("@pulumi/pulumi/')
        .replace(/\bsdk\("/g, 'require("')
        .replace(/\(0, \w+\.readFileSync\)\(\(0, \w+\.join\)\(__dirname, ("[^"]+\.json")\), "utf8"\)/g, "JSON.stringify(require($1))"),
      loader: "js",
    }));
  },
};

/**
 * Writes pulumi-resource-steward-v<version>-<platform>-<architecture>.tar.gz, the name by which Pulumi looks for it in a release.
 * @param {string} folder
 * @returns {Promise<string>} The archive.
 */
async function makeExecutable(folder) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "steward-executable-"));
  const bundle = path.join(work, "plugin.js");
  const blob = path.join(work, "plugin.blob");
  const config = path.join(work, "sea.json");
  const name = `pulumi-resource-steward${platform === "windows" ? ".exe" : ""}`;
  const executable = path.join(work, name);
  const archive = path.resolve(folder, `pulumi-resource-steward-v${version}-${platform}-${architecture}.tar.gz`);
  try {
    const { build } = require("esbuild");
    await build({
      entryPoints: [path.join(root, "dist/command/executable.js")],
      outfile: bundle,
      bundle: true,
      minify: true,
      // The SDK and messages contain names of functions and classes.
      keepNames: true,
      platform: "node",
      target: "node20",
      logLevel: "error",
      // The `require` of a single executable has no cache, which the SDK needs.
      banner: { js: 'require = require("node:module").createRequire(process.execPath);' },
      // Only programs that serialize functions need these.
      external: ["typescript", "ts-node"],
      plugins: [inline],
    });
    fs.writeFileSync(config, JSON.stringify({ main: bundle, output: blob, disableExperimentalSEAWarning: true }));
    await succeed(process.execPath, ["--experimental-sea-config", config]);
    fs.copyFileSync(process.execPath, executable);
    fs.chmodSync(executable, 0o755);
    // macOS does not start a file that changed after it was signed.
    const isMac = platform === "darwin";
    if (isMac) await succeed("codesign", ["--remove-signature", executable]);
    const options = ["--sentinel-fuse", fuse, ...(isMac ? ["--macho-segment-name", "NODE_SEA"] : [])];
    await succeed(process.execPath, [require.resolve("postject/dist/cli.js"), executable, "NODE_SEA_BLOB", blob, ...options]);
    if (isMac) await succeed("codesign", ["--sign", "-", executable]);
    fs.mkdirSync(path.dirname(archive), { recursive: true });
    fs.copyFileSync(path.join(root, "LICENSE"), path.join(work, "LICENSE"));
    await succeed("tar", ["-czf", archive, "-C", work, name, "LICENSE"]);
    const hash = createHash("sha256").update(fs.readFileSync(archive)).digest("hex");
    say(`${hash}  ${archive}`);
    return archive;
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

module.exports = { makeExecutable };
