import { Connection } from "../connection";
import { AnyFields, Definition, Fields } from "../definition";
import { StewardError } from "../errors";
import { ConnectionArgs, connectionField, strList } from "../inputs";
import type { Args } from "../resource";
import { adminPath, callAsAdministrator, system } from "./client";

/** What every action takes. */
export interface ActionInputs extends ConnectionArgs {
  /** Any texts, secret ones too; the action is done again each time they change. Changing this updates. */
  triggers?: string[];
}

/** Arguments of every action. */
export interface ActionArgs extends Args<ActionInputs> {}

/** What every action shows. */
export interface ActionState {
  /** When it was done last, as RFC 3339: `2026-01-31T12:00:00.000Z`. */
  performedAt: string;
}

/** One kind of action: what its own file states. @internal */
export interface Action<Inputs> {
  type: string;
  displayName: string;
  id: string;
  /** The last parts of the API's path. */
  path(connection: Connection): string[];
  /** What it takes beside `triggers`. */
  fields?: AnyFields;
  /** What to do when the platform refuses it. */
  whenRefused?: string;
  /** What is sent with it. */
  attributes?(inputs: Inputs): Record<string, unknown>;
}

/**
 * The resource of something that is done and leaves nothing to be read: done when it is created and when an input changes. Nobody repeats
 * it, and nothing undoes it.
 * @internal
 */
export function action<Inputs extends ActionInputs>(of: Action<Inputs>): Definition<Inputs, ActionState> {
  const perform = async ({ connection, inputs }: { connection: Connection; inputs: Inputs }): Promise<ActionState> => {
    const body = of.attributes && { data: { attributes: of.attributes(inputs) } };
    try {
      await callAsAdministrator(connection, { method: "POST", path: adminPath(...of.path(connection)), body, retry: "only429" });
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      if (error.code === "ERR_REJECTED") throw error.with({ hint: of.whenRefused });
      if (!error.details.outcomeUnknown) throw error;
      throw error.with({ hint: "It may have been done all the same: the next `pulumi up` does it again." });
    }
    return { performedAt: new Date().toISOString() };
  };
  return {
    system,
    token: `platform:${of.type}`,
    displayName: of.displayName,
    id: of.id,
    fields: {
      ...of.fields,
      triggers: { input: strList },
      performedAt: { output: true },
      connection: connectionField,
    } as unknown as Fields<Inputs, ActionState, ActionState>,
    read: async ({ state }) => state,
    create: perform,
    update: perform,
  };
}
