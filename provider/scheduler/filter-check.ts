import { StewardError } from "../errors";

/** The collections to list and to watch. */
export type Collection = "jobs" | "deployments" | "nodes";

/** The fields of a node that have another name in the full record than in the stub. */
const fullNames: Record<string, string> = { Address: "HTTPAddr", Version: 'Attributes["nomad.version"]', Drain: "DrainStrategy" };

/** The expression with empty literals: `Name == ""`. */
const withoutLiterals = (filter: string): string => filter.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/`[^`]*`/g, '""');

const emptiness = /(?<![\w.\]])([A-Za-z]\w*(?:\.\w+|\[""\])*)\s+is\s+(?:not\s+)?empty\b/g;

/** True if Nomad may close the connection because of the filter, so that the request must not be retried. */
export const asksForEmptiness = (filter: string): boolean => withoutLiterals(filter).search(emptiness) >= 0;

/** The error with a hint about the filter. */
export function explainFilter(error: unknown, filter: string, collection: Collection): unknown {
  if (!(error instanceof StewardError)) return error;
  const quoted = `The filter was: ${filter}`;
  if (error.code === "ERR_NO_RESPONSE" && asksForEmptiness(filter))
    return error.with({
      hint: `Nomad closes the connection when a filter tests a number, a bool or an object for emptiness. ${quoted}`,
    });
  if (error.status !== 400) return error;
  const [, unknown = ""] = /error finding value in datum: \/([^/\s]+)/.exec(error.details.reason) ?? [];
  const full = collection === "nodes" ? fullNames[unknown] : undefined;
  const hint = full
    ? ` Replace \`${unknown}\` with \`${full}\`.`
    : collection === "nodes" && unknown === ""
      ? " Replace the `Address` of a node with `HTTPAddr`."
      : "";
  const record =
    unknown || /datum/.test(error.details.reason) ? `A filter applies to the full record, not to the stub in the list.${hint} ` : "";
  return error.with({ hint: `${record}${quoted}` });
}
