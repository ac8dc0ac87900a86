import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { Context, Drift, Properties, ResourceCase } from "./case";

/** The values of readable attributes: one that a program declares, and one that another client writes. */
export type AttributeValues = Readonly<Record<string, readonly [declared: unknown, outOfBand: unknown]>>;

export interface SettingsCase {
  /** The kind, such as `saml` for `saml-settings`. */
  settings: string;
  type: string;
  /** The dialects that have the settings. If omitted, all have them. */
  dialects?: ResourceCase["dialects"];
  /** Every attribute that can be written and read. */
  values: AttributeValues;
  /** Attributes of Terraform Enterprise only. */
  productValues?: AttributeValues;
  /** Attributes that their own suite tests, because no `PATCH` changes or restores them alone. */
  ownValues?: readonly string[];
  /** The inputs that are required to enable the settings. */
  complete?: Properties;
  /** Inputs that must be declared with `enabled`, since the platform does not show if it has them. */
  alsoDeclared?: Properties;
  inputs: Properties;
  /** If it adds an attribute, that one is read before it is written. */
  changed: Properties;
  /** The attributes that another client writes, and the field whose drift a refresh reports. */
  drift: readonly [attributes: object, shows: string];
  /** The attributes in the programs of test/troubles. If omitted, the first that take any text, number or flag. */
  parts?: readonly string[];
  /** Those of the inputs that are not any boolean or any word. */
  arbitraries?: ResourceCase["arbitraries"];
}

const pathOf = ({ dialect }: Context, settings: string): string =>
  `/api/v2/admin/${settings === "sms" && dialect === "hashicorp" ? "twilio" : settings}-settings`;

const arbitrariesOf = (values: AttributeValues): ResourceCase["arbitraries"] =>
  Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, typeof value === "boolean" ? fc.boolean() : word]));

/** Returns the case of settings. All kinds have the same life. */
export function settingsCase({ settings, type, dialects, inputs, changed, drift, ...more }: SettingsCase): ResourceCase {
  const path = (context: Context): string => pathOf(context, settings);
  const [attributes, field] = drift;
  const joins = Object.keys(changed).some((name) => !(name in inputs));
  const change: Drift["change"] = (context) => context.outOfBand("platform", "PATCH", path(context), { data: { attributes } });
  return {
    token: `platform:${type}`,
    dialects,
    inputs: () => inputs,
    changed: () => changed,
    requests: (context) => ({
      create: [`GET ${path(context)}`, `PATCH ${path(context)}`],
      // An attribute that joins is read before it is written.
      update: [...(joins ? [`GET ${path(context)}`] : []), `PATCH ${path(context)}`],
      refresh: [`GET ${path(context)}`],
      delete: [`PATCH ${path(context)}`],
    }),
    drifts: [{ change, shows: [field] }],
    paths: (context) => [path(context)],
    arbitraries: {
      onDelete: fc.constantFrom("restore", "retain"),
      ...arbitrariesOf({ ...more.values, ...more.productValues }),
      ...Object.fromEntries((more.ownValues ?? []).map((name) => [name, fc.boolean()])),
      ...more.arbitraries,
    },
  };
}
