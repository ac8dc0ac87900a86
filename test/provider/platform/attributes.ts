import { Fault } from "../../../sandbox/index";
import { settingsCases as all } from "../../cases";
import { AttributeValues, SettingsCase } from "../../cases/settings";

/** One readable attribute: the values that a program and another client write. */
export interface AttributeCase {
  settings: string;
  token: string;
  attribute: string;
  declared: unknown;
  outOfBand: unknown;
  inputs: Record<string, unknown>;
  managed: string[];
  /** The values that the platform must have before this attribute can change alone. */
  before: Record<string, unknown>;
  /** The inputs that must be declared with it, since the platform does not show if it has them. */
  also?: Record<string, unknown>;
}

const byName = <Value>(from: (each: SettingsCase) => Value): Record<string, Value> =>
  Object.fromEntries(all.map((each) => [each.settings, from(each)]));

/** The writes of settings, as the match of a fault. */
export const patch: Pick<Fault, "system" | "method" | "path"> = { system: "platform", method: "PATCH", path: /-settings$/ };

/** The attributes that are required to enable settings. */
export const complete: Record<string, Record<string, unknown>> = byName((each) => each.complete ?? {});

/** The resource of each settings document. */
export const tokens: Record<string, string> = byName(({ type }) => type);

const casesOf = ({ settings, type: token, complete = {}, alsoDeclared }: SettingsCase, values: AttributeValues): AttributeCase[] =>
  Object.entries(values).map(([attribute, [declared, outOfBand]]) => {
    const [before, also] = attribute === "enabled" ? [complete, alsoDeclared] : [{}, undefined];
    const inputs = { [attribute]: declared, ...also };
    return {
      ...{ settings, token, attribute, declared, outOfBand, inputs, before, also },
      managed: Object.keys(inputs).sort(),
    };
  });

export const attributeCases: AttributeCase[] = all.flatMap((each) => casesOf(each, each.values));
/** Attributes of Terraform Enterprise only. */
export const productCases: AttributeCase[] = all.flatMap((each) => casesOf(each, each.productValues ?? {}));
