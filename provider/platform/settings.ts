import { Output, secret } from "@pulumi/pulumi/output";
import { z } from "zod";
import { Found } from "../adoption";
import { set } from "../comparison";
import { Connection } from "../connection";
import { Definition, Doubt } from "../definition";
import { StewardError, Unfinished } from "../errors";
import { connectionInput, onlyConnection, strictObject, texts } from "../inputs";
import { heldByAnother, removeObject } from "../ownership";
import { ask } from "../program";
import { Args, Connected } from "../resource";
import { adminPath, system } from "./client";
import { documentOf } from "./settings-document";
import { failuresOf } from "./settings-failure";
import { extraFindings, fieldsOf, flat, NamesWriteOnly, pick, Settings, unseenFindings, Values } from "./settings-fields";
import { Basis, Managed, Plan, planningOf } from "./settings-plan";
import { ChangedByServer, statesOf } from "./settings-state";

/** What becomes of the attributes when the resource is destroyed: they get back what they held before, or stay as they are. */
export type OnDelete = "restore" | "retain";

/** What every settings resource takes beside its attributes. An attribute that is not given has no default: it stays as it is. */
export interface SettingsInputs extends Connected {
  /**
   * "restore" puts back, when the resource is destroyed, what the declared attributes held before; "retain" leaves them. An attribute that
   * leaves the program is put back either way. Changing this sends nothing.
   * @default "restore"
   */
  onDelete?: OnDelete;
  /**
   * Attributes that only the real product has, under its own names: `{ "apply-timeout": "24h" }`. In the hashicorp dialect alone; each is
   * managed as the others are, and put back when it leaves. Of one that no client can set, a warning says that the server kept another value.
   * One that the platform does not show is refused before anything is sent, unless it is known to be write-only. Changing this updates.
   */
  extra?: Record<string, unknown>;
  /**
   * Names in `extra` that the platform accepts and never shows, where this package does not know them yet: `["signing-secret"]`. In the
   * hashicorp dialect alone. Mark the value of each with `pulumi.secret`. Their drift cannot be seen, and they cannot be put back. Changing this sends nothing.
   */
  extraWriteOnly?: string[];
}

/** Arguments of every settings resource. */
export interface SettingsArgs extends Args<SettingsInputs> {}

/** What every settings resource shows beside its attributes. */
export interface SettingsState {
  /** The attributes that the program declares, and only these, are compared, repaired and put back. Sorted; `extra.<name>` for one in `extra`. */
  managed: string[];
  /** In the hashicorp dialect, every attribute that the API document does not know, under the product's name. */
  extra: Record<string, unknown> | undefined;
}

/** What a function shows of settings: their readable attributes, secret ones as secret outputs. */
export type Shown<State, Secret extends keyof State = never> = Pick<State, Exclude<keyof State, "managed" | Secret>> & {
  [Field in Secret]: Output<State[Field]>;
};

/** What is remembered between two operations. @internal */
export interface Remembered extends SettingsState, Managed, NamesWriteOnly {
  /** What a write sent that nobody answered. */
  sent?: Values;
  onDelete?: OnDelete;
}

/** A creation finds what the server holds, by attribute. @internal */
export interface SettingsDefinition<Inputs, State> extends Definition<Inputs, State & Remembered, Values> {}

/** The resource of settings: read, patched and put back in the same way for all. @internal */
export function settings<Inputs extends SettingsInputs, State extends SettingsState>(
  of: Settings<Inputs>,
): SettingsDefinition<Inputs, State> {
  const object = adminPath(`${of.id}-settings`);
  const fields = fieldsOf(of);
  const { writeOnly, sentAlong, readable, secrets, isExtraWriteOnly, unseen, differing, declaredIn, knownIn } = fields;
  const { fetch, patch } = documentOf(of, fields);
  const { restoration, plan, refusal, foresee } = planningOf(of, fields);
  const { recognised, remade, stateOf } = statesOf<State & Remembered>(fields);
  const { failure, cameThrough } = failuresOf(of, fields, { fetch, stateOf });

  function sayLost(connection: Connection, lost: readonly string[], isEnabled: unknown): void {
    if (lost.length === 0) return;
    const stays = isEnabled || !("enabled" in of.attributes);
    const end = stays ? "what was written last stays" : "they are left disabled, to be set by hand before they are enabled again";
    warn(connection, `${lost.join(", ")} cannot be put back, since the server never shows what was held before: ${end}`);
  }

  const warn = ({ say }: Connection, line: string): void => say(`warning: ${of.noun} "${of.id}": ${line}`);

  /** Why the server would refuse the write, or lose a part of it. */
  function refusalOf(connection: Connection, inputs: Inputs, { known }: Basis, planned: Plan): StewardError | undefined {
    const unshown = unseenFindings(connection, unseen(planned.declared, known, inputs), known, [...readable, ...writeOnly, ...sentAlong]);
    const findings = [...unshown, ...refusal(planned)];
    if (findings.length === 0) return undefined;
    const advice = [
      unshown.length > 0 ? "Correct the name, or list it in extraWriteOnly if the platform accepts it and never shows it." : [],
      findings.length > unshown.length ? "Declare what is missing, or leave them disabled." : [],
      "Nothing was sent.",
    ];
    return new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: findings.map(({ path, reason }) => `${path}: ${reason}`).join("; "),
      advice: advice.flat().join(" "),
    });
  }

  /** Sends what changes, and nothing when nothing does. */
  async function write(connection: Connection, inputs: Inputs, basis: Basis): Promise<State & Remembered> {
    const planned = plan(inputs, basis);
    const { declared, managed, changes, after, lost } = planned;
    const refused = refusalOf(connection, inputs, basis, planned);
    if (refused) throw refused;
    const along = flat(inputs, sentAlong);
    const known = { ...basis.known, ...declared };
    const isSent = Object.keys({ ...changes, ...differing(along, basis.known) }).length > 0;
    const gone = basis.managed.filter((field) => !managed.includes(field) && !basis.heldBefore[field]);
    const kept = pick(
      basis.known,
      Object.keys(basis.known).filter((field) => !gone.includes(field)),
    );
    let shown: Values = {};
    try {
      if (isSent) shown = await patch(connection, { ...changes, ...along });
    } catch (error) {
      throw await failure(connection, error, basis, planned);
    }
    sayLost(connection, lost, after.enabled);
    const unwritten = pick(
      basis.changedByServer ?? {},
      managed.filter((field) => !(field in changes)),
    ) as ChangedByServer;
    const remadeNow = remade(shown, pick(changes, managed), known);
    if (Object.keys(remadeNow).length > 0)
      warn(connection, `the server keeps something else than what was sent as ${Object.keys(remadeNow).join(", ")}`);
    const unshown = unseen(pick(changes, managed), shown, inputs);
    const written = { ...kept, ...changes, ...shown };
    for (const field of unshown) delete written[field];
    const state = stateOf(written, known, { ...planned, changedByServer: { ...unwritten, ...remadeNow } });
    if (unshown.length === 0) return state;
    throw new Unfinished(state, {
      reason: `the platform does not show ${unshown.join(", ")} after the write`,
      advice: "Everything else was stored. Correct the name, or list it in extraWriteOnly if the platform accepts it and never shows it.",
    });
  }

  const first = (known: Values): Basis => ({ known, managed: [], heldBefore: {}, changedByServer: {}, isFirst: true });

  /** Settings always exist: a creation takes them over. */
  async function find(connection: Connection, inputs: Inputs): Promise<Found<Values>> {
    const known = await fetch(connection);
    const planned = plan(inputs, first(known));
    const { changes } = planned;
    const isHidden = (field: string): boolean => writeOnly.includes(field) || isExtraWriteOnly(field, inputs);
    const changing = Object.entries(changes).filter(([field]) => !isHidden(field));
    return {
      state: known,
      differences: changing.map(([path, to]) => ({ path, from: known[path] ?? undefined, to })),
      unreadable: Object.keys(changes).filter(isHidden),
      refusal: refusalOf(connection, inputs, first(known), planned),
    };
  }

  async function update(connection: Connection, inputs: Inputs, _: unknown, last: State & Remembered & Doubt): Promise<State & Remembered> {
    const { managed, unfinished } = last;
    const declared = declaredIn(inputs);
    const joins = Object.keys(declared).some((field) => !managed.includes(field));
    let known = knownIn(last);
    const seen = pick(
      known,
      Object.keys(known).filter((field) => !isExtraWriteOnly(field, last)),
    );
    if (joins || unfinished || unseen(declared, seen, inputs).length > 0) {
      // Captured before its first write, and not from a state that may be old.
      const now = await fetch(connection);
      if (unfinished && !cameThrough(last, now)) for (const field of [...writeOnly, ...sentAlong]) delete known[field];
      for (const field of unseen(known, now, inputs)) delete known[field];
      known = { ...known, ...recognised(now, known, last.changedByServer ?? {}) };
    }
    return write(connection, inputs, { ...last, known, isFirst: false });
  }

  async function read(connection: Connection, previous: State & Remembered & Doubt): Promise<State & Remembered> {
    const now = await fetch(connection);
    const state = stateOf(now, knownIn(previous), previous);
    return previous.unfinished && cameThrough(previous, now) ? { ...state, unfinished: undefined, sent: undefined } : state;
  }

  /** What settings of the same server, in this run, have put back already: by the instance that did it. */
  const putBackIn = ({ memory, server }: Connection): Map<string, Values> => {
    const key = JSON.stringify(["put back", server, object]);
    const known = (memory.get(key) as Map<string, Values> | undefined) ?? new Map<string, Values>();
    memory.set(key, known);
    return known;
  };

  async function remove(connection: Connection, last: State & Remembered & Doubt): Promise<void> {
    if (last.onDelete === "retain") return;
    const other = heldByAnother(connection, object) as { managed?: string[] } | undefined;
    if (await removeObject(connection, object, () => putBack(connection, last))) return;
    // What the other resource does not manage is nobody's now.
    const kept = last.managed.filter((field) => other?.managed?.includes(field) ?? true);
    const left = last.managed.filter((field) => !kept.includes(field));
    if (left.length > 0) await putBack(connection, { ...last, managed: left }, other?.managed);
    const originals = kept.filter((field) => last.heldBefore[field]);
    if (originals.length > 0)
      warn(connection, `these original values can no longer be put back: ${originals.join(", ")}. The history of the stack holds them, encrypted`);
  }

  /** `kept`: what another resource manages. */
  async function putBack(connection: Connection, last: State & Remembered & Doubt, kept: readonly string[] = []): Promise<void> {
    // Of two resources of the same settings, the older one knows what was there before both.
    const others = putBackIn(connection);
    const older = [...others].filter(([instance]) => instance < (connection.instance ?? "")).sort(([a], [b]) => (a < b ? 1 : -1));
    const known = { ...knownIn(last), ...(last.unfinished || others.size > 0 ? await fetch(connection) : {}) };
    const { values: own, lost } = restoration(last.managed, last, known);
    const values = { ...own, ...pick(Object.assign({}, ...older.map(([, each]) => each)), last.managed) };
    for (const field of kept) delete values[field];
    const changes = differing(values, known);
    let shown: Values = {};
    try {
      if (Object.keys(changes).length > 0) shown = await patch(connection, changes);
    } catch (error) {
      if (!(error instanceof StewardError) || error.code !== "ERR_REFUSED") throw error;
      throw error.with({
        advice:
          'What it held before does not fit what it holds now: correct it there, or set onDelete: "retain" and run `pulumi up` first.',
      });
    }
    others.set(connection.instance ?? "", values);
    sayLost(connection, lost, { ...known, ...values }.enabled);
    const left = of.leftBehind?.(shown);
    if (left) warn(connection, left);
  }

  const optional = (schemas: Record<string, z.ZodType> = {}): Record<string, z.ZodType> =>
    Object.fromEntries(Object.entries(schemas).map(([field, schema]) => [field, schema.optional()]));

  return {
    system,
    token: `platform:${of.type}`,
    noun: of.noun,
    name: () => of.id,
    id: () => of.id,
    idForm: of.id,
    parseId: (id) => (id === of.id ? {} : undefined),
    inputs: strictObject({
      ...optional(of.attributes),
      ...optional(of.writeOnly),
      ...optional(of.sentAlong),
      onDelete: z.enum(["restore", "retain"], 'must be "restore" or "retain"').optional(),
      extra: z.record(z.string(), z.unknown(), "must be an object").optional(),
      extraWriteOnly: texts.optional(),
      connection: connectionInput,
    }),
    state: [...readable, "extra", "managed"] as (keyof State & string)[],
    rules: [
      ...(of.rules ?? []),
      {
        fields: ["extra", "extraWriteOnly"],
        check: (inputs, connection) => extraFindings(connection, inputs, [...readable, ...writeOnly, ...sentAlong]),
      },
    ],
    compare: { ...of.compare, extraWriteOnly: set } as Definition<Inputs, State>["compare"],
    open: ["extra"],
    replaces: [],
    deleteBeforeReplace: true,
    secrets,
    secretsNamed: ({ extraWriteOnly }: NamesWriteOnly) => (texts.safeParse(extraWriteOnly).data ?? []).map((name) => `extra.${name}`),
    encrypted: ["heldBefore", "changedByServer", "sent", ...(of.encrypted ?? [])],
    objects: { fields: [], paths: () => [object] },
    foresee,
    read,
    find,
    create: async (connection, inputs, found) => write(connection, inputs, first(found?.state as Values)),
    update,
    delete: remove,
  };
}

/** The readable attributes of settings, for a program. @internal */
export function show<State extends SettingsState, Secret extends keyof State = never>(
  definition: Pick<Definition<never, State & Remembered>, "noun" | "state" | "secrets" | "read">,
  options: Connected = {},
): Promise<Shown<State, Secret>> {
  return ask(`Cannot read ${definition.noun}`, system, { schema: onlyConnection, given: options }, async (connection) => {
    const read = (await definition.read(connection, {} as State & Remembered, [])) as State & Remembered;
    const { managed, heldBefore, changedByServer, sent, ...shown } = read;
    const secrets = definition.secrets.filter((field) => definition.state.some((name) => name === field));
    const hidden = secrets.map((field) => [field, secret(read[field as keyof State])]);
    return { ...shown, ...Object.fromEntries(hidden) } as unknown as Shown<State, Secret>;
  });
}
