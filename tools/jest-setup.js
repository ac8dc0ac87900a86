// @ts-check
// Runs once before all tests, in the process whose environment the test processes inherit.
const { statSync } = require("node:fs");
const path = require("node:path");
const { root, succeed } = require("./command");
const { foreign } = require("./environment");
const { getPulumi } = require("./pulumi");

module.exports = async () => {
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
  await Promise.all([getPulumi(), buildParser()]);
};

/** Builds the sandbox's parser, the only source that is generated and not committed, unless it is newer than its grammar. */
async function buildParser() {
  const folder = path.join(root, "sandbox/scheduler/filter");
  const changedAt = (/** @type {string} */ file) => statSync(path.join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedAt("parser.js") > changedAt("grammar.peggy")) return;
  const peggy = path.join(root, "node_modules/peggy/bin/peggy.js");
  await succeed(process.execPath, [peggy, "--format", "commonjs", "--output", "parser.js", "grammar.peggy"], { cwd: folder });
}
