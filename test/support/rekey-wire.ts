// Tests name the requests of a rekey as the API document does, `PUT /v1/sys/rekey/init`, and see its fields: here is what each dialect makes of that.

/** The dialects of a rekey. */
export const rekeyDialects = ["standard", "hashicorp", "openbao"] as const;
export type RekeyDialect = (typeof rekeyDialects)[number];

/** A request, and a response, in the names of the tests. */
export interface Wire {
  /** As the service is sent it. */
  sent(method: string, path: string): [method: string, path: string];
  /** As tests name it. */
  named(method: string, path: string): [method: string, path: string];
  /** The fields of a response. */
  fields(json: unknown): Record<string, unknown>;
  /** These fields as the service sends them, in place of those of a response. */
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
  // An error has no data.
  wrapped: (fields, json) => (dataOf(json) ? { data: fields } : fields),
};

export const wireOf = (dialect: RekeyDialect): Wire => (dialect === "openbao" ? openbao : asDocumented);

/** The variables that name a service, in the environment of a holder. */
export function variablesFor(dialect: RekeyDialect, { url, token }: { url: string; token: string }): Record<string, string> {
  const prefix = { standard: "SECRETS", hashicorp: "VAULT", openbao: "BAO" }[dialect];
  return { [`${prefix}_ADDR`]: url, [`${prefix}_TOKEN`]: token };
}
