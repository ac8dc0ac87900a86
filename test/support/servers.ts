import { randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, loopback, onFreePorts, startSealed, startServer, startVault, unsealShares } from "../../tools/servers";

// Real servers that only suites of rekeys need: with other seals, with a tenant, and as a cluster.

const recoveryShares = { recovery_shares: 5, recovery_threshold: 3 };

type Vault = Awaited<ReturnType<typeof startVault>>;

/** Starts a Vault that is initialized and unsealed by a `transit` seal. A second Vault has the seal's key, and stops with the first one. */
export async function startVaultWithTransitSeal(): Promise<Vault> {
  const { stop, address, token } = await startVault();
  const headers = { "X-Vault-Token": token };
  try {
    await call(address, "POST", "sys/mounts/transit", { headers, body: { type: "transit" } });
    await call(address, "POST", "transit/keys/unseal", { headers });
    const transit = { address, token, disable_renewal: "true", key_name: "unseal", mount_path: "transit/" };
    const server = await onFreePorts(2, (ports) => startSealed("vault", ports, () => ({ transit }), recoveryShares));
    return { ...server, stop: () => server.stop().then(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts an OpenBao that is initialized and unsealed by a `static` seal. */
export const startOpenBaoWithStaticSeal = ({ recoveryShares: count = 5 }: { recoveryShares?: 5 | 0 } = {}): Promise<Vault> => {
  const seal = (folder: string): object => {
    const file = join(folder, "seal.key");
    writeFileSync(file, randomBytes(32), { mode: 0o600 });
    return { static: { current_key_id: "first", current_key: `file://${file}` } };
  };
  return onFreePorts(2, (ports) => startSealed("openbao", ports, seal, count === 0 ? {} : recoveryShares));
};

/**
 * Creates a namespace with a Shamir seal of its own on an OpenBao, and unseals it. Returns its five unseal keys (base64), three of which unseal it.
 */
export async function createTenant({ address, token }: Vault, name: string): Promise<string[]> {
  const headers = { "X-Vault-Token": token };
  const route = `sys/namespaces/${name}`;
  const body = { seal: 'seal "shamir" {\n  shares = 5\n  threshold = 3\n}' };
  const { data } = (await call(address, "POST", route, { headers, body })) as { data: { key_shares: string[] } };
  for (const key of data.key_shares.slice(0, 3)) await call(address, "POST", `${route}/unseal`, { headers, body: { key } });
  return data.key_shares.map((share) => Buffer.from(share, "hex").toString("base64"));
}

interface Cluster {
  addresses: string[];
  token: string;
  keys: string[];
  stop(): Promise<void>;
}

/** Starts a cluster of three Vaults with integrated storage, unsealed. Any three of five keys unseal a node. */
export const startVaultCluster = (): Promise<Cluster> =>
  onFreePorts(6, async (ports) => {
    const nodes = [0, 2, 4].map((first) => ({ address: `http://${loopback}:${ports[first]}`, cluster: `${loopback}:${ports[first + 1]}` }));
    const addresses = nodes.map(({ address }) => address);
    const servers = await Promise.all(
      nodes.map(({ address, cluster }) => {
        const configure = (folder: string): object => ({
          storage: {
            raft: {
              path: mkdtempSync(join(folder, "raft-")),
              node_id: cluster,
              performance_multiplier: 1,
              retry_join: addresses.map((leader) => ({ leader_api_addr: leader })),
            },
          },
          listener: { tcp: { address: address.replace("http://", ""), cluster_address: cluster, tls_disable: true } },
          disable_mlock: true,
          api_addr: address,
          cluster_addr: `https://${cluster}`,
          log_level: "warn",
        });
        return startServer("vault", configure, async (until) => {
          await until(`Vault at ${address} responds`, () => call(address, "GET", "sys/seal-status"));
          return { address, until };
        });
      }),
    );
    const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())));
    try {
      const { root_token: token, keys_base64: keys } = await call(addresses[0] as string, "PUT", "sys/init", { body: unsealShares });
      for (const { address, until } of servers)
        await until(`Vault at ${address} is a node of the cluster`, async () => {
          for (const key of keys.slice(0, 3)) await call(address, "PUT", "sys/unseal", { body: { key } });
          await call(address, "GET", "sys/health?standbyok=true");
        });
      return { addresses, token, keys, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  });
