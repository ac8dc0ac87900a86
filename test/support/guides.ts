import { Sandbox } from "../../sandbox/index";
import { startNomad, startVault } from "../../tools/servers";
import { call } from "./call";
import { Reader } from "./reader";
import { startSandbox } from "./sandbox";

// The readers of the guides, with a real Vault, a real Nomad, and the sandbox for the platform.

export const imports =
  'import * as pulumi from "@pulumi/pulumi";\nimport { platform, secrets } from "pulumi-steward";\nconst config = new pulumi.Config();\n';

export class Guides {
  vault!: Awaited<ReturnType<typeof startVault>>;
  nomad!: Awaited<ReturnType<typeof startNomad>>;
  sandbox!: Sandbox;

  constructor() {
    beforeAll(async () => {
      [this.vault, this.nomad, this.sandbox] = await Promise.all([startVault(), startNomad(), startSandbox()]);
    });
    afterAll(() => Promise.all([this.vault.stop(), this.nomad.stop()]));
  }

  onVault(method: string, path: string, body?: object): ReturnType<typeof call> {
    return call({ url: this.vault.address, token: this.vault.token }, method, `/v1/${path}`, body);
  }

  onNomad(token: string, method: string, path: string, body?: object): ReturnType<typeof call> {
    return call({ url: this.nomad.address, token }, method, `/v1/${path}`, body);
  }

  /** A role of the real Vault. */
  async role(name: string): Promise<{ policies: string[] } | undefined> {
    return (await this.onVault("GET", `nomad/role/${name}`)).json?.data;
  }

  /** Starts a reader who has no project yet. Vault has a new engine. */
  async open(page: string, own: Record<string, string> = {}): Promise<Reader> {
    await this.onVault("PUT", "sys/leases/revoke-force/nomad");
    await this.onVault("DELETE", "sys/mounts/nomad");
    expect((await this.onVault("POST", "sys/mounts/nomad", { type: "nomad" })).status).toBe(204);
    await this.sandbox.reset();
    return new Reader(page, own);
  }

  /** Starts a reader with a project that connects to the real Vault and to the sandbox's platform. */
  async follow(page: string, own: Record<string, string> = {}): Promise<Reader> {
    const reader = (await this.open(page, own)).with({ VAULT_TOKEN: this.vault.token, TFE_TOKEN: this.sandbox.platform.token });
    const dialect = "hashicorp";
    await reader.project("dev", {
      "steward:default": {
        secrets: { address: this.vault.address, dialect, tokenEnv: "VAULT_TOKEN" },
        platform: { address: this.sandbox.platform.url, dialect, tokenEnv: "TFE_TOKEN" },
      },
    });
    return reader;
  }
}

/** Deploys one of the reader's own programs. */
export async function deploy(reader: Reader, resources: string): Promise<void> {
  reader.write("index.ts", `${imports}${resources}`);
  await reader.run("pulumi up");
}
