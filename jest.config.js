const { availableParallelism } = require("node:os");

/**
 * The slow suites. A change other than to Pulumi, the packaging, the examples or the stand-in breaks a quicker suite, too, or one in another dialect.
 * `TESTS=all npm test` and `npm test -- <path>` run them.
 */
const slow = [
  "end-to-end/[^/]+",
  "end-to-end/secrets/rekey-(holders|kills)",
  "troubles/faults/(matrix|native)-(standard|openbao)",
  "troubles/rekey/faults-(hashicorp|openbao)",
  "model/model",
  "package",
  "executable",
];

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Types are checked by `npm run check`, once, for everything.
  transform: { "^.+\\.ts$": "<rootDir>/tools/typescript.js" },
  testPathIgnorePatterns: [
    "/node_modules/",
    // These need a real Vault: `TESTS=real npm test` starts it.
    ...(process.env.REAL_VAULT_ADDRESS ? [] : ["<rootDir>/test/real/"]),
    // And this one a real OpenBao, which not every platform has.
    ...(process.env.REAL_OPENBAO_ADDRESS ? [] : ["<rootDir>/test/real/rekey-upgrade.test.ts"]),
    // And these a real Nomad, which you have to install.
    ...(process.env.REAL_NOMAD_ADDRESS ? [] : ["<rootDir>/test/real/nomad/"]),
    // `TESTS=real npm test` runs these on real servers, which proves more.
    ...(process.env.TESTS === "all" ? ["<rootDir>/test/end-to-end/secrets/"] : []),
    ...(process.env.TESTS === "quick" ? slow.map((suite) => `<rootDir>/test/${suite}.test.ts`) : []),
    // Pairs of Node and SDK, and TypeScript 6: `TESTS=night npm test -- test/installations`.
    ...(process.env.TESTS === "night" ? [] : ["<rootDir>/test/installations.test.ts"]),
  ],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/sandbox/dist/"],
  globalSetup: "<rootDir>/tools/jest-setup.js",
  testSequencer: "<rootDir>/tools/jest-order.js",
  // One more than the cores, since tests also wait for servers, timers and new processes.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 600_000,
};
