import { Hono } from "hono";
import { Block, fields as block, secret } from "../../view";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { text, whole } from "../fields";
import { Mount } from "../records";
import { AppEnv, data, done, errors, missing } from "../response";

export const below = "engine";

export const exists = ({ access }: Mount, path: string): boolean | undefined =>
  path === "config/access" ? access !== undefined : undefined;

export const view = ({ path, access }: Mount): Block[] => [
  block(
    `${path}config/access`,
    access && {
      address: access.address,
      token: secret(access.token),
      "max token name length": String(access.maxTokenNameLength),
      "CA certificate": access.caCert,
      "client certificate": access.clientCert,
      "client key": secret(access.clientKey),
    },
  ),
];

export const secrets = ({ access }: Mount): string[] => (access ? [access.token, access.clientKey] : []);

export const paths = (dialect: Dialect): Described[] => [
  {
    path: "config/access",
    description: "Configure how the engine reaches the scheduler",
    undescribed: true,
    create: true,
    operations: {
      get: { summary: "Read the access configuration, without its secrets.", id: "read-access-configuration" },
      post: { summary: "Write the access configuration.", id: "configure-access" },
      ...(dialect.deletesAccess && { delete: { summary: "Delete the access configuration.", id: "delete-access-configuration" } }),
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/engine/config/access";

  app.get(path, (c) => (c.var.mount.access ? data(c, dialect.access(c.var.mount.access), dialect.engine) : missing(c)));

  app.on(dialect.writes, path, (c) => {
    const { fields, mount } = c.var;
    const before = mount.access;
    const access = {
      address: text(fields, "address") ?? before?.address ?? "",
      token: text(fields, "token") ?? before?.token ?? "",
      caCert: text(fields, "ca_cert") ?? before?.caCert ?? "",
      clientCert: text(fields, "client_cert") ?? before?.clientCert ?? "",
      clientKey: text(fields, "client_key") ?? before?.clientKey ?? "",
      // The only field that a write without it resets.
      maxTokenNameLength: whole(fields, "max_token_name_length") ?? 0,
    };
    // Without a token, Vault bootstraps the scheduler's ACLs. Those of the sandbox are bootstrapped already.
    if (!access.token && dialect.bootstraps) return errors(c, 400, "Token not provided and failed to bootstrap ACLs");
    if (dialect.pairsCertificates && !access.clientCert !== !access.clientKey)
      return errors(c, 400, "client_cert and client_key must be set together");
    mount.access = access;
    return done(c);
  });

  if (dialect.deletesAccess) {
    app.delete(path, (c) => {
      c.var.mount.access = undefined;
      return done(c);
    });
  }
}
