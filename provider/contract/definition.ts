import { Comparison } from "./comparison";
import { CheckFailure } from "./errors";
import { Schema } from "./inputs";
import { Operation, System, Writer } from "./operation";
import { Secret } from "./secret";

/** An attribute whose value on the server differs from the declared one. */
export interface Difference {
  /** `roles.web.policies`. The first part is the input. */
  path: string;
  from: unknown;
  to: unknown;
}

/** The existing object that a create finds. */
export interface ExistingObject<State> {
  /** The object's state. Undefined if only its existence is known. */
  state?: State;
  /** Why a create fails without `adopt`, and the remedy, as the end of a sentence. Undefined for an object that a create always adopts. */
  refusal?: { reason: string; remedy: string };
  /** If omitted, the inputs that differ from `state`. */
  differences?: readonly Difference[];
  /** Attributes that the server does not return, and that an adoption overwrites. If `differences` are omitted, the inputs that `state` lacks. */
  unreadable?: readonly string[];
}

/** A note that a preview or an update prints. */
export interface PlanNote {
  /** The field. Empty for the whole resource. */
  path: string;
  reason: string;
  /** Printed without `warning:`. */
  isInformation?: boolean;
}

/** A rule that involves several fields or the connection. Checked only when all its fields are known and valid. */
export interface Rule<Inputs> {
  fields: readonly (keyof Inputs & string)[];
  /** `last`: the inputs of the last run. Empty before the first. */
  check(inputs: Inputs, operation: Operation, last: Partial<Inputs>): CheckFailure[] | Promise<CheckFailure[]>;
}

/** The part of a state that records writes without a response. */
export interface OutcomeUnknown {
  /** True if the last write may or may not have been applied. */
  outcomeUnknown?: boolean;
  /** The parts whose write may or may not have been applied. They are written or deleted again in any case. */
  unanswered?: string[];
}

/** The properties of a field. Its name, type and documentation are in an interface. */
export interface Field<Value = unknown> {
  /** Validates the input. If omitted, the field is only an output. */
  input?: Schema<Value>;
  /** The program must declare the input. */
  required?: true;
  /** The default of the input. */
  default?: (operation: Operation) => Value;
  /** A public output. */
  output?: true;
  /** In the state, but no public output. Pulumi shows it only if it is an input. */
  stored?: true;
  /** Every state has it. */
  essential?: true;
  /** The default is `exact`. */
  compare?: Comparison;
  /** A change replaces the resource. */
  replaces?: true;
  /** A secret input and output. No message shows its value. */
  secret?: true;
  /** An output that is encrypted as a whole, because it may contain values of secret inputs. */
  secretOutput?: true;
  /** The server stores the value and never returns it. */
  writeOnly?: true;
  /** The server does not store the value. */
  requestOnly?: true;
  /** The properties of its value that are secrets. */
  secretParts?: readonly string[];
  /** The dialects of the system that have the field. If omitted, all have it. */
  dialects?: readonly string[];
}

/** The fields of any resource. */
export type AnyFields = Readonly<Record<string, Field | undefined>>;

/** The value of a field as the program declares it. */
type Declared<Value> = Value extends Secret ? string : Value;
type InputRow<Inputs, Name extends keyof Inputs> = {
  input: Schema<Declared<NonNullable<Inputs[Name]>>>;
  default?: (operation: Operation) => NonNullable<Inputs[Name]>;
} & (undefined extends Inputs[Name] ? { required?: undefined } : { required: true });
type OutputRow = { input?: undefined; required?: undefined; default?: undefined };
/** A definition receives each string that is a secret as a {@link Secret}, and only those. */
type SecretRow<Value> = Secret extends Value ? { secret: true } : string extends Value ? { secret?: undefined } : { secret?: true };

/** The fields of a resource by name. A missing or unknown field does not compile. */
export type Fields<Inputs, Outputs, State> = {
  readonly [Name in keyof Inputs | keyof Outputs | keyof State]-?: Omit<
    Field,
    "input" | "required" | "default" | "output" | "stored" | "secret"
  > &
    SecretRow<Name extends keyof State ? State[Name] : Name extends keyof Inputs ? Inputs[Name] : never> &
    (Name extends keyof Inputs ? InputRow<Inputs, Name> : OutputRow) &
    (Name extends keyof Outputs
      ? { output: true; stored?: undefined }
      : { output?: undefined; stored?: Name extends keyof Inputs ? true | undefined : true });
};

export interface FindRequest<Inputs> {
  operation: Operation;
  inputs: Inputs;
}
/** A request that may ask what the other resources of this run manage. */
export interface Claiming {
  claims: Claims;
}
export interface WriteRequest<Inputs> extends FindRequest<Inputs> {
  operation: Writer;
}
export interface CreateRequest<Inputs, Existing> extends WriteRequest<Inputs>, Claiming {
  /** The result of `find`. */
  existing?: ExistingObject<Existing>;
}
export interface ReadRequest<State> {
  operation: Operation;
  /** The last state. For a `get`, the fields in the id. */
  state: State;
  /** The inputs that the program declares. Empty for a `get`. */
  declared: readonly string[];
}
export interface UpdateRequest<Inputs, State> extends WriteRequest<Inputs>, Claiming {
  /** The last state without the inputs that were removed from the program. */
  state: State;
  /** The last state, with the inputs that were removed from the program. */
  last: State & OutcomeUnknown;
  /** The inputs that the program declared at the last `up`. */
  declared: readonly string[];
  /** Adopts what joins the resource, as a create adopts its object: throws if it may not, else prints the changes. Called before the first write. */
  adopt(existing: ExistingObject<unknown>): void;
}
export interface DeleteRequest<State> {
  operation: Operation;
  state: State & OutcomeUnknown;
}

declare const claimed: unique symbol;
/** The right to remove an object that no other resource of this run manages, with the operation that may. Only the life cycle makes one. */
export interface Claim {
  readonly path: string;
  readonly operation: Writer;
  readonly [claimed]: true;
}

/** An object that another resource of this run manages. */
export interface Held {
  /** The fields of that resource. */
  fields: object;
  /** For the parts that it does not manage. */
  operation: Writer;
}

export interface Claims {
  /**
   * Removes an object with `act`. If another resource of this run manages it, does not call `act` but returns what that resource holds, and prints a
   * warning unless `isQuiet`. Nothing else in this process writes the object meanwhile.
   */
  each(path: string, act: (claim: Claim) => Promise<unknown>, isQuiet?: boolean): Promise<Held | undefined>;
  /** True if this run has removed the object and not written it again, so that its manager must write it. */
  isRemoved(path: string): boolean;
  /** The fields of another resource of this run that manages the object. A state without an instance id matches no known resource. */
  managerOf(path: string): object | undefined;
  /** Throws if another resource of this run failed to adopt the object. */
  assertAdopted(path: string): void;
}

/** The objects that a resource manages on the server. A program may declare each only once. */
export interface Objects<Inputs, State> {
  /** The inputs in the paths. */
  fields: readonly (keyof Inputs & string)[];
  /** A path that ends with a slash stands for all objects directly below it. If there are none, each create makes another object. */
  paths(fields: Inputs | State): readonly string[];
  /** A removal that cannot be undone: no object is removed while it is not known that no other resource declares it. */
  isIrreversible?: true;
  /** False if a delete leaves the objects on the server. */
  isRemoved?(state: State): boolean;
  /** Removes the objects, each with its claim. Succeeds if they are already gone. */
  remove(request: DeleteRequest<State>, claims: Claims): Promise<unknown>;
}

/** No work, work for the next update, or work for the first update after a time. */
export type Work = "none" | "now" | Date;

/** A search for objects to import. */
export interface DiscoverRequest {
  operation: Operation;
  /** Return the roles of a mount as one resource. */
  asSet: boolean;
  /** Mounts to search besides those that the server lists. */
  mounts: readonly string[];
  /** Modules to search: `<organization>/<name>/<provider>`. If empty, those that the server lists. */
  modules: readonly string[];
  /** Search workspaces too. */
  workspaces: boolean;
  /** Runs a part of the search. If the server rejects it, records the reason under `what`, and returns nothing. */
  attempt<T>(what: string, part: () => Promise<T[]>): Promise<T[]>;
}

/** A resource that a search found. */
export interface Discovered<State> {
  /** The fields in the id, and all others that the search has read. */
  state: Partial<State>;
  /** True if `state` is the result of a read. */
  isRead?: boolean;
  /** The secrets that the server uses and never returns, each with the environment variable from which a program takes it. */
  unreadable?: Readonly<Record<string, string>>;
  /** Its name in the program. If omitted, its name on the server. */
  suggestedName?: string;
}

/**
 * A resource: a table of its fields, and its operations on the API. `Outputs` are the public outputs, and `State` adds those that only the provider uses.
 * The life cycle does everything else: check, diff, replacement, secrets, partial writes and errors.
 */
export interface Definition<Inputs, Outputs, State extends Outputs = Outputs, Existing = State> {
  system: System;
  /** The dialects of the system that have the resource. If omitted, all have it. */
  dialects?: readonly string[];
  /** `<system>:<Type>`. */
  token: string;
  /** The template of the resource in messages, with words of the dialect: `<engine> role`. */
  displayName: string;
  /** The template of the name after it: `<name>`. If omitted, messages show only the displayName. */
  name?: string;
  /** The template of the id: `<mount>/role/<name>`. */
  id: string;
  /** The resource can be read by its id alone. */
  readById?: true;
  fields: Fields<Inputs, Outputs, State>;
  rules?: readonly Rule<Inputs>[];
  /**
   * - `true`: delete the old resource before creating the new one, because they share an id.
   * - `false`: delete the old resource last.
   * - If omitted, `false`, except that a move to another server deletes first.
   */
  deleteBeforeReplace?: boolean;
  /** Undefined for a resource that leaves nothing on the server. */
  objects: Objects<Inputs, State> | undefined;

  /**
   * The work of the next update even if the program does not change. If omitted, there is none. Work that a read found is drift, which a refresh reports. A
   * time that has passed is no drift.
   */
  work?(state: State): Work;
  /**
   * Returns notes on a create (without `last`) or an update: its effects, or values that the server would reject. Also called if nothing changes, while
   * `work` lies ahead.
   */
  planNotes?(request: FindRequest<Inputs> & { last?: State }): PlanNote[] | Promise<PlanNote[]>;
  /** Returns undefined if the object does not exist. Throws if the read fails. */
  read(request: ReadRequest<State>): Promise<State | undefined>;
  /** Converts the state of a read to that of an import. If omitted, both are equal. */
  imported?(state: State): State;
  /** Reads the existing object and compares it with the declared values. If omitted, a create adopts nothing. */
  find?(request: FindRequest<Inputs> & Claiming): Promise<ExistingObject<Existing> | undefined>;
  create(request: CreateRequest<Inputs, Existing>): Promise<State>;
  update(request: UpdateRequest<Inputs, State>): Promise<State>;
  /** Finds objects to import, or is the reason why none can be imported. If omitted, the resource is an operation. */
  discover?: string | ((request: DiscoverRequest) => Promise<Discovered<State>[]>);
}

/** A definition without its own types. */
// biome-ignore lint/suspicious/noExplicitAny: the definitions have no other common type.
export interface AnyDefinition extends Omit<Definition<any, any, any, any>, "fields"> {
  fields: AnyFields;
}
