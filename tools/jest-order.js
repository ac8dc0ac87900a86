// @ts-check
const { default: Sequencer } = require("@jest/test-sequencer");

/** The longest suites, longest first: one that begins last would run alone. */
const slowest = ["end-to-end/", "package.test", "demo.test", "command/", "faults/", "histories/", "torture/", "fuzz/", "sandbox/page"];

/** @param {string} file */
const rank = (file) => {
  const index = slowest.findIndex((part) => file.includes(`/test/${part}`));
  return index < 0 ? slowest.length : index;
};

/** On a fresh clone jest has no times of an earlier run, after which it orders otherwise. */
module.exports = class extends Sequencer {
  /**
   * @override
   * @param {import("@jest/test-result").Test[]} tests
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.some(({ duration }) => duration) ? sorted : sorted.sort((a, b) => rank(a.path) - rank(b.path));
  }
};
