import type { Output } from "@pulumi/pulumi/output";
import { AnyDefinition } from "../../contract/definition";
import { namesWith } from "../../contract/fields";
import { ReadFunction } from "../../contract/function";
import { ConnectionArgs, onlyConnection } from "../../contract/inputs";
import { Secret } from "../../contract/secret";
import { read, secretsAsOutputs } from "../../program/invoke";
import { system } from "../client";
import { SettingsState } from "./page";

/** The readable attributes of settings, with secrets as secret outputs. */
export type SettingsResult<State, Secret extends keyof State = never> = Pick<State, Exclude<keyof State, "managed" | Secret>> & {
  [Field in Secret]: Output<State[Field]>;
};

/** The function that reads settings, without the provider's part of the state. */
export const settingsFunction = (page: Readable): ReadFunction<ConnectionArgs, object> => ({
  token: page.token.replace(":", ":get"),
  operation: `Cannot read ${page.displayName}`,
  system,
  dialects: page.dialects,
  options: onlyConnection,
  secrets: namesWith(page.fields, "secret"),
  async run(operation) {
    const { managed, originalValues, serverNormalized, sent, ...settings } = await page.read({ operation, state: {}, declared: [] });
    const plain = Object.entries(settings).map(([name, value]) => [name, value instanceof Secret ? value.value() : value]);
    return Object.fromEntries(plain);
  },
});

type Readable = Pick<AnyDefinition, "token" | "dialects" | "displayName" | "read" | "fields">;

export async function readSettings<State extends SettingsState, Secret extends keyof State = never>(
  settings: Readable,
  options: ConnectionArgs = {},
): Promise<SettingsResult<State, Secret>> {
  const called = settingsFunction(settings);
  return secretsAsOutputs(called, await read(called, options)) as SettingsResult<State, Secret>;
}
