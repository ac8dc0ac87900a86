import { settingsCases as all } from "../../cases";
import { isIn } from "../../cases/case";
import { AttributeValues, SettingsCase } from "../../cases/settings";

/** One readable attribute: the values that a program and another client write. */
export interface AttributeCase {
  settings: string;
  token: string;
  attribute: string;
  declared: unknown;
  outOfBand: unknown;
  inputs: Record<string, unknown>;
  /** The values that the platform must have before this attribute can change alone. */
  before: Record<string, unknown>;
  /** The inputs that must be declared with it, since the platform does not show if it has them. */
  also?: Record<string, unknown>;
}

const byName = <Value>(from: (each: SettingsCase) => Value): Record<string, Value> =>
  Object.fromEntries(all.map((each) => [each.settings, from(each)]));

/** The attributes that are required to enable settings. */
export const complete: Record<string, Record<string, unknown>> = byName((each) => each.complete ?? {});

/** The attributes of each kind that its own suite tests. */
export const ownAttributes: Record<string, readonly string[]> = byName((each) => each.ownValues ?? []);

/** The settings of a dialect: the name of each document, and its resource. */
export const settingsOf = (dialect: "standard" | "hashicorp"): (readonly [settings: string, type: string])[] =>
  all.filter(isIn(dialect)).map(({ settings, type }) => [settings, type] as const);

const casesOf = ({ settings, type: token, complete = {}, alsoDeclared }: SettingsCase, values: AttributeValues): AttributeCase[] =>
  Object.entries(values).map(([attribute, [declared, outOfBand]]) => {
    const [before, also] = attribute === "enabled" ? [complete, alsoDeclared] : [{}, undefined];
    return { settings, token, attribute, declared, outOfBand, inputs: { [attribute]: declared, ...also }, before, also };
  });

/** The readable attributes of a dialect. */
export const attributesOf = (dialect: "standard" | "hashicorp"): AttributeCase[] =>
  all.filter(isIn(dialect)).flatMap((each) => casesOf(each, { ...each.values, ...(dialect === "hashicorp" ? each.productValues : {}) }));
