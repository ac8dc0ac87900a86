// @ts-check
const Sequencer = require("@jest/test-sequencer").default;

/** @type {RegExp[]} */
const order = JSON.parse(process.env.SUITES_IN_ORDER ?? "[]").map((/** @type {string} */ suite) => new RegExp(suite));

// Runs the suites in the order in which they are named: the quick ones, which notice the most, come first.
module.exports = class InOrder extends Sequencer {
  /**
   * @override
   * @param {import("@jest/test-result").Test[]} tests
   */
  sort(tests) {
    const rank = (/** @type {string} */ file) => order.findIndex((suite) => suite.test(file));
    return [...tests].sort((a, b) => rank(a.path) - rank(b.path));
  }
};
