/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Types are checked by `npm run check`, once, for everything.
  transform: {
    "^.+\\.ts$": [
      "ts-jest",
      { diagnostics: false, isolatedModules: true, tsconfig: { module: "commonjs", target: "es2022", esModuleInterop: true } },
    ],
  },
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
  globalSetup: "<rootDir>/tools/jest-setup.js",
  testTimeout: 120_000,
};
