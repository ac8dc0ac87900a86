import { Input, secret } from "@pulumi/pulumi/output";
import { ProviderResource, ResourceOptions } from "@pulumi/pulumi/resource";
import { StewardError } from "../contract/errors";
import { SecretReference } from "../contract/inputs";
import { usesPlugin } from "./mechanism";
import { packageVersion } from "./version";

/** The API dialect, which is "hashicorp" for Vault, Terraform Enterprise and Nomad, and "standard" for servers of the generic API. */
export type Dialect = "standard" | "hashicorp";

/** The API dialect of Vault or OpenBao. Use "openbao" for OpenBao 2.4 or later, which differs from "hashicorp" in its rekeys and in the names of roles. */
export type SecretsDialect = Dialect | "openbao";

/** The address and the credentials of a server, with the same settings as in the configuration. */
export interface Server {
  /** The URL of the server, such as `https://vault.example.com:8200`. */
  address: string;
  /** The token itself. Prefer `tokenEnv` or `tokenFile`, and set only one of the three. */
  token?: string;
  /** The name of the environment variable with the token. */
  tokenEnv?: string;
  /** The path of the file with the token, relative to the program's folder. */
  tokenFile?: string;
  /** The CA certificate of the server, as PEM or as the path of a file. */
  caCert?: string;
  /** The client certificate, as PEM or as the path of a file. It requires `clientKey`. */
  clientCert?: string;
  /** The private key of `clientCert`, as PEM or as the path of a file. */
  clientKey?: string;
  /**
   * The host name in the certificate of the server, such as `server.global.nomad`.
   * @default the host of the address
   */
  tlsServerName?: string;
  /** The dialect of the API. */
  dialect: Dialect;
  /**
   * Accepts this address for resources that were written to a different address of the same installation.
   * @default false
   */
  allowAddressChange?: boolean;
  /**
   * True if a preview may read existing objects.
   * @default true if the variable `STEWARD_PREVIEW_READS` is set, or else false
   */
  previewReads?: boolean;
}

/** A login, with which the provider gets a token of its own. */
export interface Login {
  /** The path of the login below `/v1`, such as `auth/jwt/login` or `auth/userpass/login/ci`. */
  path: string;
  /** The fields of the request, as strings or by reference: `{ role: "ci", jwt: { env: "ID_TOKEN" } }`. */
  body?: Record<string, string | SecretReference>;
}

/** The server of Vault or OpenBao. */
export interface SecretsServer extends Omit<Server, "dialect"> {
  /** The dialect of the API. */
  dialect: SecretsDialect;
  /** A login instead of a token. It requires neither `token` nor `tokenEnv` nor `tokenFile`. */
  login?: Login;
  /** The namespace of all requests. */
  namespace?: string;
  /**
   * The mount path of the Nomad secrets engine.
   * @default `"nomad"`, and `"scheduler"` in the dialect "standard"
   */
  mount?: string;
}

/** The server of Nomad. */
export interface SchedulerServer extends Server {
  /** The default namespace of requests. */
  namespace?: string;
  /** The default region of requests. */
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
 * An explicit provider, whose servers replace the connection `default` for its resources. It requires the native plugin.
 *
 * ```ts
 * import { Provider, secrets } from "pulumi-steward";
 *
 * const production = new Provider("production", { secrets: { address: "https://vault.example.com:8200", tokenEnv: "VAULT_TOKEN", dialect: "hashicorp" } });
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"] }, { provider: production });
 * ```
 *
 * The constructor throws `ERR_INVALID_INPUT` in a stack that does not use the plugin, because dynamic resources would ignore the provider.
 */
export class Provider extends ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: ResourceOptions) {
    if (!usesPlugin())
      throw new StewardError({
        code: "ERR_INVALID_INPUT",
        operation: `Cannot declare provider "${name}"`,
        rule: "native-only",
        reason: "dynamic resources would ignore it and use the connection of the configuration",
        hint: "Run `pulumi config set steward:native true`, or set `connection` in each resource.",
      });
    const servers = Object.fromEntries(Object.entries(args).map(([system, server]) => [system, secret(server)]));
    super("steward", name, servers, { version: packageVersion(), ...opts });
  }
}
