// @ts-check
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { capture, root } = require("./command");
const { outdated } = require("./docs");
const generate = require("./generate");
const { lines } = require("./lines");
const { pack } = require("./npm");
const words = require("./words");

/** @param {string} file In node_modules. */
const modules = (file) => path.join(root, "node_modules", file);

/** @type {[name: string, step: () => Promise<{ code: number, output: string }>][]} */
const steps = [
  ["types", () => capture(process.execPath, [modules("typescript/bin/tsc"), "-p", "tsconfig.json"])],
  ["lint and format", () => capture(process.execPath, [modules("@biomejs/biome/bin/biome"), "check", "--diagnostic-level=warn", "."])],
  ["declarations with TypeScript 3.8, which Pulumi uses for programs", checkDeclarations],
  ["generated sources are up to date", checkGenerated],
  ["docs/api and the README's table are up to date", checkPages],
  ["words of docs, comments and messages", checkWords],
  ["packages with publint and arethetypeswrong", checkPackages],
];

async function check() {
  let failed = 0;
  for (const [name, step] of steps) {
    const start = Date.now();
    const { code, output } = await step();
    if (code !== 0) {
      failed++;
      process.stdout.write(`${output.trimEnd()}\n`);
    }
    process.stdout.write(`${code === 0 ? "passed" : "FAILED"}  ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
  }
  process.stdout.write(`${lines().join("\n")}\n`);
  return failed === 0 ? 0 : 1;
}

/** Type-checks a program that uses the built packages. Errors in dependencies are ignored: some are too new for that compiler. */
async function checkDeclarations() {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "steward-declarations-"));
  try {
    fs.mkdirSync(path.join(folder, "node_modules"));
    for (const name of ["pulumi-steward", "pulumi-steward-sandbox", "@pulumi", "@types"])
      fs.symlinkSync(modules(name), path.join(folder, "node_modules", name), "junction");
    fs.copyFileSync(path.join(root, "test/types/surface.ts"), path.join(folder, "program.ts"));
    const options = [
      "--noEmit",
      "--strict",
      "--moduleResolution",
      "node",
      "--module",
      "commonjs",
      "--target",
      "es2018",
      "--types",
      "node",
      "--pretty",
      "false",
    ];
    const { code, output } = await capture(process.execPath, [modules("typescript-3.8/bin/tsc"), ...options, "program.ts"], {
      cwd: folder,
    });
    // The compiler itself failed.
    if (code !== 0 && !/error TS\d/.test(output)) return { code, output };
    const errors = output.split("\n").filter((line) => {
      const [, file] = /^(.+?)\(\d+,\d+\): error /.exec(line) ?? [];
      return file ? isOwn(path.resolve(folder, file)) : line.startsWith("error ");
    });
    return { code: errors.length === 0 ? 0 : 1, output: errors.join("\n") };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }

  /** @param {string} file */
  function isOwn(file) {
    return (
      file === path.join(folder, "program.ts") || ["dist", "sandbox/dist"].some((dist) => file.startsWith(path.join(root, dist) + path.sep))
    );
  }
}

async function checkGenerated() {
  const output = (await generate.outdated()).map((file) => `${file} is out of date: run npm run generate.`).join("\n");
  return { code: output ? 1 : 0, output };
}

async function checkPages() {
  const files = await outdated();
  const output = files.map((file) => `${file} is out of date: run npm run generate.`).join("\n");
  return { code: files.length === 0 ? 0 : 1, output };
}

async function checkWords() {
  const lines = words.check(words.checkedFiles());
  return { code: lines.length === 0 ? 0 : 1, output: lines.join("\n") };
}

/** Checks the packed packages with publint and arethetypeswrong. Even a suggestion is a failure. */
async function checkPackages() {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const { checkPackage: checkTypes, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "steward-packed-"));
  try {
    const lines = [];
    for (const file of Object.values(await pack(folder))) {
      const tarball = new Uint8Array(fs.readFileSync(file));
      const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
      const types = await checkTypes(createPackageFromTarballData(tarball));
      const problems = types.types ? types.problems.map((problem) => JSON.stringify(problem)) : [`${pkg.name} has no types.`];
      lines.push(...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code), ...problems);
    }
    return { code: lines.length === 0 ? 0 : 1, output: lines.join("\n") };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { check };
