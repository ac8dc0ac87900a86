const { availableParallelism } = require("node:os");

/**
 * Only a change of Pulumi, of the packaging or of the stand-in breaks these alone: `TESTS=all npm test` runs them, and a path by itself does.
 */
const slow = [
  "end-to-end/(component|discover|engine|import|languages|native|native-runs|options|provider|rename|runs)",
  "package",
  "executable",
];

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Types are checked by `npm run check`, once, for everything.
  transform: {
    "^.+\\.ts$": [
      "ts-jest",
      { diagnostics: false, tsconfig: { module: "commonjs", target: "es2022", esModuleInterop: true, isolatedModules: true } },
    ],
  },
  testPathIgnorePatterns: [
    "/node_modules/",
    // These need a real Vault and a real Nomad: `npm run test:real` starts them.
    ...(process.env.REAL_VAULT_ADDRESS ? [] : ["<rootDir>/test/real/"]),
    ...(process.env.TESTS === "quick" ? slow.map((suite) => `<rootDir>/test/${suite}.test.ts`) : []),
    // Every Node and SDK: `npm run chaos -- matrix`.
    ...(process.env.INSTALLATIONS === "all" ? [] : ["<rootDir>/test/installations.test.ts"]),
  ],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/sandbox/dist/"],
  globalSetup: "<rootDir>/tools/jest-setup.js",
  testSequencer: "<rootDir>/tools/jest-order.js",
  reporters: ["default", "<rootDir>/tools/jest-costs.js"],
  // A part of the time goes into waiting for servers, timers and the start of processes.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 600_000,
};
