// @ts-check
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/** Names the file that grows by a byte with each start of the Pulumi command line, in whichever process of a test run that happens. */
const variable = "STEWARD_STARTS";

/** From now on the starts are counted, in this process and in those that inherit its environment. */
function countStarts() {
  process.env[variable] = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "steward-starts-")), "starts");
}

/** The Pulumi command line is started. */
function noteStart() {
  const file = process.env[variable];
  if (file) fs.appendFileSync(file, ".");
}

/** How many starts there were; the counting ends. */
function countedStarts() {
  const file = process.env[variable];
  if (!file) return 0;
  const count = fs.existsSync(file) ? fs.statSync(file).size : 0;
  fs.rmSync(path.dirname(file), { recursive: true });
  delete process.env[variable];
  return count;
}

module.exports = { countStarts, noteStart, countedStarts };
