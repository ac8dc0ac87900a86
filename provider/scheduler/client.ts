import { z } from "zod";
import { Connection, defineSystem, System } from "../connection";
import { invalidInput, StewardError } from "../errors";
import { unexpectedResponse } from "../failure";
import { Request, Response, send } from "../http";
import { bool, connectionInput, nonEmptyStr, rule } from "../inputs";
import { parseLossless } from "../json";

/** Which server answers, about what, and how fresh the answer is. */
export interface QueryOptions {
  /**
   * Which connection of the stack's configuration, `steward:<connection>`, names the server.
   * @default "default"
   */
  connection?: string;
  /**
   * `*` for all namespaces, where something is listed.
   * @default the connection's, and without one the scheduler's `default`
   */
  namespace?: string;
  /** @default the connection's, and without one that of the agent that answers */
  region?: string;
  /**
   * Any server may answer, even one that has no leader. The answer may be old: `page.lastContact` says how old.
   * @default false
   */
  stale?: boolean;
}

/** What differs between the API document and the real product. */
interface SchedulerDialect {
  /** What its headers begin with. */
  headers: string;
}

const dialects: Record<string, SchedulerDialect> = {
  standard: { headers: "x-scheduler" },
  hashicorp: { headers: "x-nomad" },
};

/** The settings of this system alone. @internal */
export interface SchedulerSettings {
  namespace?: string;
  region?: string;
}

/** @internal */
export const system: System<SchedulerSettings> = defineSystem({
  name: "scheduler",
  dialects,
  own: {
    namespace: nonEmptyStr.regex(/^[\x21-\x7e]+$/, "must be a path such as team/a").optional(),
    region: nonEmptyStr.optional(),
  },
  partition: "namespace",
  variables: [
    { dialect: "standard", prefix: "SCHEDULER", address: "SCHEDULER_ADDR", more: ["namespace", "region"] },
    { dialect: "hashicorp", prefix: "NOMAD", address: "NOMAD_ADDR", skipVerify: "NOMAD_SKIP_VERIFY", more: ["namespace", "region"] },
  ],
});

/** @internal */
export type SchedulerConnection = Connection & SchedulerSettings;

/** `connect` accepts only the dialects of the table. @internal */
export const dialectOf = ({ dialect }: Connection): SchedulerDialect => dialects[dialect] as SchedulerDialect;

/** For what is about one job. @internal */
export const oneNamespace: z.ZodType<string | undefined> = nonEmptyStr
  .refine((namespace) => namespace !== "*", rule("one-namespace", "must be the name of one namespace"))
  .optional();
/** @internal */
export const consistencyShape = {
  connection: connectionInput,
  namespace: nonEmptyStr.optional(),
  region: nonEmptyStr.optional(),
  stale: bool.optional(),
};

/** A connection may list all namespaces; a job lives in one. @internal */
export function assertOneNamespace({ namespace, title }: SchedulerConnection, query: QueryOptions): void {
  if ((query.namespace ?? namespace) === "*")
    throw invalidInput([{ path: "namespace", rule: "needed", reason: `must be given, since the ${title} names all namespaces` }]);
}

/** Sends one request to the scheduler. What it answers with 5xx is never sent again. @internal */
export async function call(connection: Connection, request: Omit<Request, "headers" | "parse">): Promise<Response> {
  const headers = (token?: string): Record<string, string> => (token ? { [`${dialectOf(connection).headers}-token`]: token } : {});
  try {
    return await send(connection, { ...request, headers, parse: parseLossless });
  } catch (error) {
    if (!(error instanceof StewardError) || (error.status ?? 0) < 500) throw error;
    // The real product answers 500 also to what is wrong with the request: an unknown region, a job without groups.
    throw error.with({ hint: "Sending it again is not expected to help: correct what the reason names, or see the server's log." });
  }
}

/** @internal */
export function queryOf(connection: SchedulerConnection, { namespace, region, stale }: QueryOptions): Record<string, string> {
  const chosen = { namespace: namespace ?? connection.namespace, region: region ?? connection.region };
  return {
    ...(chosen.namespace ? { namespace: chosen.namespace } : {}),
    ...(chosen.region ? { region: chosen.region } : {}),
    // A flag: that it is there says it.
    ...(stale ? { stale: "" } : {}),
  };
}

/** A header of the answer, by what follows `X-Scheduler-` or `X-Nomad-`. @internal */
export function header(connection: Connection, { headers }: Response, name: string): string | undefined {
  const value = headers[`${dialectOf(connection).headers}-${name}`];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @internal */
export const unexpectedAnswer = (method: string, path: string, reason = "the server's answer is not that of the scheduler"): StewardError =>
  unexpectedResponse(method, path, reason, "Check the connection's address, and what stands between.");
