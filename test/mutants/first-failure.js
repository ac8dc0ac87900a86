// @ts-check
const { writeFileSync } = require("node:fs");

// Ends jest with the first test that fails. `--bail` would finish the suite that it is in.
module.exports = class FirstFailure {
  /**
   * @param {{ path: string }} test
   * @param {{ status: string, fullName: string }} result
   */
  onTestCaseResult({ path }, { status, fullName }) {
    if (status !== "failed") return;
    writeFileSync(/** @type {string} */ (process.env.FIRST_FAILURE), JSON.stringify({ file: path, title: fullName }));
    process.exit(1);
  }
};
