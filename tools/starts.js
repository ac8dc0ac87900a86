// @ts-check
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/** The variable with the path of a file that grows by one byte per start of the Pulumi command line. */
const variable = "STEWARD_STARTS";

/** Starts counting, in this process and in those that inherit its environment. */
function countStarts() {
  process.env[variable] = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "steward-starts-")), "starts");
  fs.writeFileSync(process.env[variable], "");
}

/** Counts a start of the Pulumi command line. */
function noteStart() {
  const file = process.env[variable];
  if (file) fs.appendFileSync(file, ".");
}

/** Stops counting and returns the number of starts. */
function countedStarts() {
  const file = process.env[variable] ?? "";
  const { size } = fs.statSync(file);
  fs.rmSync(path.dirname(file), { recursive: true });
  return size;
}

module.exports = { countStarts, noteStart, countedStarts };
