import { Found } from "./adoption";
import { Comparison } from "./comparison";
import { Connection, System } from "./connection";
import { CheckFailure } from "./errors";
import { Schema } from "./inputs";

/** A line that a preview prints. @internal */
export interface PlanNote {
  /** The field that it is about; empty for the resource as a whole. */
  path: string;
  text: string;
  /** Printed without `warning:`. */
  isInformation?: boolean;
}

/** A rule that no schema of one field can state. It waits until every field that it names is known. @internal */
export interface Rule<Inputs> {
  fields: readonly (keyof Inputs & string)[];
  /** `last` holds the inputs of the last run; none before the first. */
  check(inputs: Inputs, connection: Connection, last: Partial<Inputs>): CheckFailure[] | Promise<CheckFailure[]>;
}

/** The part of a state that an unanswered write left behind. @internal */
export interface OutcomeUnknown {
  /** The server may hold what the last write sent, or not. */
  outcomeUnknown?: boolean;
  /** The same of these parts alone: they are written, or deleted, whatever is compared. */
  unanswered?: string[];
}

/** One field: all but its name, type and documentation, which its interface states. @internal */
export interface Field<Value = unknown> {
  /** Validates the input. Missing: the field is an output alone. */
  input?: Schema<Value>;
  /** The program has to give the input. */
  required?: true;
  /** The input where the program gives none. */
  default?: (connection: Connection) => Value;
  /** An output that the resource shows. */
  output?: true;
  /** An output that the state keeps for the provider. */
  stored?: true;
  /** Without one, values are compared as they are. */
  compare?: Comparison;
  /** A change replaces the resource. */
  replaces?: true;
  /** A secret input and output, which no message shows. */
  secret?: true;
  /** An output that is encrypted as a whole, since it may hold secret inputs, each under its own name. */
  secretOutput?: true;
  /** The server keeps it and never shows it. */
  writeOnly?: true;
  /** A write sends it, and the server does not keep it. */
  requestOnly?: true;
  /** Each key is declared, compared and released on its own: `extra.apply-timeout`. */
  perKey?: true;
  /** Lists the secret keys of this field. */
  secretKeysOf?: string;
  /** The server goes on holding the value when it leaves the program. */
  stays?: true;
}

/** The fields of any resource. @internal */
export type AnyFields = Readonly<Record<string, Field | undefined>>;

type InputRow<Inputs, Name extends keyof Inputs> = {
  input: Schema<NonNullable<Inputs[Name]>>;
  default?: (connection: Connection) => NonNullable<Inputs[Name]>;
} & (undefined extends Inputs[Name] ? { required?: undefined } : { required: true });
type OutputRow = { input?: undefined; required?: undefined; default?: undefined };

/**
 * The fields of a resource by name. A field that is missing or unknown does not compile. A path, `extra.private-key`, is a field of its own.
 * @internal
 */
export type Fields<Inputs, Outputs, State> = {
  readonly [Name in keyof Inputs | keyof Outputs | keyof State]-?: Omit<Field, "input" | "required" | "default" | "output" | "stored"> &
    (Name extends keyof Inputs ? InputRow<Inputs, Name> : OutputRow) &
    (Name extends keyof Outputs
      ? { output: true; stored?: undefined }
      : { output?: undefined; stored?: Name extends keyof Inputs ? true | undefined : true });
} & { readonly [Path in `${string}.${string}`]?: Pick<Field, "secret" | "writeOnly"> };

/** What every operation has. @internal */
export interface CreateRequest<Inputs, Existing> {
  connection: Connection;
  inputs: Inputs;
  /** What `find` returned. */
  found?: Found<Existing>;
}
/** @internal */
export interface ReadRequest<State> {
  connection: Connection;
  /** The last state. For a `get`, the fields that the id names. */
  state: State;
  /** The inputs that the program declares; none for a `get`. */
  declared: readonly string[];
}
/** @internal */
export interface UpdateRequest<Inputs, State> {
  connection: Connection;
  inputs: Inputs;
  /** The last state without the inputs that have left the program. */
  state: State;
  last: State & OutcomeUnknown;
}
/** @internal */
export interface DeleteRequest<State> {
  connection: Connection;
  state: State & OutcomeUnknown;
}

/** A search for what an import can take over. @internal */
export interface DiscoverRequest {
  connection: Connection;
  /** Roles as one resource for each mount. */
  asSet: boolean;
  /** Mounts to search beside those that the server lists. */
  mounts: readonly string[];
  /** Modules to search, `<organization>/<name>/<provider>`. None: those that the server lists. */
  modules: readonly string[];
  /** Workspaces as well. */
  workspaces: boolean;
  /** Does a part of the search. Where the server refuses it, the reason is noted under `what`, and the rest of the search goes on. */
  attempt<T>(what: string, part: () => Promise<T[]>): Promise<T[]>;
}

/** A resource that a search found. @internal */
export interface Discovered<State> {
  /** The fields that the id names, and all others that the search has read. */
  state: Partial<State>;
  /** Its name in the program. Missing: its name on the server. */
  called?: string;
}

/**
 * A resource: a table of its fields, and its operations on the API. `Outputs` are the outputs that a program sees; `State` holds those that
 * the provider keeps besides. The life cycle does everything else for all resources: check, diff, replacement, secrets, half-done work, errors.
 * @internal
 */
export interface Definition<Inputs, Outputs, State extends Outputs = Outputs, Existing = State> {
  system: System;
  /** `<system>:<Type>`. */
  token: string;
  /** The resource in messages: `scheduler role`. */
  displayName: string;
  /** The name after it, of fields: `<name>`. Missing: the displayName alone. */
  name?: string;
  /** The id, of fields: `<mount>/role/<name>`. */
  id: string;
  /** The resource can be read by its id alone. */
  readById?: true;
  fields: Fields<Inputs, Outputs, State>;
  rules?: readonly Rule<Inputs>[];
  /**
   * true: the server fixes the id, and the deletion of the old resource would delete the new one. false: each creation makes
   * another object, and the old one goes last. Missing: false, but a resource that moves to another server is deleted first.
   */
  deleteBeforeReplace?: boolean;
  /**
   * The objects on the server that a resource holds, by path. A program declares each once, and no deletion removes one that another
   * resource holds: `delete` calls `removeObject` for each. Missing: each creation makes another object, or none.
   */
  objects?: {
    /** The inputs that name them. */
    fields: readonly (keyof Inputs & string)[];
    paths(fields: Inputs | State): readonly string[];
  };

  /** Tells what a creation (without `last`) or an update will do, or the server would refuse. */
  planNotes?(request: { connection: Connection; inputs: Inputs; last?: State }): PlanNote[] | Promise<PlanNote[]>;
  /** Returns undefined where the server says that it does not exist. Throws whatever else keeps it from being read. */
  read(request: ReadRequest<State>): Promise<State | undefined>;
  /** Converts the state from a read into the state of an import. Missing: both are the same. */
  imported?(state: State): State;
  /** Reads what a creation would take over, and compares it with what it would write. Missing: it takes nothing over. */
  find?(request: { connection: Connection; inputs: Inputs }): Promise<Found<Existing> | undefined>;
  create(request: CreateRequest<Inputs, Existing>): Promise<State>;
  update(request: UpdateRequest<Inputs, State>): Promise<State>;
  /** Succeeds where it is gone already. Missing: the resource leaves nothing on the server. */
  delete?(request: DeleteRequest<State>): Promise<unknown>;
  /** Finds what exists, for an import, or says why an import cannot take any over. Missing: the resource is an operation. */
  discover?: string | ((request: DiscoverRequest) => Promise<Discovered<State>[]>);
  /** Finds out more about a creation that failed. */
  diagnose?(connection: Connection, error: unknown): Promise<unknown>;
}

/** A definition by itself: what it takes and gives is known to its own file alone. @internal */
// biome-ignore lint/suspicious/noExplicitAny: only so are all definitions of one type.
export interface AnyDefinition extends Omit<Definition<any, any, any, any>, "fields"> {
  fields: AnyFields;
}
