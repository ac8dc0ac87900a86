// @ts-check
const { default: Sequencer } = require("@jest/test-sequencer");

/** The slowest suites, slowest first: a slow suite that starts last would run alone. */
const slowest = [
  "real/",
  "end-to-end/",
  "package.test",
  "demo.test",
  "command/",
  "faults/",
  "troubles/",
  "chaos/",
  "fuzz/",
  "sandbox/page",
];

/** @param {string} file */
const rank = (file) => {
  const index = slowest.findIndex((part) => file.includes(`/test/${part}`));
  return index < 0 ? slowest.length : index;
};

module.exports = class extends Sequencer {
  /**
   * Sorts by rank, then as jest does: by the duration in an earlier run.
   * @override
   * @param {import("@jest/test-result").Test[]} tests
   */
  async sort(tests) {
    return (await super.sort(tests)).sort((a, b) => rank(a.path) - rank(b.path));
  }
};
