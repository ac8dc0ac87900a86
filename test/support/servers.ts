import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, onFreePorts, startSealed, startVault } from "../../tools/servers";

// Real servers that only suites of rekeys need: with other seals, and with a tenant.

const recoveryShares = { recovery_shares: 5, recovery_threshold: 3 };
const ofCount = { 5: recoveryShares, 1: { recovery_shares: 1, recovery_threshold: 1 }, 0: {} };

type Vault = Awaited<ReturnType<typeof startVault>>;

/** Starts a Vault that is initialized and unsealed by a `transit` seal. A second Vault has the seal's key, and stops with the first one. */
export async function startVaultWithTransitSeal(): Promise<Vault> {
  const { stop, address, token } = await startVault();
  const headers = { "X-Vault-Token": token };
  try {
    await call(address, "POST", "sys/mounts/transit", { headers, body: { type: "transit" } });
    await call(address, "POST", "transit/keys/unseal", { headers });
    const transit = { address, token, disable_renewal: "true", key_name: "unseal", mount_path: "transit/" };
    const server = await onFreePorts(2, (ports) => startSealed("vault", ports, () => ({ seal: { transit } }), recoveryShares));
    return { ...server, stop: () => server.stop().then(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts an OpenBao that is initialized and unsealed by a `static` seal. */
export const startOpenBaoWithStaticSeal = ({ recoveryShares: count = 5 }: { recoveryShares?: 5 | 1 | 0 } = {}): Promise<Vault> => {
  const configuration = (folder: string): object => {
    const file = join(folder, "seal.key");
    writeFileSync(file, randomBytes(32), { mode: 0o600 });
    return { seal: { static: { current_key_id: "first", current_key: `file://${file}` } } };
  };
  return onFreePorts(2, (ports) => startSealed("openbao", ports, configuration, ofCount[count]));
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
