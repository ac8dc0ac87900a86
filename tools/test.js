// @ts-check
const path = require("node:path");
const { run, root, say } = require("./command");
const { cleanEnvironment } = require("./environment");
const { getBrowser } = require("./browser");
const { getPulumi } = require("./pulumi");
const { getNomad, getOpenBao, getVault, startNomad, startOpenBao, startVault } = require("./servers");

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

/** The suites that run both on the sandbox and on real servers, and those that need real servers. Those of `nomadSuites` need a real Nomad. */
const realSuites = [
  "test/provider/secrets",
  "test/command/(backup|drill|invite|rekey|root|shapes)",
  "test/end-to-end/secrets",
  "test/sandbox/secrets/(rekey(-pgp)?|vault-2|creds|leases).test",
  "test/end-to-end/stories/secrets",
  "test/real",
];
const nomadSuites = ["test/provider/scheduler/contract"];

/** The sandbox's Nomad, for a real Vault. @returns {ReturnType<typeof startNomad>} */
async function startSandboxNomad() {
  const { start } = require(path.join(root, "sandbox"));
  const { scheduler, close } = await start({ dialect: "hashicorp" });
  return { address: scheduler.url, token: scheduler.token, stop: close };
}

/**
 * Runs the suites for real servers on a real Vault, and those of rekeys on a real OpenBao, too. Behind Vault is a real Nomad, if there is one.
 * @param {string[]} args
 */
async function testReal(args) {
  await getPulumi();
  const hasOpenBao = (await getOpenBao()) !== undefined;
  if (!hasOpenBao) say(`Skips the suites on OpenBao, which has no package for ${process.platform} on ${process.arch}.`);
  const hasNomad = getNomad() !== undefined;
  if (!hasNomad)
    say("Skips the suites on Nomad, which is neither on the PATH nor in NOMAD_BINARY. The sandbox's Nomad is behind the real Vault.");
  const plugin = process.env.OPENBAO_NOMAD_PLUGIN;
  if (hasOpenBao && !plugin) say("Skips the suites of the Nomad secrets engine on OpenBao: OPENBAO_NOMAD_PLUGIN does not name its plugin.");
  await getVault();
  const starting = [startVault(), hasNomad ? startNomad() : startSandboxNomad(), ...(hasOpenBao ? [startOpenBao(plugin)] : [])];
  try {
    const [vault, scheduler, openBao] = await Promise.all(starting);
    const servers = { VAULT: vault, SCHEDULER: scheduler, NOMAD: hasNomad ? scheduler : undefined, OPENBAO: openBao };
    // `cleanEnvironment` removes the usual names of these variables, but not these.
    const variables = Object.entries(servers).flatMap(([name, server]) => [
      [`REAL_${name}_ADDRESS`, server?.address],
      [`REAL_${name}_TOKEN`, server?.token],
    ]);
    const env = { ...cleanEnvironment(), ...Object.fromEntries(variables) };
    const suites = [...realSuites, ...(hasNomad ? nomadSuites : [])];
    return await run(process.execPath, [jest, ...(args.length > 0 ? args : suites)], { env });
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
