// @ts-check
// Runs a command, after installing and building what it needs. package.json has scripts for the frequent ones.
//
//   node tools/run.js <up|refresh|destroy|test|check|new|generate|executable|bench|chaos|model|mutants|pictures> [arguments…]
const [major = 0, minor = 0, patch = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)))) {
  // This check comes before any import, since an older Node cannot parse the other files.
  process.stderr.write(`Node 20.18.1 or later is required, but this is ${process.versions.node}: install it from https://nodejs.org.\n`);
  process.exit(1);
}

const { Problem } = require("./command");
const { install, build } = require("./install");

/** The commands. Each loads only its own file. @type {Record<string, (args: string[]) => Promise<number>>} */
const commands = {
  up: (args) => require("./demo").up(args),
  refresh: (args) => require("./demo").refresh(args),
  destroy: (args) => require("./demo").destroy(args),
  test: (args) => require("./test").test(args),
  bench: (args) => require("./test").program("bench/run.ts", args),
  chaos: (args) => require("./test").chaos(args),
  model: (args) => require("./test").program("test/model/run.ts", args),
  mutants: (args) => require("./test").program("test/mutants/run.ts", args),
  pictures: (args) => require("./test").program("tools/pictures/index.ts", args),
  check: () => require("./check").check(),
  // The new resource has to join the generated lists before a suite can run it.
  new: async (args) => {
    const files = await require("./new").create(args);
    await require("./generate").generate();
    process.stdout.write(require("./new").nextSteps(files));
    return 0;
  },
  generate: () => require("./generate").generate(),
  executable: async ([folder = "."]) => ((await require("./executable").makeExecutable(folder)) ? 0 : 1),
};

/** @param {string[]} args */
async function main([name = "", ...args]) {
  const command = Object.keys(commands).includes(name) ? commands[name] : undefined;
  if (!command) throw new Problem(`Unknown command "${name}". Commands: ${Object.keys(commands).join(", ")}.`);
  await install();
  // These work without a build, since the sources may not compile before them. A check continues after a build that failed.
  if (!["new", "generate", "check"].includes(name)) await build();
  return command(args);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${error instanceof Problem ? error.message : error.stack}\n`);
    process.exitCode = 1;
  },
);
