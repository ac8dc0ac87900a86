import { Fault } from "../../../sandbox/index";
import { settingsCases as all } from "../../cases";
import { AttributeValues, SettingsCase } from "../../cases/settings";

/** One readable attribute: what a program declares, and what somebody else makes of it. */
export interface AttributeCase {
  settings: string;
  token: string;
  attribute: string;
  /** In the package's spelling, which those of Terraform Enterprise alone do not have in a program. */
  name: string;
  /** The output that shows it. */
  field: string;
  declared: unknown;
  outOfBand: unknown;
  inputs: Record<string, unknown>;
  managed: string[];
  /** What the platform must hold for the attribute to be changed alone. */
  before: Record<string, unknown>;
  /** What must be declared with it, since the platform does not show whether it has one. */
  also?: Record<string, unknown>;
}

const byName = <Value>(from: (each: SettingsCase) => Value): Record<string, Value> =>
  Object.fromEntries(all.map((each) => [each.settings, from(each)]));

/** The writes of settings, for a fault that meets them. */
export const patch: Pick<Fault, "system" | "method" | "path"> = { system: "platform", method: "PATCH", path: /-settings$/ };

/** What settings need to be enabled. */
export const complete: Record<string, Record<string, unknown>> = byName((each) => each.complete ?? {});

/** The resource of each settings document. */
export const tokens: Record<string, string> = byName(({ type }) => type);

/** The settings documents, and what each resource needs besides its readable attributes. */
export const kinds: string[] = all.map(({ settings }) => settings);
/** What only a write shows. */
export const hidden: Record<string, Record<string, unknown>> = {
  smtp: { password: "canary-mail", testEmailAddress: "me@example.com" },
  sms: { authToken: "canary-sms" },
};

const casesOf = ({ settings, type: token, complete = {}, alsoDeclared }: SettingsCase, values: AttributeValues): AttributeCase[] =>
  Object.entries(values).map(([attribute, [declared, outOfBand]]) => {
    const [before, also] = attribute === "enabled" ? [complete, alsoDeclared] : [{}, undefined];
    const inputs = { [attribute]: declared, ...also };
    return {
      ...{ settings, token, attribute, name: attribute, field: attribute, declared, outOfBand, inputs, before, also },
      managed: Object.keys(inputs).sort(),
    };
  });

export const attributeCases: AttributeCase[] = all.flatMap((each) => casesOf(each, each.values));
/** Attributes of Terraform Enterprise alone. */
export const extraCases: AttributeCase[] = all
  .flatMap((each) => casesOf(each, each.extraValues ?? {}))
  .map((each) => ({
    ...each,
    name: each.attribute.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    field: "extra",
    inputs: { extra: each.inputs },
    managed: [`extra.${each.attribute}`],
  }));
