// @ts-check
// Starts a real Vault and a real Nomad for test suites and benchmarks.
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { cached } = require("./cache");
const { Problem, capture, findOnPath } = require("./command");
const { cleanEnvironment } = require("./environment");
const { goBuild } = require("./go");

const deadline = 60_000;
const loopback = "127.0.0.1";
/** The versions, which are also in tools/go/<name>/go.mod. */
const products = {
  vault: { version: "1.21.1", minutes: "8 minutes" },
  nomad: { version: "1.11.0", minutes: "3 minutes" },
};

/**
 * @typedef {{ address: string, token: string, stop: () => Promise<void> }} Server
 * @typedef {Server & { keys: string[] }} Vault `keys`: its five unseal keys (base64), three of which unseal it.
 */

/**
 * The program of a server: the one on PATH if it has exactly this version, or else one in the cache, built with Go.
 * @param {"vault" | "nomad"} name
 * @returns {Promise<string>}
 */
async function getServer(name) {
  const { version, minutes } = products[name];
  const own = findOnPath(name);
  if (own && (await capture(own, ["version"])).output.includes(` v${version}`)) return own;
  const folder = await cached(`${name}-${version}-${process.platform}-${process.arch}`, (folder) =>
    goBuild(name, { output: path.join(folder, name), minutes }),
  );
  return path.join(folder, name);
}

/**
 * Starts a Vault that is initialized and unsealed, with a Nomad secrets engine at `nomad` and at `team/scheduler`.
 * @returns {Promise<Vault>}
 */
const startVault = () => onFreePorts(1, vaultOn);

/**
 * @param {number[]} ports
 * @returns {Promise<Vault>}
 */
async function vaultOn([port]) {
  const address = `http://${loopback}:${port}`;
  const { stop, folder, log } = await startServer("vault", () => ({
    storage: { inmem: {} },
    listener: { tcp: { address: `${loopback}:${port}`, tls_disable: true } },
    disable_mlock: true,
    api_addr: address,
    log_level: "warn",
  }));
  return orStop(stop, log, async () => {
    await until(`Vault at ${address} responds`, folder, () => call(address, "GET", "sys/init"));
    const shares = { secret_shares: 5, secret_threshold: 3 };
    const { root_token: token, keys_base64: keys } = await call(address, "PUT", "sys/init", { body: shares });
    for (const key of keys.slice(0, 3)) await call(address, "PUT", "sys/unseal", { body: { key } });
    await until(`Vault at ${address} is active`, folder, () => call(address, "GET", "sys/health"));
    const headers = { "X-Vault-Token": token };
    for (const mount of ["nomad", "team/scheduler"])
      await call(address, "POST", `sys/mounts/${mount}`, { headers, body: { type: "nomad" } });
    return { address, token, keys, stop };
  });
}

/**
 * Starts a cluster of three Vaults with integrated storage, unsealed. Any three of five keys unseal a node.
 * @returns {Promise<{ addresses: string[], token: string, keys: string[], stop: () => Promise<void> }>}
 */
const startVaultCluster = () => onFreePorts(6, vaultsOn);

/** @param {number[]} ports */
async function vaultsOn(ports) {
  const nodes = [0, 2, 4].map((first) => ({ address: `http://${loopback}:${ports[first]}`, cluster: `${loopback}:${ports[first + 1]}` }));
  const servers = await Promise.all(
    nodes.map(({ address, cluster }) =>
      startServer("vault", (folder) => ({
        storage: {
          raft: {
            path: fs.mkdtempSync(path.join(folder, "raft-")),
            node_id: cluster,
            performance_multiplier: 1,
            retry_join: nodes.map((node) => ({ leader_api_addr: node.address })),
          },
        },
        listener: { tcp: { address: address.replace("http://", ""), cluster_address: cluster, tls_disable: true } },
        disable_mlock: true,
        api_addr: address,
        cluster_addr: `https://${cluster}`,
        log_level: "warn",
      })),
    ),
  );
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  const [{ folder, log }] = /** @type {[typeof servers[0]]} */ (servers);
  return orStop(stop, log, async () => {
    const addresses = nodes.map(({ address }) => address);
    const [first] = /** @type {[string]} */ (addresses);
    for (const address of addresses) await until(`Vault at ${address} responds`, folder, () => call(address, "GET", "sys/seal-status"));
    const shares = { secret_shares: 5, secret_threshold: 3 };
    const { root_token: token, keys_base64: keys } = await call(first, "PUT", "sys/init", { body: shares });
    for (const address of addresses)
      await until(`Vault at ${address} is a node of the cluster`, folder, async () => {
        for (const key of keys.slice(0, 3)) await call(address, "PUT", "sys/unseal", { body: { key } });
        await call(address, "GET", "sys/health?standbyok=true");
      });
    return { addresses, token, keys, stop };
  });
}

/**
 * Starts a Nomad with ACLs and one client, whose `mock_driver` simulates tasks.
 * @returns {Promise<Server>}
 */
const startNomad = () => onFreePorts(3, nomadOn);

/**
 * @param {number[]} ports
 * @returns {Promise<Server>}
 */
async function nomadOn([http, rpc, serf]) {
  const address = `http://${loopback}:${http}`;
  const { stop, folder, log } = await startServer("nomad", (folder) => ({
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
  }));
  return orStop(stop, log, async () => {
    const { SecretID: token } = await until(`Nomad at ${address} has a leader`, folder, () => call(address, "POST", "acl/bootstrap"));
    const headers = { "X-Nomad-Token": token };
    await until(`Nomad's client at ${address} is ready`, folder, async () => {
      const [node] = await call(address, "GET", "nodes", { headers });
      if (node?.Status !== "ready") throw new Error("no node is ready");
    });
    return { address, token, stop };
  });
}

/**
 * @param {"vault" | "nomad"} name
 * @param {(folder: string) => object} configure
 * @returns {Promise<{ folder: string, log: string, stop: () => Promise<void> }>}
 */
async function startServer(name, configure) {
  const program = await getServer(name);
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), `steward-${name}-`));
  const configuration = path.join(folder, "configuration.json");
  const log = path.join(folder, "log");
  fs.writeFileSync(configuration, JSON.stringify(configure(folder)));
  const args = name === "vault" ? ["server", `-config=${configuration}`] : ["agent", `-config=${configuration}`];
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
  return { folder, log, stop };
}

/**
 * @template T
 * @param {() => Promise<void>} stop
 * @param {string} log
 * @param {() => Promise<T>} prepare
 */
async function orStop(stop, log, prepare) {
  try {
    return await prepare();
  } catch (error) {
    const lines = fs.readFileSync(log, "utf8").trim().split("\n").slice(-5);
    await stop();
    throw new Problem(`${/** @type {Error} */ (error).message} The last log lines of the server:\n${lines.join("\n")}`);
  }
}

/**
 * @template T
 * @param {string} what
 * @param {string} folder The folder of the server.
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
async function until(what, folder, attempt) {
  const end = Date.now() + deadline;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const hasEnded = fs.existsSync(path.join(folder, "ended"));
      if (hasEnded || Date.now() > end)
        throw new Error(`${hasEnded ? "The server exited" : "Timed out"} before ${what}: ${/** @type {Error} */ (error).message}.`);
      await sleep(50);
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
      if (!(error instanceof Problem && error.message.includes("address already in use"))) throw error;
    }
  }
}

/**
 * @param {number} count
 * @returns {Promise<number[]>}
 */
async function freePorts(count) {
  const listeners = await Promise.all(
    Array.from({ length: count }, async () => {
      const listener = net.createServer();
      await new Promise((resolve) => listener.listen(0, loopback, () => resolve(undefined)));
      return listener;
    }),
  );
  const ports = listeners.map((listener) => /** @type {net.AddressInfo} */ (listener.address()).port);
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  return ports;
}

module.exports = { getServer, startVault, startVaultCluster, startNomad };
