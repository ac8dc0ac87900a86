// Tests name requests and fields of a rekey as the API document does, such as `PUT /v1/sys/rekey/init`. This file maps them to each dialect.

export const rekeyDialects = ["standard", "hashicorp", "openbao"] as const;
export type RekeyDialect = (typeof rekeyDialects)[number];

/** Maps requests and responses to the names in tests. */
export interface Wire {
  /** Maps a request in a test to the one that is sent. */
  sent(method: string, path: string): [method: string, path: string];
  /** Maps a request that was sent to its name in tests. */
  named(method: string, path: string): [method: string, path: string];
  fields(json: unknown): Record<string, unknown>;
  /** The response with these fields instead of its own. */
  wrapped(fields: object, json: unknown): object;
}

const asDocumented: Wire = {
  sent: (method, path) => [method, path],
  named: (method, path) => [method, path],
  fields: (json) => (json ?? {}) as Record<string, unknown>,
  wrapped: (fields) => fields,
};

/** Maps documented paths to others, and the method that writes to them to another one. */
const mapped = (pairs: readonly (readonly [documented: string, own: string])[], verb: string): Pick<Wire, "sent" | "named"> => ({
  sent(method, path) {
    const pair = pairs.find(([documented]) => path.includes(documented));
    return pair ? [method === "PUT" ? verb : method, path.replace(pair[0], pair[1])] : [method, path];
  },
  named(method, path) {
    const pair = pairs.find(([, own]) => path.includes(own));
    return pair ? [method === verb ? "PUT" : method, path.replace(pair[1], pair[0])] : [method, path];
  },
});
const rekeyAt = (own: string, ownBackup: string) => [["sys/rekey/backup", ownBackup] as const, ["sys/rekey/", own] as const];

const dataOf = (json: unknown): Record<string, unknown> | undefined => (json as { data?: Record<string, unknown> } | undefined)?.data;

const openbao = (path: string): Wire => ({
  ...mapped([...rekeyAt(path, `${path}backup`), ["sys/generate-root/", "sys/generate-root-token/"]], "POST"),
  fields: (json) => (dataOf(json) ?? json ?? {}) as Record<string, unknown>,
  // An error response has no data.
  wrapped: (fields, json) => (dataOf(json) ? { ...(json as object), data: fields } : fields),
});

export type Keys = "unseal" | "recovery";

export function wireOf(dialect: RekeyDialect, keys: Keys = "unseal"): Wire {
  if (dialect === "openbao") return openbao(keys === "recovery" ? "sys/rotate/recovery/" : "sys/rotate/root/");
  return keys === "recovery"
    ? { ...asDocumented, ...mapped(rekeyAt("sys/rekey-recovery-key/", "sys/rekey/recovery-key-backup"), "PUT") }
    : asDocumented;
}

/** The variables of a holder's environment that name a service. */
export function variablesFor(dialect: RekeyDialect, { url, token }: { url: string; token: string }): Record<string, string> {
  const prefix = { standard: "SECRETS", hashicorp: "VAULT", openbao: "BAO" }[dialect];
  return { [`${prefix}_ADDR`]: url, [`${prefix}_TOKEN`]: token };
}
