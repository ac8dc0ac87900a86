import { Output, secret } from "@pulumi/pulumi";
import { z } from "zod";
import { Connection } from "../connection";
import { Definition, Doubt } from "../definition";
import { StewardError, Unfinished } from "../errors";
import { connectionInput, onlyConnection, strictObject } from "../inputs";
import { log } from "../log";
import { heldByAnother, removeObject } from "../ownership";
import { ask } from "../program";
import { Args, Connected } from "../resource";
import { adminPath } from "./client";
import { mayBe } from "./mask";
import { documentOf } from "./settings-document";
import { extraFindings, extraName, fieldsOf, flat, held, pick, Settings, Values } from "./settings-fields";
import { Basis, Managed, Plan, planningOf } from "./settings-plan";

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
   * managed as the others are, and put back when it leaves. Of one that no client can set, a warning says that the server kept another value. Changing this updates.
   */
  extra?: Record<string, unknown>;
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
export interface Remembered extends SettingsState, Managed {
  /** What a write sent that nobody answered. */
  sent?: Values;
  onDelete?: OnDelete;
}

type ChangedByServer = NonNullable<Remembered["changedByServer"]>;

/** The resource of settings: read, patched and put back in the same way for all. @internal */
export function settings<Inputs extends SettingsInputs, State extends SettingsState>(
  of: Settings<Inputs>,
): Definition<Inputs, State & Remembered> {
  const object = adminPath(`${of.id}-settings`);
  const fields = fieldsOf(of);
  const { writeOnly, sentAlong, readable, secrets, same, differing, declaredIn, knownIn } = fields;
  const { fetch, patch } = documentOf(of, fields);
  const { restoration, plan, refusal, foresee } = planningOf(of, fields);

  /** With what we know in the place of what means the same, of a mask, and of what the server made of it. */
  function recognised(shown: Values, known: Values, changedByServer: ChangedByServer): Values {
    const isOurs = (field: string, value: unknown): boolean =>
      field in known &&
      (same(field, value, known[field]) ||
        (secrets.includes(field) && mayBe(value, known[field])) ||
        (field in changedByServer && same(field, value, changedByServer[field]?.value)));
    return Object.fromEntries(Object.entries(shown).map(([field, value]) => [field, isOurs(field, value) ? known[field] : value]));
  }

  function stateOf(
    shown: Values,
    known: Values,
    { managed = [], heldBefore = {}, changedByServer = {} }: Partial<Remembered>,
  ): State & Remembered {
    const values = recognised(shown, known, changedByServer);
    // Of the product's own attributes, what it does not show is known as what was written.
    for (const field of managed) if (extraName(field) && !(field in values)) values[field] = known[field];
    const extra = Object.entries(values).flatMap(([field, value]) => (extraName(field) ? [[extraName(field), value]] : []));
    return {
      ...Object.fromEntries(readable.map((field) => [field, values[field] ?? undefined])),
      extra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
      managed,
      heldBefore,
      changedByServer: Object.keys(changedByServer).length > 0 ? changedByServer : undefined,
    } as State & Remembered;
  }

  function sayLost(lost: readonly string[], isEnabled: unknown): void {
    if (lost.length === 0) return;
    const end = isEnabled ? "what was written last stays" : "they are left disabled, to be set by hand before they are enabled again";
    say(`${lost.join(", ")} cannot be put back, since the server never shows what was held before: ${end}`);
  }

  const say = (line: string): void => log(`warning: ${of.noun} "${of.id}": ${line}`);

  /** Sends what changes, and nothing when nothing does. */
  async function write(connection: Connection, inputs: Inputs, basis: Basis): Promise<State & Remembered> {
    const planned = plan(inputs, basis);
    const { declared, managed, changes, after, lost } = planned;
    for (const { path: field, reason } of refusal(planned))
      throw new StewardError({
        code: "ERR_INVALID_INPUT",
        reason: `${field}: ${reason}`,
        advice: "Declare what is missing, or leave them disabled. Nothing was sent.",
      });
    const along = flat(inputs, sentAlong);
    const known = { ...basis.known, ...declared };
    const isSent = Object.keys({ ...changes, ...differing(along, basis.known) }).length > 0;
    const kept = pick(
      basis.known,
      Object.keys(basis.known).filter((field) => !lost.includes(field)),
    );
    let shown: Values = {};
    try {
      if (isSent) shown = await patch(connection, { ...changes, ...along });
    } catch (error) {
      throw await failure(connection, error, basis, planned);
    }
    sayLost(lost, after.enabled);
    const unwritten = pick(
      basis.changedByServer ?? {},
      managed.filter((field) => !(field in changes)),
    ) as ChangedByServer;
    const changedByServer = { ...unwritten, ...remade(shown, pick(changes, managed), known) };
    return stateOf({ ...kept, ...changes, ...shown }, known, { ...planned, changedByServer });
  }

  /** What the server made something else of. Once written it is as good as what was sent, or every `up` would send it again. */
  function remade(shown: Values, changes: Values, known: Values): ChangedByServer {
    const recognisable = recognised(shown, known, {});
    const fields = Object.keys(changes).filter((field) => field in shown && recognisable[field] !== known[field]);
    if (fields.length > 0) say(`the server keeps something else than what was sent as ${fields.join(", ")}`);
    return Object.fromEntries(fields.map((field) => [field, held(shown[field])]));
  }

  /** What a write that failed has left behind: read back where it may have been stored. */
  async function failure(connection: Connection, error: unknown, basis: Basis, planned: Plan): Promise<unknown> {
    if (!(error instanceof StewardError)) return error;
    const verdict = of.verdicts?.[error.status ?? 0];
    if (!verdict && !error.facts.outcomeUnknown) return error;
    const { changes, declared } = planned;
    const reason = verdict ? `${verdict}: ${error.facts.reason}` : error.facts.reason;
    // What leaves the program is ours until it is known to have been put back.
    const remembered = {
      managed: [...new Set([...basis.managed, ...planned.managed])].sort(),
      heldBefore: { ...basis.heldBefore, ...planned.heldBefore },
      changedByServer: basis.changedByServer,
    };
    const inDoubt = (advice: string): Unfinished<State> =>
      new Unfinished(
        { ...stateOf(basis.known, basis.known, remembered), unfinished: true, sent: changes },
        { ...error.facts, reason, advice },
      );
    let now: Values;
    try {
      now = await fetch(connection);
    } catch (second) {
      // Then it was our own token that was refused, not what we wrote.
      if (!error.facts.outcomeUnknown && second instanceof StewardError && second.code === "ERR_FORBIDDEN") return error;
      return inDoubt("Whether the settings were stored could not be read back either: the next `pulumi up` reads them first.");
    }
    const seen = Object.keys(changes).filter((field) => field in now);
    if (seen.some((field) => !same(field, now[field], basis.known[field]))) {
      const advice = `The settings were stored all the same${verdict ? "; no further mail is sent before something changes" : ", and the next `pulumi up` goes on from them"}.`;
      return new Unfinished(stateOf(now, { ...basis.known, ...declared }, remembered), { ...error.facts, reason, advice });
    }
    if (seen.length === 0 && Object.keys(changes).length > 0)
      return inDoubt(
        `The server does not show whether it stored ${Object.keys(changes).join(", ")}: the next \`pulumi up\` sends it again.`,
      );
    return error.with({
      reason,
      code: verdict ? "ERR_REFUSED" : error.code,
      outcomeUnknown: false,
      advice: "The server holds what it held before: `pulumi up` tries again.",
    });
  }

  /** Whether what a write sent is there, although nobody answered it; of what the server does not show, nothing is known by itself. */
  function cameThrough({ sent = {} }: Remembered, now: Values): boolean {
    const seen = Object.keys(sent).filter((field) => field in now);
    return seen.length > 0 && seen.every((field) => same(field, now[field], sent[field]));
  }

  async function update(connection: Connection, inputs: Inputs, _: unknown, last: State & Remembered & Doubt): Promise<State & Remembered> {
    const { managed, unfinished } = last;
    const joins = Object.keys(declaredIn(inputs)).some((field) => !managed.includes(field));
    let known = knownIn(last);
    if (joins || unfinished) {
      // Captured before its first write, and not from a state that may be old.
      const now = await fetch(connection);
      if (unfinished && !cameThrough(last, now)) for (const field of [...writeOnly, ...sentAlong]) delete known[field];
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
      say(`these original values can no longer be put back: ${originals.join(", ")}. The history of the stack holds them, encrypted`);
  }

  /** `kept`: what another resource manages. */
  async function putBack(connection: Connection, last: State & Remembered & Doubt, kept: readonly string[] = []): Promise<void> {
    // Of two resources of the same settings, the older one knows what was there before both.
    const others = putBackIn(connection);
    const older = [...others].filter(([instance]) => instance < (connection.instance ?? "")).sort(([a], [b]) => (a < b ? 1 : -1));
    const known = { ...knownIn(last), ...(last.unfinished || others.size > 0 ? await fetch(connection) : {}) };
    const { values: own, lost } = restoration(last.managed, last.heldBefore, known);
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
    sayLost(lost, { ...known, ...values }.enabled);
    const left = of.leftBehind?.(shown);
    if (left) say(left);
  }

  const optional = (schemas: Record<string, z.ZodType> = {}): Record<string, z.ZodType> =>
    Object.fromEntries(Object.entries(schemas).map(([field, schema]) => [field, schema.optional()]));

  return {
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
      connection: connectionInput,
    }),
    state: [...readable, "extra", "managed"] as (keyof State & string)[],
    rules: [
      ...(of.rules ?? []),
      {
        fields: ["extra"],
        check: ({ extra = {} }, connection) => extraFindings(connection, extra, [...readable, ...writeOnly, ...sentAlong]),
      },
    ],
    compare: of.compare as Definition<Inputs, State>["compare"],
    open: ["extra"],
    replaces: [],
    deleteBeforeReplace: true,
    secrets,
    encrypted: ["heldBefore", "changedByServer", "sent", ...(of.encrypted ?? [])],
    objects: { fields: [], paths: () => [object] },
    foresee,
    read,
    create: async (connection, inputs) =>
      write(connection, inputs, { known: await fetch(connection), managed: [], heldBefore: {}, changedByServer: {}, isFirst: true }),
    update,
    delete: remove,
  };
}

/** The readable attributes of settings, for a program. @internal */
export function show<State extends SettingsState, Secret extends keyof State = never>(
  definition: Pick<Definition<never, State & Remembered>, "noun" | "state" | "secrets" | "read">,
  options: Connected = {},
): Promise<Shown<State, Secret>> {
  return ask(`Cannot read ${definition.noun}`, "platform", { schema: onlyConnection, given: options }, async (connection) => {
    const read = (await definition.read(connection, {} as State & Remembered, [])) as State & Remembered;
    const { managed, heldBefore, changedByServer, sent, ...shown } = read;
    const secrets = definition.secrets.filter((field) => definition.state.some((name) => name === field));
    const hidden = secrets.map((field) => [field, secret(read[field as keyof State])]);
    return { ...shown, ...Object.fromEntries(hidden) } as unknown as Shown<State, Secret>;
  });
}
