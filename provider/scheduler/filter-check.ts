import { StewardError } from "../errors";
import { rule } from "../inputs";

/** What can be listed, and watched. @internal */
export type Collection = "jobs" | "deployments" | "nodes";

/**
 * Fields that are neither text nor list nor map: asked whether one is empty, the real product breaks the connection, and would again.
 * Nomad 1.11; what a field is does not change between releases.
 */
const neverEmpty: Record<Collection, readonly string[]> = {
  jobs: [
    ...["Stop", "AllAtOnce", "Stable", "Dispatched"],
    ...["Priority", "Version", "SubmitTime", "CreateIndex", "ModifyIndex", "JobModifyIndex"],
    ...["Periodic", "ParameterizedJob", "Multiregion", "Update", "UI", "VersionTag"],
  ],
  deployments: [
    ...["IsMultiregion", "JobVersion", "JobModifyIndex", "JobSpecModifyIndex", "JobCreateIndex"],
    ...["EvalPriority", "CreateIndex", "ModifyIndex", "CreateTime", "ModifyTime"],
  ],
  nodes: [
    ...["TLSEnabled", "NodeResources", "ReservedResources", "DrainStrategy", "LastDrain"],
    ...["StatusUpdatedAt", "LastMissedHeartbeatIndex", "LastAllocUpdateIndex", "CreateIndex", "ModifyIndex"],
  ],
};

/** Fields of the stubs that the full record has under another name. */
const inFullRecord: Record<Collection, Record<string, string>> = {
  jobs: {},
  deployments: {},
  nodes: { Address: "HTTPAddr", Version: 'Attributes["nomad.version"]', Drain: "DrainStrategy" },
};

/** The expression without what its literals hold: `Name == ""`. */
const withoutLiterals = (filter: string): string => filter.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/`[^`]*`/g, '""');

const emptiness = /(?<![\w.\]])([A-Za-z]\w*(?:\.\w+|\[""\])*)\s+is\s+(?:not\s+)?empty\b/g;

/** Why the server must not be asked; undefined when it may. @internal */
export function objection(filter: string, collection: Collection): ReturnType<typeof rule> | undefined {
  if (filter.trim() === "") return rule("empty", "must not be empty");
  const wrong = [...withoutLiterals(filter).matchAll(emptiness)].map(([, field = ""]) => field);
  const field = wrong.find((each) => neverEmpty[collection].includes(each));
  if (field === undefined) return undefined;
  return rule(
    "never-empty",
    `asks whether ${field} is empty, which is neither a string, a list nor a map; compare it with a value instead`,
  );
}

/** Whether the real product may break the connection because of it, so that it is not sent twice. @internal */
export const asksForEmptiness = (filter: string): boolean => withoutLiterals(filter).search(emptiness) >= 0;

/** The same error, with what a filter may have to do with it. @internal */
export function explainFilter(error: unknown, filter: string, collection: Collection): unknown {
  if (!(error instanceof StewardError)) return error;
  const shown = `The filter was: ${filter}`;
  if (error.code === "ERR_NO_RESPONSE" && asksForEmptiness(filter))
    return error.with({
      hint: `The real product breaks the connection when a filter asks whether a number, a bool or an object is empty. ${shown}`,
    });
  if (error.status !== 400) return error;
  const [, unknown = ""] = /error finding value in datum: \/([^/\s]+)/.exec(error.details.reason) ?? [];
  const full = inFullRecord[collection][unknown];
  const hint = full
    ? ` There \`${unknown}\` is \`${full}\`.`
    : collection === "nodes" && unknown === ""
      ? " The `Address` of a node is `HTTPAddr` there."
      : "";
  const record = unknown || /datum/.test(error.details.reason) ? `A filter sees the full record, not the stub that is listed.${hint} ` : "";
  return error.with({ hint: `${record}${shown}` });
}
