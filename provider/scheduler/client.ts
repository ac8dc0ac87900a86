import type { Input } from "@pulumi/pulumi/output";
import { defineSystem, dialectInput } from "../connection";
import { invalidInput, StewardError } from "../contract/errors";
import { bool, connectionInput, nonEmptyStr, valueAt } from "../contract/inputs";
import { Operation, Words } from "../contract/operation";
import { ApiRequest, Request, Response, send } from "../http";
import { invalidResponse } from "../http/failure";
import type { Dialect, SchedulerServer, Server } from "../program/provider";
import { isObject, parseLossless } from "../text/json";

/** Options of every function: the server. */
export interface ServerOptions {
  /**
   * The name of the connection in the stack's configuration, `steward:<connection>`.
   * @default "default"
   */
  connection?: string;
  /**
   * The Nomad token, such as the `secretId` of a {@link SchedulerToken}. If a preview does not know it yet, it sends nothing.
   * @default the connection's
   */
  token?: Input<string>;
  /**
   * The URL of Nomad, which requires `token`. All other settings remain those of the connection, if there is one.
   * @default the connection's
   */
  address?: Input<string>;
  /**
   * The dialect of the API.
   * @default the connection's; required without one
   */
  dialect?: Dialect;
}

/** Options of every request: the server, the namespace, the region and the consistency mode. */
export interface QueryOptions extends ServerOptions {
  /**
   * The namespace. Lists accept `*` for all namespaces that the token can read, and Nomad omits the others without an error.
   * @default the connection's, or else `default`
   */
  namespace?: string;
  /**
   * The region.
   * @default the connection's, or else the region of the agent
   */
  region?: string;
  /**
   * Allows any server to respond, even one without a leader, so the response may be stale by `page.lastContact` milliseconds.
   * @default false
   */
  stale?: boolean;
}

/** The differences between the API specification and Nomad. */
interface SchedulerDialect {
  words: Words;
  headerPrefix: string;
  /** A field of each response that is not a list. The API specification shows none. */
  fields?: { members: string; registration: string };
}

const dialects: Record<string, SchedulerDialect> = {
  standard: { words: { service: "the scheduler" }, headerPrefix: "x-scheduler" },
  hashicorp: { words: { service: "Nomad" }, headerPrefix: "x-nomad", fields: { members: "Members", registration: "EvalID" } },
};

/** The settings that only this system has. */
export type SchedulerSettings = Omit<SchedulerServer, keyof Server>;

export const { system, dialectOf } = defineSystem<SchedulerSettings, SchedulerDialect>({
  name: "scheduler",
  dialects,
  ownSettings: {
    namespace: nonEmptyStr.regex(/^[\x21-\x7e]+$/, "must be a path such as team/a").optional(),
    region: nonEmptyStr.optional(),
  },
  partition: "namespace",
  variables: [
    { dialect: "standard", prefix: "SCHEDULER", address: "SCHEDULER_ADDR", more: ["namespace", "region"] },
    { dialect: "hashicorp", prefix: "NOMAD", address: "NOMAD_ADDR", skipVerify: "NOMAD_SKIP_VERIFY", more: ["namespace", "region"] },
  ],
});

export type SchedulerOperation = Operation<SchedulerSettings>;

export const serverShape = {
  connection: connectionInput,
  token: nonEmptyStr.optional(),
  address: nonEmptyStr.optional(),
  dialect: dialectInput(dialects).optional(),
};

export const consistencyShape = {
  ...serverShape,
  namespace: nonEmptyStr.optional(),
  region: nonEmptyStr.optional(),
  stale: bool.optional(),
};

/** Rejects `*`, which is for lists: a job belongs to one namespace. */
export function assertOneNamespace({ server: { namespace, title } }: SchedulerOperation, query: QueryOptions): void {
  if ((query.namespace ?? namespace) !== "*") return;
  const reason = query.namespace ? "must be the name of one namespace" : `is required, since the ${title} sets "*"`;
  throw invalidInput([{ path: "namespace", rule: "one-namespace", reason }]);
}

/** The capabilities of requests below a namespace. All others read nodes. */
const capabilities: Record<string, string> = {
  "GET /v1/jobs": "list-jobs",
  "PUT /v1/jobs": "submit-job",
  "GET /v1/deployments": "read-job",
};

/** The ACL policy that a request needs. */
function policyFor({ method, path, query, body }: Pick<Request, "method" | "path" | "query" | "body">): string {
  const capability = capabilities[`${method} ${path}`];
  const namespace = query?.namespace ?? valueAt(body, ["Job", "Namespace"]) ?? "default";
  return capability ? `namespace "${namespace}" { capabilities = ["${capability}"] }` : 'node { policy = "read" }';
}

export type SchedulerRequest = Omit<ApiRequest, "parse">;

/** Sends a request to Nomad. A 5xx response is never retried. */
export async function call(operation: Operation, request: SchedulerRequest): Promise<Response> {
  const headers = (token?: string): ReturnType<Request["headers"]> => ({ [`${dialectOf(operation).headerPrefix}-token`]: token });
  try {
    return await send(operation, { ...request, headers, parse: parseLossless });
  } catch (error) {
    if (error instanceof StewardError && error.status === 403 && error.details.rule !== "no-token")
      throw error.with({
        hint: `The token's ACL policy must contain \`${policyFor(request)}\`. The token comes from ${operation.server.credentials.tokenSource}.`,
      });
    if (!(error instanceof StewardError) || error.status !== 500) throw error;
    // Nomad answers 500 also to invalid requests: an unknown region, a job without groups.
    throw error.with({ hint: "A retry is unlikely to help. Correct the request, or read the server's log." });
  }
}

/** `call` for a response that a program receives unchanged. Throws if it lacks the field by which it is known to be Nomad's. */
export async function callUnchanged(operation: Operation, request: SchedulerRequest, kind: "members" | "registration"): Promise<unknown> {
  const { body } = await call(operation, request);
  const field = dialectOf(operation).fields?.[kind];
  if (field && !(isObject(body) && field in body)) throw invalidResponse(request.method, request.path);
  return body;
}

export function queryOf(operation: SchedulerOperation, { namespace, region, stale }: QueryOptions): Request["query"] {
  const { server } = operation;
  // `stale` is a flag without a value.
  return { namespace: namespace ?? server.namespace, region: region ?? server.region, stale: stale ? "" : undefined };
}

/** A response header by its name without the prefix `X-Scheduler-` or `X-Nomad-`. */
export function header(operation: Operation, { headers }: Response, name: string): string | undefined {
  // A gateway may repeat a header.
  const [value] = [headers[`${dialectOf(operation).headerPrefix}-${name}`]].flat();
  return value || undefined;
}
