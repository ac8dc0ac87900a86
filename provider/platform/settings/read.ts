import type { Output } from "@pulumi/pulumi/output";
import { AnyFields } from "../../contract/definition";
import { namesWith } from "../../contract/fields";
import { ReadFunction } from "../../contract/function";
import { ConnectionArgs, onlyConnection } from "../../contract/inputs";
import { read, secretsAsOutputs } from "../../program/invoke";
import { system } from "../client";
import { SettingsState } from "./page";
import { SettingsDefinition } from "./resource";
import { StoredState } from "./state";

/** The readable attributes of settings, with secrets as secret outputs. */
export type SettingsResult<State, Secret extends keyof State = never> = Pick<State, Exclude<keyof State, "managed" | Secret>> & {
  [Field in Secret]: Output<State[Field]>;
};

/** The function that reads settings, without the provider's part of the state. */
export const settingsFunction = <State extends SettingsState>(page: Readable<State>): ReadFunction<ConnectionArgs, Partial<State>> => ({
  token: page.token.replace(":", ":get"),
  operation: `Cannot read ${page.displayName}`,
  system,
  dialects: page.dialects,
  options: onlyConnection,
  secrets: namesWith(page.fields, "secret"),
  async run(operation) {
    const state = (await page.read({ operation, state: {} as State & StoredState, declared: [] })) as State & StoredState;
    const { managed, originalValues, serverNormalized, sent, ...settings } = state;
    return settings as unknown as Partial<State>;
  },
});

type Readable<State extends SettingsState> = Pick<SettingsDefinition<never, State>, "token" | "dialects" | "displayName" | "read"> & {
  fields: AnyFields;
};

export async function readSettings<State extends SettingsState, Secret extends keyof State = never>(
  settings: Readable<State>,
  options: ConnectionArgs = {},
): Promise<SettingsResult<State, Secret>> {
  const called = settingsFunction(settings);
  return secretsAsOutputs(called, await read(called, options)) as SettingsResult<State, Secret>;
}
