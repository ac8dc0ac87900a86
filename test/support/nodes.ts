import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { call, loopback, onFreePorts, startServer, unsealShares } from "../../tools/servers";
import { atEnd, temporaryFolder } from "./cleanup";
import { until } from "./until";

// Nodes of real servers with integrated storage, which stop, lose their data and restart.

export type Product = "vault" | "openbao";

/** A server that stops and starts again, with the same data folder or with another one, and as another `product` or version. */
export class Node {
  readonly address: string;
  private data = "";
  private server?: { stop(): Promise<void> };

  constructor(
    private readonly port: number,
    private readonly clusterPort: number,
    public leaders: readonly string[],
    public product: Product | "previous-openbao",
    private readonly root: string,
  ) {
    this.useEmptyFolder();
    this.address = `http://${loopback}:${port}`;
  }

  get configuration(): object {
    const cluster = `${loopback}:${this.clusterPort}`;
    const retry_join = this.leaders.length > 0 ? this.leaders.map((leader) => ({ leader_api_addr: leader })) : undefined;
    return {
      storage: { raft: { path: this.data, node_id: String(this.port), performance_multiplier: 1, retry_join } },
      listener: { tcp: { address: `${loopback}:${this.port}`, cluster_address: cluster, tls_disable: true } },
      disable_mlock: this.product === "vault" || undefined,
      api_addr: this.address,
      cluster_addr: `https://${cluster}`,
      // The tests damage the storage over it.
      raw_storage_endpoint: true,
      log_level: "warn",
    };
  }

  async start(): Promise<void> {
    const configure = (): object => this.configuration;
    this.server = await startServer(this.product, configure, async (wait) => wait(`${this.address} responds`, () => this.status()));
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
  }

  status = (): Promise<{ initialized: boolean; sealed: boolean }> => call(this.address, "GET", "sys/seal-status");

  useEmptyFolder(): void {
    this.data = mkdtempSync(join(this.root, "data-"));
  }

  /** Returns false if these shares do not unseal it. */
  async unseal(shares: readonly string[]): Promise<boolean> {
    await until(`${this.address} has keys`, async () => (await this.status()).initialized);
    const send = (key: string): Promise<unknown> => call(this.address, "PUT", "sys/unseal", { body: { key } });
    // A share that completes a wrong set is an error. A node that joins a cluster unseals later.
    for (const key of shares.slice(0, 3)) if (!(await send(key).catch(() => undefined))) return false;
    return true;
  }

  isActive = (): Promise<boolean> =>
    call(this.address, "GET", "sys/leader").then(
      (leader) => leader.is_self,
      () => false,
    );

  becomesActive = (): Promise<void> => until(`${this.address} is active`, this.isActive);

  /** Unseals it, and waits until it is a standby. */
  async joins(shares: readonly string[]): Promise<void> {
    const standby = (): Promise<boolean> => call(this.address, "GET", "sys/health?standbyok=true").then(Boolean, () => false);
    await until(`${this.address} joins the cluster`, async () => (await this.unseal(shares)) && (await standby()));
  }

  init = (): Promise<{ root_token: string; keys_base64: string[] }> => call(this.address, "PUT", "sys/init", { body: unsealShares });
}

interface Cluster {
  nodes: Node[];
  token: string;
  keys: string[];
}

/** Starts a cluster, unsealed, until the end of the suite. Any three of five keys unseal a node. */
export async function startNodes(count: number, product: Node["product"] = "vault"): Promise<Cluster> {
  const cluster = await startJoined(count, product);
  const [{ address }] = cluster.nodes as [Node];
  const configuration = (): Promise<{ data: { config: { servers: { voter: boolean }[] } } }> =>
    call(address, "GET", "sys/storage/raft/configuration", { headers: { "X-Vault-Token": cluster.token } });
  await until("each node votes", async () => {
    const { servers } = (await configuration()).data.config;
    return servers.length === count && servers.every(({ voter }) => voter);
  });
  return cluster;
}

/** Starts a cluster of three Vaults, whose new nodes do not vote yet. */
export async function startVaultCluster(): Promise<{ addresses: string[] } & Omit<Cluster, "nodes">> {
  const { nodes, ...more } = await startJoined(3, "vault");
  return { addresses: nodes.map(({ address }) => address), ...more };
}

function startJoined(count: number, product: Node["product"]): Promise<Cluster> {
  const root = temporaryFolder();
  return onFreePorts(count * 2, async (ports) => {
    const addresses = ports.slice(0, count).map((port) => `http://${loopback}:${port}`);
    const nodes = addresses.map((_, index) => new Node(ports[index] as number, ports[count + index] as number, addresses, product, root));
    atEnd(() => Promise.all(nodes.map((node) => node.stop())));
    await Promise.all(nodes.map((node) => node.start()));
    const [first, ...others] = nodes as [Node, ...Node[]];
    const { root_token: token, keys_base64: keys } = await first.init();
    await first.unseal(keys);
    await first.becomesActive();
    for (const node of others) await node.joins(keys);
    return { nodes, token, keys };
  });
}
