// @ts-check
const path = require("node:path");
const { run, root, say } = require("./command");
const { cleanEnvironment } = require("./environment");
const { getBrowser } = require("./browser");
const { getPulumi } = require("./pulumi");
const { getOpenBao, startNomad, startOpenBao, startVault } = require("./servers");

const jest = path.join(root, "node_modules/jest/bin/jest.js");

/** Runs the suites of `TESTS`: quick, all or real. @param {string[]} args */
async function test(args) {
  if (process.env.TESTS === "real") return testReal(args);
  await getPulumi();
  // With selected suites, the suite that needs a browser gets it.
  if (args.length === 0) await getBrowser();
  const TESTS = process.env.TESTS ?? (args.length === 0 ? "quick" : "");
  return run(process.execPath, [jest, ...args], { env: { ...cleanEnvironment(), TESTS } });
}

/** The suites that run both on the sandbox and on real servers, and those that need real servers. */
const realSuites = [
  "test/provider/secrets",
  "test/command/(rekey|stack|drill)",
  "test/end-to-end/secrets",
  "test/sandbox/secrets/(rekey(-pgp)?|rotation|creds|leases).test",
  "test/provider/scheduler/contract",
  "test/stories/(secrets|scheduler)",
  "test/real",
];

/**
 * Runs the suites for real servers on a real Vault and a real Nomad, and those of rekeys on a real OpenBao, too.
 * @param {string[]} args
 */
async function testReal(args) {
  await getPulumi();
  const hasOpenBao = (await getOpenBao()) !== undefined;
  if (!hasOpenBao) say(`Skips the suites on OpenBao, which has no package for ${process.platform} on ${process.arch}.`);
  /** @type {{ stop: () => Promise<void> }[]} */
  const servers = [];
  /** @template {{ stop: () => Promise<void> }} T @param {Promise<T>} starting */
  const started = async (starting) => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    const vault = await started(startVault());
    const nomad = await started(startNomad());
    const openBao = hasOpenBao ? await started(startOpenBao()) : undefined;
    const env = {
      ...cleanEnvironment(),
      TESTS: "",
      // `cleanEnvironment` removes the usual names of these variables, but not these.
      REAL_VAULT_ADDRESS: vault.address,
      REAL_VAULT_TOKEN: vault.token,
      REAL_NOMAD_ADDRESS: nomad.address,
      REAL_NOMAD_TOKEN: nomad.token,
      ...(openBao && { REAL_OPENBAO_ADDRESS: openBao.address, REAL_OPENBAO_TOKEN: openBao.token }),
    };
    return await run(process.execPath, [jest, ...(args.length > 0 ? args : realSuites)], { env });
  } finally {
    for (const server of servers.reverse()) await server.stop();
  }
}

/**
 * Runs a TypeScript program of this repository.
 * @param {string} file
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
async function program(file, args, env = {}) {
  await getPulumi();
  const hook = path.join(__dirname, "typescript.js");
  return run(process.execPath, ["--require", hook, path.join(root, file), ...args], { env: { ...cleanEnvironment(), ...env } });
}

/** @param {string[]} args */
const bench = (args) => program("bench/run.ts", args);
/** With TESTS=real, each story has its own real server. @param {string[]} args */
const chaos = async (args) => {
  const servers =
    process.env.TESTS === "real" ? { REAL_VAULT_ADDRESS: "own", ...((await getOpenBao()) && { REAL_OPENBAO_ADDRESS: "own" }) } : {};
  return program("test/chaos/run.ts", args, servers);
};
/** @param {string[]} args */
const mutants = (args) => program("test/mutants/run.ts", args);
/** @param {string[]} args */
const pictures = (args) => program("tools/pictures/index.ts", args);

module.exports = { test, bench, chaos, mutants, pictures };
