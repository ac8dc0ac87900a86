// @ts-check
const { default: Sequencer } = require("@jest/test-sequencer");

/** The suites that take longest, some of them in files of a few lines. A slow suite that starts last would run alone. */
const slow = /test.(troubles|end-to-end|real|secrecy|command.drill|demo|model)/;

/** Starts the slow suites first, and each part in jest's order, which knows the durations of an earlier run. */
module.exports = class extends Sequencer {
  /**
   * @override
   * @param {import("@jest/test-result").Test[]} tests
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted.filter(({ path }) => slow.test(path)), ...sorted.filter(({ path }) => !slow.test(path))];
  }
};
