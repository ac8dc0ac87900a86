import { Found } from "./adoption";
import { Comparison } from "./comparison";
import { Connection, System } from "./connection";

/** What the provider uses of a schema; every schema is a zod one, and zod's types stay out of the published declarations. @internal */
export interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: readonly { path: PropertyKey[]; message: string }[] } };
}

/** Something wrong, or at least doubtful, with the inputs. Never holds a value: it may be a secret. @internal */
export interface Finding {
  /** `roles.web.policies[0]`; empty when it is about the resource as a whole. */
  path: string;
  reason: string;
  /** Printed instead of refused. */
  warning?: boolean;
}

/** A rule that no schema of one field can state. It waits until every field it names is known. @internal */
export interface Rule<Inputs> {
  fields: readonly (keyof Inputs & string)[];
  /** `last` holds the inputs of the last run; none before the first. */
  check(inputs: Inputs, connection: Connection, last: Partial<Inputs>): Finding[] | Promise<Finding[]>;
}

/** A state that an unanswered write left behind. @internal */
export interface Doubt {
  /** The server may hold what the last write sent, or not. */
  unfinished?: boolean;
  /** The same of these parts alone: they are written, or deleted, whatever is compared. */
  unanswered?: string[];
}

/**
 * A resource: data, and four functions that talk to the API. Everything else (check, diff, replacement, secrets, the recorded server,
 * half-done work, error texts) is done once, for all of them, in the adapter.
 * @internal
 */
export interface Definition<Inputs, State, Existing = State> {
  system: System;
  /** `<system>:<Type>`. */
  token: string;
  /** What an error calls it: `scheduler role`. */
  noun: string;
  /** The name an error puts after the noun; empty for what has none. */
  name(fields: Inputs | State): string;
  /** The Pulumi id. Without a state nothing was created, or nothing is known of it. */
  id(inputs: Inputs, state?: State): string;
  /** What an id looks like, for the message about one that does not. Not there: nothing can be read by an id. */
  idForm?: string;
  /** The fields that an id holds, for `get`; undefined when it is not an id of this type. */
  parseId?(id: string): Partial<State> | undefined;

  inputs: Schema;
  /** Every field of the state: what is not listed here is `undefined` on the resource object. */
  state: readonly (keyof State & string)[];
  /** What an input is when the program does not say. */
  defaults?(connection: Connection): Partial<Inputs>;
  rules?: readonly Rule<Inputs>[];
  compare?: { readonly [Field in keyof Inputs]?: Comparison };
  /** Fields whose change replaces the resource. */
  replaces: readonly (keyof Inputs & string)[];
  /**
   * true: the id is fixed by the server, so deleting the old one after creating the new one would delete the new one. false: each
   * creation makes another object, and the old one goes last. Not there: false, except that a resource moved to another server is deleted first.
   */
  deleteBeforeReplace?: boolean;
  /** Inputs whose keys are each declared, compared and let go for themselves: `extra.apply-timeout`. */
  open?: readonly (keyof Inputs & string)[];
  /** Secret inputs and outputs; one key of an open input as `extra.private-key`. */
  secrets: readonly string[];
  /** Further inputs that no error shows, since the program says that they are never shown. Whether Pulumi encrypts them, the program decides. */
  secretsNamed?(fields: Inputs | State): string[];
  /** Inputs whose values stay on the server when they leave the program. Of all others, the server then gets another value. */
  remaining?: readonly (keyof Inputs & string)[];
  /** Outputs that are stored encrypted as a whole, since among other things they hold secrets, each under its own name. */
  encrypted?: readonly string[];
  /**
   * The objects on the server that a resource holds, by their paths: a program declares each once, and no deletion removes one that another resource
   * holds. `delete` goes through `removeObject` for each. Not there: each creation makes another object, or none.
   */
  objects?: {
    /** The inputs that name them. */
    fields: readonly (keyof Inputs & string)[];
    paths(fields: Inputs | State): readonly string[];
  };

  /** What an update will do or the server would refuse, judged on what is declared over what was last read: a preview prints it. */
  foresee?(inputs: Inputs, last: State): Finding[] | Promise<Finding[]>;
  /** What a creation makes possible, or the server would refuse: a preview prints it. */
  foreseeCreation?(inputs: Inputs): Finding[];
  /** What a creation will do, where its inputs alone do not tell: a preview prints it. */
  announce?(inputs: Inputs, connection: Connection): Promise<string>;
  /**
   * undefined: the server says that it does not exist. Anything else that keeps us from reading it throws. `declared` names the inputs that
   * the program declares: none when `get` reads, and then `previous` holds what the id says and no more.
   */
  read(connection: Connection, previous: State, declared: readonly string[]): Promise<State | undefined>;
  /** Reads what a creation would take over, and compares it with what it would write. Not there: it takes nothing over. */
  find?(connection: Connection, inputs: Inputs): Promise<Found<Existing> | undefined>;
  create(connection: Connection, inputs: Inputs, found?: Found<Existing>): Promise<State>;
  /** `previous` is the last state without the inputs that have left the program. */
  update(connection: Connection, inputs: Inputs, previous: State, last: State & Doubt): Promise<State>;
  /** Succeeds when it is gone already. Not there: the resource leaves nothing on the server. */
  delete?(connection: Connection, state: State & Doubt): Promise<unknown>;
  /** Finds out more about a creation that failed. */
  explain?(connection: Connection, error: unknown): Promise<unknown>;
}
