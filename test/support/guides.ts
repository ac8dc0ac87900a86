import { Sandbox } from "../../sandbox/index";
import { getNomad, startNomad, startVault } from "../../tools/servers";
import { call } from "./call";
import { packed } from "./installation";
import { Reader } from "./reader";
import { startSandbox } from "./sandbox";

// The readers of the guides, with a real Vault, a real Nomad if one is installed, and the sandbox for the platform.

export const imports =
  'import * as pulumi from "@pulumi/pulumi";\nimport { platform, secrets } from "pulumi-steward";\nconst config = new pulumi.Config();\n';

interface Start {
  /** The values of this reader for further placeholders, all of which the page must have. */
  own?: Record<string, string>;
  /** False if the page begins without a project. */
  hasProject?: boolean;
}

export class Guides {
  vault!: Awaited<ReturnType<typeof startVault>>;
  nomad!: Awaited<ReturnType<typeof startNomad>>;
  sandbox!: Sandbox;

  constructor(private readonly tarballs?: ReturnType<typeof packed>) {
    beforeAll(async () => {
      [this.vault, this.sandbox] = await Promise.all([startVault(), startSandbox()]);
      const { url: address, token } = this.sandbox.scheduler;
      this.nomad = getNomad() ? await startNomad() : { address, token, stop: async () => {} };
    });
    afterAll(() => Promise.all([this.vault.stop(), this.nomad.stop()]));
  }

  onVault(method: string, path: string, body?: object): ReturnType<typeof call> {
    return call({ url: this.vault.address, token: this.vault.token }, method, `/v1/${path}`, body);
  }

  onNomad(token: string, method: string, path: string, body?: object): ReturnType<typeof call> {
    return call({ url: this.nomad.address, token }, method, `/v1/${path}`, body);
  }

  /** Creates a policy of Nomad that allows reads. */
  async policy(name: string): Promise<void> {
    if (!getNomad()) return this.sandbox.scheduler.seed({ policies: [{ name, namespaces: { "*": "read" } }] });
    const policy = { Name: name, Rules: 'namespace "*" { policy = "read" }' };
    expect((await this.onNomad(this.nomad.token, "PUT", `acl/policy/${name}`, policy)).status).toBe(200);
  }

  /** A role of the real Vault. */
  async role(name: string): Promise<{ policies: string[] } | undefined> {
    return (await this.onVault("GET", `nomad/role/${name}`)).json?.data;
  }

  /** Tests that a reader can follow a page, or the section of a page with an anchor, to its last block. */
  test(page: string, { own, hasProject = true }: Start, follow: (reader: Reader) => Promise<void>): void {
    test(page, async () => {
      const reader = await this.open(page, own);
      if (hasProject) await this.connect(reader);
      await follow(reader);
      reader.finish();
    });
  }

  /** Starts a reader who has no project yet. Vault has a new engine. */
  async open(page: string, own: Record<string, string> = {}): Promise<Reader> {
    await this.onVault("PUT", "sys/leases/revoke-force/nomad");
    await this.onVault("DELETE", "sys/mounts/nomad");
    expect((await this.onVault("POST", "sys/mounts/nomad", { type: "nomad" })).status).toBe(204);
    await this.sandbox.reset();
    const tarballs = this.tarballs && {
      "../pulumi-steward/pulumi-steward-0.1.0.tgz": this.tarballs().provider,
      "../pulumi-steward/pulumi-steward-sandbox-0.1.0.tgz": this.tarballs().sandbox,
    };
    return new Reader(page, own, {
      ...tarballs,
      "https://vault.example.com:8200": this.vault.address,
      "https://vault-1.example.com:8200": this.vault.address,
      "https://vault.oslo.example.com:8200": this.sandbox.secrets.url,
      "https://nomad.example.com:4646": this.nomad.address,
      "https://tfe.example.com": this.sandbox.platform.url,
    });
  }

  /** Gives the reader a project that connects to the real Vault and to the sandbox's platform. */
  async connect(reader: Reader): Promise<void> {
    const dialect = "hashicorp";
    await reader.with({ VAULT_TOKEN: this.vault.token, TFE_TOKEN: this.sandbox.platform.token }).project("dev", {
      "steward:default": {
        secrets: { address: this.vault.address, dialect, tokenEnv: "VAULT_TOKEN" },
        platform: { address: this.sandbox.platform.url, dialect, tokenEnv: "TFE_TOKEN" },
      },
    });
  }
}

/** Deploys one of the reader's own programs. */
export async function deploy(reader: Reader, resources: string): Promise<void> {
  reader.write("index.ts", `${imports}${resources}`);
  await reader.run("pulumi up");
}
