import { StewardError } from "../contract/errors";
import { essentialNames, parseId, placeholdersIn } from "../contract/fields";
import { pathOf, unstorablePath } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { isStringList } from "../text/json";
import { Resource } from "./context";
import { failure } from "./failure";
import { storedName } from "./hidden";
import { defined, Properties } from "./properties";
import { withFormer } from "./state";

// The checks of a state that an earlier run recorded, and of one to record.

/** The fields that are lists of names. */
const lists = ["declared", "managed"];

/** The state, with fields that it lacks taken from the id. Fails if an operation on it would act on the wrong object, or on none. */
export function wholeState(resource: Resource, verb: string, id: string, state: Properties): Properties {
  const { definition } = resource;
  const complete = defined(state);
  // Any other value would be part of a path: `role/null`.
  const absent = placeholdersIn(definition.id).filter((field) => typeof complete[field] !== "string" || complete[field] === "");
  const fromId: Properties = (absent.length > 0 && parseId(definition, id)) || {};
  for (const field of absent) complete[field] = fromId[field];
  const all = withFormer(complete);
  const isMissing = (field: string): boolean => (lists.includes(field) ? !isStringList(all[field]) : all[field] === undefined);
  const missing = essentialNames(definition).filter(isMissing);
  if (missing.length === 0) return complete;
  const error = new StewardError({
    code: "ERR_INVALID_INPUT",
    rule: "damaged-state",
    reason: `the state was damaged or edited: it lacks ${missing.map((field) => storedName(definition.fields, field)).join(", ")}`,
    hint: "Remove the resource with `pulumi state delete <URN>` and adopt the object again, or restore an earlier state with `pulumi stack import`. Do neither for a rekey, nor restore a state from before one: see docs/rekey/recovery.md#recover-by-hand in the package.",
  });
  throw failure(resource, verb, complete, error);
}

/** Throws if the connection now points to a server that the resource was not written to. */
export function assertSameServer(operation: Operation, state: Properties): void {
  if (state.server === undefined || state.server === operation.server.id || operation.server.allowAddressChange) return;
  throw new StewardError({
    code: "ERR_SERVER_MISMATCH",
    reason: `it was written to ${state.server}, but the ${operation.server.title} points to ${operation.server.id}; nothing was sent`,
    hint: `Correct the address. If it is a new address of the same installation, set allowAddressChange: true next to the address in ${operation.server.place} for one \`pulumi up\`.`,
  });
}

/** Throws if Pulumi cannot store a value of the server, which would block every command without a name. */
export function assertStorable(object: Properties): void {
  const path = unstorablePath(object);
  if (!path) return;
  throw new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule: "unstorable",
    reason: `Pulumi cannot store the value of ${pathOf(path)} on the server`,
    hint: "Find out who wrote it, and change it on the server.",
  });
}
