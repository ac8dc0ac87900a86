import { Input, secret } from "@pulumi/pulumi/output";
import { ProviderResource, ResourceOptions } from "@pulumi/pulumi/resource";
import { usesPlugin } from "./adapters/mechanism";
import { StewardError } from "./errors";
import { packageVersion } from "./version";

/** "hashicorp": the real products. "standard": a server that follows the API document as written. */
export type Dialect = "standard" | "hashicorp";

/** "openbao": OpenBao 2.4 or later, whose rekey has another path; all else is as in "hashicorp". */
export type SecretsDialect = Dialect | "openbao";

/** The address and the credentials of a server. Each field means the same as in the configuration. */
export interface Server {
  /** Its URL: `https://vault.example.com:8200`. */
  address: string;
  /** The token itself. Best by reference instead: at most one of the three. */
  token?: string;
  /** The variable of the environment that holds the token, where `pulumi` runs. */
  tokenEnv?: string;
  /** The file that holds the token, relative to the program's folder. */
  tokenFile?: string;
  /** The certificate authority of the server, as PEM or the path of a file. */
  caCert?: string;
  /** The client's own certificate, as PEM or the path of a file; with `clientKey`. */
  clientCert?: string;
  /** The key of that certificate, as PEM or the path of a file. */
  clientKey?: string;
  /**
   * The dialect of its API.
   * @default "standard"
   */
  dialect?: Dialect;
  /**
   * Let resources that were written to another address be managed at this one, which is the same installation.
   * @default false
   */
  allowAddressChange?: boolean;
  /**
   * Let a preview read what a creation would find.
   * @default false
   */
  previewReads?: boolean;
}

/** A server of secrets. */
export interface SecretsServer extends Omit<Server, "dialect"> {
  /**
   * The dialect of its API, and of its rekey.
   * @default "standard"
   */
  dialect?: SecretsDialect;
  /** The namespace of all requests. */
  namespace?: string;
  /**
   * Where the scheduler engine is mounted.
   * @default "scheduler", and "nomad" in the dialects hashicorp and openbao
   */
  mount?: string;
}

/** A scheduler. */
export interface SchedulerServer extends Server {
  /** The namespace of requests that name none. */
  namespace?: string;
  /** The region of requests that name none. */
  region?: string;
}

/** Arguments of {@link Provider}. */
export interface ProviderArgs {
  /** The server of the resources in `secrets`. */
  secrets?: Input<SecretsServer>;
  /** The server of the resources in `platform`. */
  platform?: Input<Server>;
  /** The server of the functions in `scheduler`. */
  scheduler?: Input<SchedulerServer>;
}

/**
 * The servers of the resources that are given this provider, in the place of the connection `default`. It needs the native plugin.
 *
 * ```ts
 * import { Provider, secrets } from "pulumi-steward";
 *
 * const production = new Provider("production", { secrets: { address: "https://vault.example.com:8200", tokenEnv: "VAULT_TOKEN", dialect: "hashicorp" } });
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] }, { provider: production });
 * ```
 *
 * Throws `ERR_INVALID_INPUT` in a stack that does not use the plugin: dynamic resources would ignore it.
 */
export class Provider extends ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: ResourceOptions) {
    if (!usesPlugin())
      throw new StewardError({
        code: "ERR_INVALID_INPUT",
        operation: `Cannot declare provider "${name}"`,
        rule: "native-only",
        reason: "dynamic resources would ignore it and use the connection of the configuration",
        hint: "Run `pulumi config set steward:native true`, or name a connection in each resource.",
      });
    const servers = Object.fromEntries(Object.entries(args).map(([system, server]) => [system, secret(server)]));
    super("steward", name, servers, { version: packageVersion(), ...opts });
  }
}
