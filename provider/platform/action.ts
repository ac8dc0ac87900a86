import { AnyFields, Definition, Fields, WriteRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { ConnectionArgs, connectionField, strList } from "../contract/inputs";
import { Operation } from "../contract/operation";
import type { Args } from "../program/resource";
import { Json } from "../text/json";
import { adminPath, callAsAdministrator, system } from "./client";

/** Inputs of every action. */
export interface ActionInputs extends ConnectionArgs {
  /**
   * Arbitrary strings, which may be secrets. Changing any of them runs the action again.
   * @change updates, and runs the action again
   * @example ["2026-01"]
   */
  triggers?: string[];
}

/** Arguments of every action. */
export interface ActionArgs extends Args<ActionInputs> {}

/** Outputs of every action. */
export interface ActionState {
  /** The time when the action last ran, in RFC 3339 format, such as `2026-01-31T12:00:00.000Z`. */
  performedAt: string;
}

export interface Action<Inputs> {
  type: string;
  displayName: string;
  id: string;
  /** The dialects that have it. If omitted, all have it. */
  dialects?: readonly string[];
  /** The last segments of the API path. */
  path(operation: Operation): string[];
  /** The inputs besides `triggers`. */
  fields?: AnyFields;
  /** The hint of an error when the server rejects the action. */
  whenRefused?: string;
  /** The attributes of the request body. */
  attributes?(inputs: Inputs): Json;
}

/** Runs an action once. Its outcome is the time. */
export async function perform<Inputs>(
  { path, whenRefused, attributes }: Pick<Action<Inputs>, "path" | "whenRefused" | "attributes">,
  { operation, inputs }: WriteRequest<Inputs>,
): Promise<ActionState> {
  const body = attributes && { data: { attributes: attributes(inputs) } };
  try {
    await callAsAdministrator(operation, { method: "POST", path: adminPath(...path(operation)), body, retry: "only429" });
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    if (error.code === "ERR_REJECTED") throw error.with({ hint: whenRefused });
    if (!error.details.outcomeUnknown) throw error;
    throw error.with({ hint: "The action may have run: the next `pulumi up` runs it again." });
  }
  return { performedAt: new Date().toISOString() };
}

/**
 * A resource for an action, which is not read back. The action runs on create and on each change of an input. It is not undone on delete.
 */
export function action<Inputs extends ActionInputs>(options: Action<Inputs>): Definition<Inputs, ActionState> {
  const run = (request: WriteRequest<Inputs>): Promise<ActionState> => perform(options, request);
  return {
    system,
    token: `platform:${options.type}`,
    displayName: options.displayName,
    id: options.id,
    dialects: options.dialects,
    objects: undefined,
    fields: {
      ...options.fields,
      triggers: { input: strList },
      performedAt: { output: true },
      connection: connectionField,
    } as unknown as Fields<Inputs, ActionState, ActionState>,
    read: async ({ state }) => state,
    create: run,
    update: run,
  };
}
