import { Output, secret } from "@pulumi/pulumi/output";
import { AnyFields } from "../../definition";
import { namesWith } from "../../fields";
import { ConnectionArgs, onlyConnection } from "../../inputs";
import { invoke } from "../../invoke";
import { system } from "../client";
import { SettingsState } from "./kind";
import { SettingsDefinition } from "./resource";
import { StoredState } from "./state";

/** What a function shows of settings: their readable attributes, secret ones as secret outputs. */
export type SettingsResult<State, Secret extends keyof State = never> = Pick<State, Exclude<keyof State, "managed" | Secret>> & {
  [Field in Secret]: Output<State[Field]>;
};

/** The readable attributes of settings, for a program. @internal */
export function readSettings<State extends SettingsState, Secret extends keyof State = never>(
  { displayName, fields, read }: { displayName: string; fields: AnyFields; read: SettingsDefinition<never, State>["read"] },
  options: ConnectionArgs = {},
): Promise<SettingsResult<State, Secret>> {
  return invoke(`Cannot read ${displayName}`, system, { schema: onlyConnection, given: options }, async (connection) => {
    const found = (await read({ connection, state: {} as State & StoredState, declared: [] })) as State & StoredState;
    const { managed, originalValues, serverNormalized, sent, ...shown } = found;
    const secrets = namesWith(fields, "secret").filter((name) => name in shown);
    const hidden = secrets.map((name) => [name, secret(found[name as keyof State])]);
    return { ...shown, ...Object.fromEntries(hidden) } as unknown as SettingsResult<State, Secret>;
  });
}
