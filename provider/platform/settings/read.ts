import { Output, secret } from "@pulumi/pulumi/output";
import { AnyFields } from "../../definition";
import { namesWith } from "../../fields";
import { Connected, onlyConnection } from "../../inputs";
import { ask } from "../../program";
import { system } from "../client";
import { SettingsState } from "./kind";
import { SettingsDefinition } from "./resource";
import { Remembered } from "./state";

/** What a function shows of settings: their readable attributes, secret ones as secret outputs. */
export type Shown<State, Secret extends keyof State = never> = Pick<State, Exclude<keyof State, "managed" | Secret>> & {
  [Field in Secret]: Output<State[Field]>;
};

/** The readable attributes of settings, for a program. @internal */
export function readSettings<State extends SettingsState, Secret extends keyof State = never>(
  { noun, fields, read }: { noun: string; fields: AnyFields; read: SettingsDefinition<never, State>["read"] },
  options: Connected = {},
): Promise<Shown<State, Secret>> {
  return ask(`Cannot read ${noun}`, system, { schema: onlyConnection, given: options }, async (connection) => {
    const found = (await read({ connection, state: {} as State & Remembered, declared: [] })) as State & Remembered;
    const { managed, heldBefore, changedByServer, sent, ...shown } = found;
    const secrets = namesWith(fields, "secret").filter((name) => name in shown);
    const hidden = secrets.map((name) => [name, secret(found[name as keyof State])]);
    return { ...shown, ...Object.fromEntries(hidden) } as unknown as Shown<State, Secret>;
  });
}
