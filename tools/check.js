// @ts-check
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { capture, root } = require("./command");
const { outdated } = require("./generate");
const { build } = require("./install");
const { lines } = require("./lines");
const { unmentioned } = require("./mentions");
const { pack } = require("./npm");
const words = require("./words");

/** @param {string} file In node_modules. */
const modules = (file) => path.join(root, "node_modules", file);

/** @type {[name: string, step: () => Promise<{ code: number, output: string }>][]} */
const steps = [
  ["build", () => build().then(() => resultOf([]))],
  ["types", () => capture(process.execPath, [modules("typescript/bin/tsc"), "-p", "tsconfig.json"])],
  ["lint and format", () => capture(process.execPath, [modules("@biomejs/biome/bin/biome"), "check", "--diagnostic-level=warn", "."])],
  ["declarations with TypeScript 3.8, which Pulumi uses for programs", checkDeclarations],
  ["generated sources, docs/api and the table of resources are up to date", checkGenerated],
  ["pages that say which resources there are", async () => resultOf(unmentioned())],
  ["words of docs, comments and messages", async () => resultOf(words.check(words.checkedFiles()))],
  ["packages with publint and arethetypeswrong", checkPackages],
];

async function check() {
  let failed = 0;
  for (const [name, step] of steps) {
    const start = Date.now();
    const { code, output } = await step().catch((error) => resultOf([error.message]));
    if (code !== 0) {
      failed++;
      process.stdout.write(`${output.trimEnd()}\n`);
    }
    process.stdout.write(`${code === 0 ? "passed" : "FAILED"}  ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
  }
  process.stdout.write(`${lines().join("\n")}\n`);
  return failed === 0 ? 0 : 1;
}

/** @param {readonly string[]} problems */
const resultOf = (problems) => ({ code: problems.length === 0 ? 0 : 1, output: problems.join("\n") });

/** Type-checks a program that uses the built packages. Errors in dependencies are ignored: some are too new for that compiler. */
async function checkDeclarations() {
  // Not the command: after a syntax error in a dependency, it reports no type error in any file.
  const ts = require("typescript-3.8");
  const { CommonJS: module } = ts.ModuleKind;
  const options = {
    strict: true,
    moduleResolution: ts.ModuleResolutionKind.NodeJs,
    module,
    target: ts.ScriptTarget.ES2018,
    types: ["node"],
  };
  const surface = path.join(root, "test/types/surface.ts");
  const program = ts.createProgram([surface], options);
  const checked = [surface, ...["dist", "sandbox/dist"].map((dist) => path.join(root, dist) + path.sep)];
  const files = program.getSourceFiles().filter(({ fileName }) => checked.some((place) => path.resolve(fileName).startsWith(place)));
  const errors = files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
  return resultOf(errors.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`));
}

async function checkGenerated() {
  const files = await outdated();
  return resultOf(files.map((file) => `${file} is out of date: run npm run generate.`));
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
    return resultOf(lines);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { check };
