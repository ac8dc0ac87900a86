// @ts-check
const path = require("node:path");
const { root, say } = require("./command");

const listed = 10;

/** Prints the costs of a test run at its end. */
module.exports = class {
  /**
   * @param {unknown} _
   * @param {import("@jest/reporters").AggregatedResult} results
   */
  onRunComplete(_, { testResults }) {
    const suites = testResults.map(({ testFilePath, perfStats }) => ({ file: path.relative(root, testFilePath), time: perfStats.runtime }));
    suites.sort((a, b) => b.time - a.time);
    say("\nThe slowest suites, in seconds:");
    for (const { file, time } of suites.slice(0, listed)) say(`${(time / 1000).toFixed(1).padStart(7)}  ${file}`);
  }
};
