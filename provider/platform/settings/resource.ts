import { z } from "zod";
import { unordered } from "../../comparison";
import { Operation } from "../../connection";
import { cached } from "../../connection/cache";
import {
  CreateRequest,
  Definition,
  DeleteRequest,
  ExistingObject,
  Fields,
  OutcomeUnknown,
  ReadRequest,
  UpdateRequest,
} from "../../definition";
import { invalidInput, PartialState, StewardError } from "../../errors";
import { connectionField, strList } from "../../inputs";
import { adoptExisting } from "../../lifecycle/adoption";
import { otherManagerOf, removeObject } from "../../lifecycle/ownership";
import { adminPath, system } from "../client";
import { fetchSettings, patchSettings } from "./document";
import { afterFailure, writeWasApplied } from "./failure";
import {
  declaredIn,
  differing,
  extraFindings,
  flat,
  isExtraWriteOnly,
  missingExtraFailures,
  missingExtras,
  pick,
  requestOnly,
  SettingsInputs,
  SettingsKind,
  SettingsKindOf,
  SettingsState,
  storedValues,
  Values,
  writeOnly,
} from "./kind";
import { notesOf, originalsOf, Plan, PriorState, planOf, refusals, restoration } from "./plan";
import { Managed, recognized, StoredState, serverNormalizations, stateOf } from "./state";

// The life cycle that all kinds of settings share: read, patch, restore.

/** A definition whose `find` returns the values on the server. */
export interface SettingsDefinition<Inputs, State> extends Definition<Inputs, State, State & StoredState, Values> {}

type Last = SettingsState & StoredState & OutcomeUnknown;

/** Makes the definition of one kind of settings. */
export function settings<Inputs extends SettingsInputs, State extends SettingsState>(
  typed: SettingsKindOf<Inputs, State>,
): SettingsDefinition<Inputs, State> {
  const kind = typed as unknown as SettingsKind;
  // `SettingsKind` has no type parameters, so the operations are typed here.
  const operations = operationsOf(kind) as unknown as Pick<
    SettingsDefinition<Inputs, State>,
    "planNotes" | "read" | "imported" | "find" | "create" | "update" | "delete" | "discover"
  >;
  return {
    system,
    token: `platform:${typed.type}`,
    displayName: typed.displayName,
    name: typed.id,
    id: typed.id,
    readById: true,
    fields: { ...typed.attributes, ...sharedFields } as unknown as Fields<Inputs, State, State & StoredState>,
    rules: [
      ...(typed.rules ?? []),
      { fields: ["extra", "extraWriteOnly"], check: (inputs, operation) => extraFindings(kind, operation, inputs) },
    ],
    deleteBeforeReplace: true,
    objects: { fields: [], paths: () => [objectOf(kind)] },
    ...operations,
  };
}

const sharedFields: Fields<SettingsInputs, SettingsState, SettingsState & StoredState> = {
  onDelete: { input: z.enum(["restore", "retain"], 'must be "restore" or "retain"'), stored: true },
  extra: { input: z.record(z.string(), z.unknown(), "must be an object"), output: true, perKey: true },
  extraWriteOnly: { input: strList, stored: true, compare: unordered, secretKeysOf: "extra" },
  managed: { output: true, essential: true },
  originalValues: { stored: true, essential: true, secretOutput: true },
  serverNormalized: { stored: true, secretOutput: true },
  sent: { stored: true, secretOutput: true },
  connection: connectionField,
};

const objectOf = ({ id }: SettingsKind): string => adminPath(`${id}-settings`);

const operationsOf = (
  kind: SettingsKind,
): Pick<
  Definition<SettingsInputs, SettingsState, Last, Values>,
  "planNotes" | "read" | "imported" | "find" | "create" | "update" | "delete" | "discover"
> => ({
  planNotes: ({ inputs, last }) => (last ? notesOf(kind, inputs, last) : []),
  read: (request) => read(kind, request),
  imported: (state) => ({ ...state, originalValues: originalsOf(kind, storedValues(kind, state)) }),
  find: (request) => find(kind, request),
  create: (request) => create(kind, request),
  update: (request) => update(kind, request),
  delete: (request) => remove(kind, request),
  discover: ({ operation, attempt }) =>
    attempt(kind.id, async () => [{ state: await read(kind, { operation, state: {} as Last, declared: [] }) }]),
});

async function read(kind: SettingsKind, { operation, state }: ReadRequest<Last>): Promise<Last> {
  const now = await fetchSettings(kind, operation);
  const fresh: Last = stateOf(kind, now, storedValues(kind, state), state);
  return state.outcomeUnknown && writeWasApplied(kind, state, now) ? { ...fresh, outcomeUnknown: undefined, sent: undefined } : fresh;
}

const unmanaged = (current: Values): PriorState => ({ current, managed: [], originalValues: {}, serverNormalized: {}, isFirst: true });

/** Settings always exist, so a create adopts them. */
const find = async (
  kind: SettingsKind,
  { operation, inputs }: { operation: Operation; inputs: SettingsInputs },
): Promise<ExistingObject<Values>> => existingSettings(kind, operation, inputs, unmanaged(await fetchSettings(kind, operation)));

/** The attributes that a write takes over, because the program did not declare them before. */
function existingSettings(kind: SettingsKind, operation: Operation, inputs: SettingsInputs, prior: PriorState): ExistingObject<Values> {
  const { current, managed } = prior;
  const plan = planOf(kind, inputs, prior);
  const names = Object.keys(plan.changes).filter((name) => name in plan.declared && !managed.includes(name));
  const isHidden = (name: string): boolean => writeOnly(kind).includes(name) || isExtraWriteOnly(kind, name, inputs);
  return {
    state: current,
    differences: names
      .filter((name) => !isHidden(name))
      .map((path) => ({ path, from: current[path] ?? undefined, to: plan.changes[path] })),
    unreadable: names.filter(isHidden),
    refusal: refusalOf(kind, operation, inputs, current, plan),
  };
}

const create = (kind: SettingsKind, { operation, inputs, existing }: CreateRequest<SettingsInputs, Values>): Promise<Last> =>
  write(kind, operation, inputs, unmanaged(existing?.state as Values));

async function update(kind: SettingsKind, { operation, inputs, last }: UpdateRequest<SettingsInputs, Last>): Promise<Last> {
  const hasNewAttributes = Object.keys(declaredIn(kind, inputs)).some((name) => !last.managed.includes(name));
  let current = storedValues(kind, last);
  const seen = pick(
    current,
    Object.keys(current).filter((name) => !isExtraWriteOnly(kind, name, last)),
  );
  if (hasNewAttributes || last.outcomeUnknown || missingExtras(kind, declaredIn(kind, inputs), seen, inputs).length > 0) {
    // Read the original value of a new attribute from the server: the state may be outdated.
    const now = await fetchSettings(kind, operation);
    if (last.outcomeUnknown && !writeWasApplied(kind, last, now))
      for (const name of [...writeOnly(kind), ...requestOnly(kind)]) delete current[name];
    for (const name of missingExtras(kind, current, now, inputs)) delete current[name];
    current = { ...current, ...recognized(kind, now, current, last.serverNormalized) };
  }
  const prior = { ...last, current, isFirst: false };
  adoptExisting(operation, undefined, existingSettings(kind, operation, inputs, prior));
  return write(kind, operation, inputs, prior);
}

/** Applies the plan and returns the new state. Sends a request only if needed. */
async function write(kind: SettingsKind, operation: Operation, inputs: SettingsInputs, prior: PriorState): Promise<Last> {
  const plan = planOf(kind, inputs, prior);
  const { declared, managed, changes } = plan;
  const requestOnlyValues = pick(flat(inputs, requestOnly(kind)), requestOnly(kind));
  const isSent = Object.keys({ ...changes, ...differing(kind, requestOnlyValues, prior.current) }).length > 0;
  let returned: Values = {};
  try {
    if (isSent) returned = await patchSettings(kind, operation, { ...changes, ...requestOnlyValues });
  } catch (error) {
    throw await afterFailure(kind, operation, error, prior, plan);
  }
  warnOfLost(operation, kind, plan.lost, plan.after.enabled);
  const expected = { ...prior.current, ...declared };
  const normalized = serverNormalizations(kind, returned, pick(changes, managed), expected);
  if (Object.keys(normalized).length > 0)
    warn(operation, kind, `the server stored a different value for ${Object.keys(normalized).join(", ")}`);
  const notReturned = missingExtras(kind, pick(changes, managed), returned, inputs);
  const state: Last = stateOf(kind, writtenValues(prior, plan, returned, notReturned), expected, {
    ...plan,
    serverNormalized: { ...unwritten(prior, plan), ...normalized },
  });
  if (notReturned.length === 0) return state;
  throw new PartialState(state, {
    rule: "unknown-attribute",
    reason: `the platform does not return ${notReturned.join(", ")} after the write`,
    hint: "All other attributes were stored. Correct the name, or add a write-only attribute to extraWriteOnly.",
  });
}

/** The values on the server after a write, as far as they are known. */
function writtenValues(
  { current, managed: before, originalValues }: PriorState,
  { managed, changes }: Plan,
  returned: Values,
  notReturned: string[],
): Values {
  const released = before.filter((name) => !managed.includes(name) && !originalValues[name]);
  const values = { ...current, ...changes, ...returned };
  for (const name of [...released.filter((name) => !(name in changes) && !(name in returned)), ...notReturned]) delete values[name];
  return values;
}

const unwritten = ({ serverNormalized = {} }: PriorState, { managed, changes }: Plan): NonNullable<Managed["serverNormalized"]> =>
  pick(
    serverNormalized,
    managed.filter((name) => !(name in changes)),
  ) as NonNullable<Managed["serverNormalized"]>;

/** The error for a write that the server would reject or apply only in part. */
function refusalOf(
  kind: SettingsKind,
  operation: Operation,
  inputs: SettingsInputs,
  current: Values,
  plan: Plan,
): StewardError | undefined {
  const notReturned = missingExtraFailures(kind, operation, missingExtras(kind, plan.declared, current, inputs), current);
  const findings = [...notReturned, ...refusals(kind, plan)];
  if (findings.length === 0) return undefined;
  const hint = [
    notReturned.length > 0 ? "Correct the name, or add a write-only attribute to extraWriteOnly." : [],
    findings.length > notReturned.length ? "Declare the missing attributes, or leave the settings disabled." : [],
    "Nothing was changed.",
  ];
  return invalidInput(findings, { hint: hint.flat().join(" ") });
}

async function remove(kind: SettingsKind, { operation, state: last }: DeleteRequest<Last>): Promise<void> {
  if (last.onDelete === "retain") return;
  const object = objectOf(kind);
  const other = otherManagerOf(operation, object) as { managed?: string[] } | undefined;
  if (await removeObject(operation, object, () => restore(kind, operation, last))) return;
  // No resource manages an attribute that the other one does not manage, so restore it.
  const kept = last.managed.filter((name) => other?.managed?.includes(name) ?? true);
  const left = last.managed.filter((name) => !kept.includes(name));
  if (left.length > 0) await restore(kind, operation, { ...last, managed: left }, other?.managed);
  const originals = kept.filter((name) => last.originalValues[name]);
  if (originals.length > 0)
    warn(
      operation,
      kind,
      `these original values can no longer be restored: ${originals.join(", ")}. Earlier versions of the stack's state still contain them, encrypted`,
    );
}

/** The values that this run has restored, keyed by resource instance. */
const restoredIn = ({ server: { id: server }, run: { cache } }: Operation, kind: SettingsKind): Map<string, Values> =>
  cached(cache, ["restored", server, objectOf(kind)], () => new Map<string, Values>());

/** Restores the original values of the managed attributes, except `kept`, which another resource manages. */
async function restore(kind: SettingsKind, operation: Operation, last: Last, kept: readonly string[] = []): Promise<void> {
  // If two resources manage the same settings, only the older one holds the values from before both.
  const restored = restoredIn(operation, kind);
  const older = [...restored].filter(([instance]) => instance < (operation.instance ?? "")).sort(([a], [b]) => (a < b ? 1 : -1));
  const current = {
    ...storedValues(kind, last),
    ...(last.outcomeUnknown || restored.size > 0 ? await fetchSettings(kind, operation) : {}),
  };
  const { values: originals, lost } = restoration(kind, last.managed, last, current);
  const values = { ...originals, ...pick(Object.assign({}, ...older.map(([, each]) => each)), last.managed) };
  for (const name of kept) delete values[name];
  const changes = differing(kind, values, current);
  let returned: Values = {};
  try {
    if (Object.keys(changes).length > 0) returned = await patchSettings(kind, operation, changes);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
    throw error.with({
      rule: "restore-rejected",
      hint: 'The original values conflict with other attributes. Fix those on the platform, or set onDelete: "retain" and run `pulumi up` first.',
    });
  }
  restored.set(operation.instance ?? "", values);
  warnOfLost(operation, kind, lost, { ...current, ...values }.enabled);
  const residue = kind.residueWarning?.(returned);
  if (residue) warn(operation, kind, residue);
}

const warn = ({ run: { log } }: Operation, { displayName, id }: SettingsKind, line: string): void =>
  log.warn(`${displayName} "${id}": ${line}`);

function warnOfLost(operation: Operation, kind: SettingsKind, lost: readonly string[], isEnabled: unknown): void {
  if (lost.length === 0) return;
  const stays = isEnabled || !("enabled" in kind.attributes);
  const end = stays ? "The last written value stays" : "The settings are disabled: set it manually before you enable them again";
  warn(operation, kind, `${lost.join(", ")} cannot be restored, since the state does not contain the original value. ${end}`);
}
