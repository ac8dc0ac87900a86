import { exact } from "../../contract/comparison";
import { comparisonOf, namesWith } from "../../contract/fields";
import { areEqual } from "../../contract/secret";
import { withoutNulls } from "../../text/json";
import { SettingsPage, Values } from "./page";

// The attributes of a page, and their values by name.

/** The attributes that the server returns. */
export const readable = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "output");

/** The attributes that the server stores and never returns. */
export const writeOnly = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "writeOnly");

/** The attributes that the server accepts and does not store. */
export const requestOnly = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "requestOnly");

export const secrets = ({ attributes }: SettingsPage): string[] => namesWith(attributes, "secret");

/** True for equivalent values of an attribute. */
export const same = ({ attributes }: SettingsPage, name: string, a: unknown, b: unknown): boolean =>
  areEqual(comparisonOf(attributes, name), a ?? undefined, b ?? undefined);

/** The attributes that enabled settings require and these values lack, such as an empty secret. */
export function missingIn({ requiredWhenEnabled }: SettingsPage, values: Values): string[] {
  const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, areEqual(exact, value, "") ? "" : value]));
  return values.enabled ? (requiredWhenEnabled?.(shown) ?? []).filter((name) => !shown[name]) : [];
}

/** The desired values that differ from the current ones. */
export const differing = (page: SettingsPage, desired: Values, current: Values): Values =>
  Object.fromEntries(Object.entries(desired).filter(([name, value]) => !same(page, name, current[name], value)));

export const declaredAttributes = (page: SettingsPage, inputs: object): Values =>
  pick(
    withoutNulls(inputs),
    namesWith(page.attributes, "input").filter((name) => !requestOnly(page).includes(name)),
  );

/** The attributes in a state. */
export const storedValues = (page: SettingsPage, state: object): Values =>
  pick(withoutNulls(state), [...readable(page), ...namesWith(page.attributes, "input")]);

export const pick = (values: object, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** A wrapped value for the state, which loses null and undefined. */
export const wrap = (value: unknown): { value?: unknown } => (value === null || value === undefined ? {} : { value });
