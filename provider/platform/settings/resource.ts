import { z } from "zod";
import { Claims, Definition, ExistingObject, Fields, OutcomeUnknown, ReadRequest, Rule, UpdateRequest } from "../../contract/definition";
import { invalidInput, rejectedValues, StewardError } from "../../contract/errors";
import { variableFor } from "../../contract/fields";
import { connectionField } from "../../contract/inputs";
import { cached, Operation, Writer } from "../../contract/operation";
import { adminPath, system } from "../client";
import { fetchSettings, patchSettings } from "./api";
import * as attributes from "./attributes";
import { afterFailure, writeWasApplied } from "./failure";
import { OnDelete, SettingsInputs, SettingsPage, SettingsPageOf, SettingsState, Values } from "./page";
import { notesOf, notesOnDisabled, notesOnLost, originalsOf, Plan, Prior, planOf, refusals, restoration, Unrestored } from "./plan";
import { recognized, StoredState, serverNormalizations, stateOf, Wrapped } from "./state";

// The life cycle that all kinds of settings share: read, patch, restore.

/** A definition whose `find` returns the plan of the create. */
export interface SettingsDefinition<Inputs, State> extends Definition<Inputs, State, State & StoredState, Planned> {}

/** The values on the server before a write, and its plan. */
interface Planned {
  prior: Prior;
  plan: Plan;
}

type Last = SettingsState & StoredState & OutcomeUnknown;

/** Makes the definition of one page of settings. */
export function settings<Inputs extends SettingsInputs, State extends SettingsState>(
  typed: SettingsPageOf<Inputs, State>,
): SettingsDefinition<Inputs, State> {
  const page = typed as unknown as SettingsPage;
  const definition: Omit<Definition<SettingsInputs, SettingsState, Last, Planned>, "fields"> & { fields: object } = {
    system,
    token: `platform:${typed.type}`,
    displayName: typed.displayName,
    dialects: typed.dialects,
    name: typed.id,
    id: typed.id,
    readById: true,
    fields: { ...typed.attributes, ...sharedFields },
    rules: typed.rules as Rule<SettingsInputs>[] | undefined,
    deleteBeforeReplace: true,
    objects: {
      fields: (page.object ? [page.object.attribute] : []) as [],
      paths: (values) => [objectOf(page), ...ownObject(page, { ...values })],
      isRemoved: ({ onDelete }) => onDelete !== "retain",
      remove: ({ state }, claims) => remove(page, state, claims),
    },
    planNotes: ({ inputs, last }) => [
      ...notesOnLost(page, inputs, last?.managed),
      ...notesOnDisabled(page, { ...inputs }, { ...last }),
      ...(last ? notesOf(page, inputs, last) : []),
    ],
    read: (request) => read(page, request),
    imported: (state) => ({ ...state, originalValues: originalsOf(page, attributes.storedValues(page, state)) }),
    // Settings always exist, so a create adopts them.
    find: async ({ operation, inputs }) =>
      adoptionOf(page, operation, planned(page, inputs, unmanaged(await fetchSettings(page, operation)))),
    create: ({ operation, inputs, existing }) => write(page, operation, inputs, existing?.state as Planned),
    update: (request) => update(page, request),
    discover: ({ operation, attempt }) =>
      attempt(page.id, async () => {
        const state = await read(page, { operation, state: {} as Last, declared: [] });
        // A program that declares disabled settings would disable them again, with what is lost then.
        if (page.lostWhenDisabled && !attributes.storedValues(page, state).enabled) return [];
        const used = attributes.missingIn(page, { ...state });
        const unreadable = attributes.writeOnly(page).filter((name) => used.includes(name));
        if (unreadable.length > 0) state.onDelete = "retain";
        return [{ state, isRead: true, unreadable: Object.fromEntries(unreadable.map((name) => [name, variableFor(page.id, name)])) }];
      }),
  };
  // `SettingsPage` has no type parameters, so the definition is typed here.
  return definition as unknown as SettingsDefinition<Inputs, State>;
}

const sharedFields: Fields<SettingsInputs, SettingsState, SettingsState & StoredState> = {
  onDelete: { input: z.enum(OnDelete, 'must be "restore" or "retain"'), stored: true },
  managed: { output: true, essential: true },
  originalValues: { stored: true, essential: true, secretOutput: true },
  serverNormalized: { stored: true, secretOutput: true },
  sent: { stored: true, secretOutput: true },
  connection: connectionField,
};

const objectOf = ({ id }: SettingsPage): string => adminPath(`${id}-settings`);

const ownObject = ({ object }: SettingsPage, values: Values): string[] => {
  const value = values[object?.attribute ?? ""];
  return object && typeof value === "string" ? [object.path(value)] : [];
};

async function read(page: SettingsPage, { operation, state }: ReadRequest<Last>): Promise<Last> {
  const now = await fetchSettings(page, operation);
  const fresh: Last = stateOf(page, now, attributes.storedValues(page, state), state);
  return state.outcomeUnknown && writeWasApplied(page, state, now) ? { ...fresh, outcomeUnknown: undefined, sent: undefined } : fresh;
}

const unmanaged = (current: Values): Prior => ({ current, managed: [], originalValues: {}, serverNormalized: {}, isFirst: true });

const planned = (page: SettingsPage, inputs: SettingsInputs, prior: Prior): Planned => ({ prior, plan: planOf(page, inputs, prior) });

/** The attributes that a write takes over, because the program did not declare them before. Throws if the server would reject the write. */
async function adoptionOf(
  page: SettingsPage,
  operation: Operation,
  planned: Planned,
  known: readonly string[] = [],
): Promise<ExistingObject<Planned>> {
  const { prior, plan } = planned;
  const { current } = prior;
  const managed = [...prior.managed, ...known];
  const names = Object.keys(plan.changes).filter((name) => name in plan.declared && !managed.includes(name));
  const isHidden = (name: string): boolean => attributes.writeOnly(page).includes(name);
  // An older release of Terraform Enterprise ignores an attribute that it does not have.
  const unsupported = names
    .filter((name) => page.attributes[name]?.dialects && !isHidden(name) && !(name in current))
    .map((path) => ({ path, rule: "unsupported", reason: `this release of ${operation.server.words.service} does not have it` }));
  const isComplete = plan.lacksObject && (await page.object?.hasOthers(operation));
  const failures = [...unsupported, ...(isComplete ? [] : refusals(page, plan)), ...(page.conflicts?.(plan.changes, current) ?? [])];
  if (failures.length > 0) throw invalidInput(failures, { hint: "Nothing was changed." }).with({ rule: rejectedValues });
  return {
    state: planned,
    differences: names
      .filter((name) => !isHidden(name))
      .map((path) => ({ path, from: current[path] ?? undefined, to: plan.changes[path] })),
    unreadable: names.filter(isHidden),
  };
}

async function update(
  page: SettingsPage,
  { operation, inputs, last, declared: before, adopt }: UpdateRequest<SettingsInputs, Last>,
): Promise<Last> {
  const declared = attributes.declaredAttributes(page, inputs);
  const hasNewAttributes = Object.keys(declared).some((name) => !last.managed.includes(name));
  let current = attributes.storedValues(page, last);
  const plan = (): Planned => planned(page, inputs, { ...last, current, isFirst: false });
  if (hasNewAttributes || last.outcomeUnknown || page.readBefore?.some((name) => name in plan().plan.changes)) {
    // The state may be outdated, so read the original value of a new attribute, and what decides a change, from the server.
    const now = await fetchSettings(page, operation);
    if (last.outcomeUnknown && !writeWasApplied(page, last, now))
      for (const name of [...attributes.writeOnly(page), ...attributes.requestOnly(page)]) delete current[name];
    current = { ...current, ...recognized(page, now, current, last.serverNormalized) };
  }
  // After an import, the program has declared values that no run has written.
  const recorded = attributes.storedValues(page, last);
  const known = before.filter((name) => attributes.same(page, name, recorded[name], current[name]));
  const next = plan();
  adopt(await adoptionOf(page, operation, next, known));
  return write(page, operation, inputs, next);
}

/** Applies the plan and returns the new state. Sends a request only if needed. */
async function write(page: SettingsPage, operation: Writer, inputs: SettingsInputs, { prior, plan }: Planned): Promise<Last> {
  const { declared, managed, changes } = plan;
  const requestOnlyValues = attributes.pick(inputs, attributes.requestOnly(page));
  const isSent = Object.keys({ ...changes, ...attributes.differing(page, requestOnlyValues, prior.current) }).length > 0;
  let returned: Values = {};
  try {
    if (isSent) returned = await patchSettings(page, operation, { ...changes, ...requestOnlyValues });
  } catch (error) {
    throw await afterFailure(page, operation, error, prior, plan);
  }
  warnOfUnrestored(operation, page, plan, plan.after.enabled);
  const expected = { ...prior.current, ...declared };
  const normalized = serverNormalizations(page, returned, attributes.pick(changes, managed), expected);
  if (Object.keys(normalized).length > 0) warn(operation, `the server stored a different value for ${Object.keys(normalized).join(", ")}`);
  const unwritten = managed.filter((name) => !(name in changes));
  const serverNormalized = { ...attributes.pick(prior.serverNormalized ?? {}, unwritten), ...normalized } as Wrapped;
  return stateOf(page, writtenValues(prior, plan, returned), expected, { ...plan, serverNormalized });
}

/** The values on the server after a write, as far as they are known. */
function writtenValues(prior: Prior, { managed, changes }: Plan, returned: Values): Values {
  const { current, managed: before, originalValues } = prior;
  const released = before.filter((name) => !managed.includes(name) && !originalValues[name]);
  const values = { ...current, ...changes, ...returned };
  for (const name of released) if (!(name in changes) && !(name in returned)) delete values[name];
  return values;
}

async function remove(page: SettingsPage, last: Last, claims: Claims): Promise<void> {
  const held = await claims.each(objectOf(page), ({ operation }) => restore(page, operation, last));
  if (!held) return;
  const { operation } = held;
  const other: { managed?: string[] } = held.fields;
  // No resource manages an attribute that the other one does not manage, so restore it.
  const kept = last.managed.filter((name) => other.managed?.includes(name) ?? true);
  const left = last.managed.filter((name) => !kept.includes(name));
  if (left.length > 0) await restore(page, operation, { ...last, managed: left }, other.managed);
  const originals = kept.filter((name) => last.originalValues[name]);
  if (originals.length > 0)
    warn(
      operation,
      `these original values can no longer be restored: ${originals.join(", ")}. Earlier versions of the stack's state still contain them, encrypted`,
    );
}

/** Restores the original values of the managed attributes, except `kept`, which another resource manages. */
async function restore(page: SettingsPage, operation: Writer, last: Last, kept: readonly string[] = []): Promise<void> {
  // By resource: if two manage the same settings, only the older one holds the values from before both.
  const restored = cached(operation.run.cache, ["restored", operation.server.id, objectOf(page)], () => new Map<string, Values>());
  const older = [...restored].filter(([instance]) => instance < (operation.instance ?? "")).sort(([a], [b]) => (a < b ? 1 : -1));
  const isRead = last.outcomeUnknown || restored.size > 0 || page.readBefore?.some((name) => last.originalValues[name]?.value);
  const current = { ...attributes.storedValues(page, last), ...(isRead ? await fetchSettings(page, operation) : {}) };
  const { values: originals, ...unrestored } = restoration(page, last.managed, last, current);
  const values = { ...originals, ...attributes.pick(Object.assign({}, ...older.map(([, each]) => each)), last.managed) };
  for (const name of kept) delete values[name];
  const changes = attributes.differing(page, values, current);
  let returned: Values = {};
  try {
    if (Object.keys(changes).length > 0) returned = await patchSettings(page, operation, changes);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
    throw error.with({
      rule: "restore-rejected",
      hint: `The original values conflict with other attributes. Fix those in ${operation.server.words.service}. To keep the current values, set onDelete: "retain" and run \`pulumi up\` first.`,
    });
  }
  restored.set(operation.instance ?? "", values);
  warnOfUnrestored(operation, page, unrestored, { ...current, ...values }.enabled);
  const residue = page.residueWarning?.(returned);
  if (residue) warn(operation, residue);
}

const warn = (operation: Operation, line: string): void => operation.run.log.warn(`${operation.resource}: ${line}`);

function warnOfUnrestored(operation: Operation, page: SettingsPage, { lost, revoked }: Unrestored, isEnabled: unknown): void {
  if (revoked.length > 0) warn(operation, `${revoked.join(", ")} keeps its current value, because the original one is no longer accepted`);
  if (lost.length === 0) return;
  const stays = isEnabled || !("enabled" in page.attributes);
  const end = stays ? "The last written value stays" : "The settings are disabled: set it manually before you enable them again";
  warn(operation, `${lost.join(", ")} cannot be restored, since the state does not contain the original value. ${end}`);
}
