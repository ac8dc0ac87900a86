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

const rekey = "sys/rekey/";
const rotation = "sys/rotate/root/";
const swap = (method: string, path: string, [from, to]: [string, string], [verb, other]: [string, string]): [string, string] =>
  path.includes(from) ? [method === verb ? other : method, path.replace(from, to)] : [method, path];

const dataOf = (json: unknown): Record<string, unknown> | undefined => (json as { data?: Record<string, unknown> } | undefined)?.data;

const openbao: Wire = {
  sent: (method, path) => swap(method, path, [rekey, rotation], ["PUT", "POST"]),
  named: (method, path) => swap(method, path, [rotation, rekey], ["POST", "PUT"]),
  fields: (json) => (dataOf(json) ?? json ?? {}) as Record<string, unknown>,
  // An error response has no data.
  wrapped: (fields, json) => (dataOf(json) ? { ...(json as object), data: fields } : fields),
};

export const wireOf = (dialect: RekeyDialect): Wire => (dialect === "openbao" ? openbao : asDocumented);

/** The variables of a holder's environment that name a service. */
export function variablesFor(dialect: RekeyDialect, { url, token }: { url: string; token: string }): Record<string, string> {
  const prefix = { standard: "SECRETS", hashicorp: "VAULT", openbao: "BAO" }[dialect];
  return { [`${prefix}_ADDR`]: url, [`${prefix}_TOKEN`]: token };
}
