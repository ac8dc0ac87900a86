import * as fc from "fast-check";
import { Context, Drift, Properties, ResourceCase } from "./case";

/** One readable attribute: what a program declares, and what somebody else makes of it. */
export type AttributeValues = Readonly<Record<string, readonly [declared: unknown, outOfBand: unknown]>>;

/** One kind of settings. */
export interface SettingsCase {
  /** `saml` of `saml-settings`. */
  settings: string;
  type: string;
  /** Every attribute that can be written and read. */
  values: AttributeValues;
  /** Attributes of Terraform Enterprise alone. */
  extraValues?: AttributeValues;
  /** What enabling them needs. */
  complete?: Properties;
  /** What must be declared beside `enabled`, since the platform does not show whether it holds it. */
  alsoDeclared?: Properties;
  inputs: Properties;
  changed: Properties;
  /** An attribute joins with `changed`: it is read before it is written. */
  joins?: true;
  /** One attribute as another client writes it, and the field that a refresh then shows. */
  drift: readonly [attributes: object, shows: string];
  arbitraries: ResourceCase["arbitraries"];
  refusal?: ResourceCase["refusal"];
}

const pathOf = ({ dialect }: Context, settings: string): string =>
  `/api/v2/admin/${settings === "sms" && dialect === "hashicorp" ? "twilio" : settings}-settings`;

/** The case of settings: all kinds live the same life. */
export function settingsCase({ settings, type, inputs, changed, joins, drift, arbitraries, refusal }: SettingsCase): ResourceCase {
  const path = (context: Context): string => pathOf(context, settings);
  const [attributes, field] = drift;
  const change: Drift["change"] = (context) => context.outOfBand("platform", "PATCH", path(context), { data: { attributes } });
  return {
    token: `platform:${type}`,
    inputs: () => inputs,
    changed: () => changed,
    requests: (context) => ({
      create: [`GET ${path(context)}`, `PATCH ${path(context)}`],
      update: [...(joins ? [`GET ${path(context)}`] : []), `PATCH ${path(context)}`],
      refresh: [`GET ${path(context)}`],
      delete: [`PATCH ${path(context)}`],
    }),
    drifts: [{ change, shows: [field] }],
    paths: (context) => [path(context)],
    arbitraries: {
      onDelete: fc.constantFrom("restore", "retain"),
      extra: fc.constantFrom({ "apply-timeout": "24h" }, { "private-key": "canary-of-a-private-key", "provider-type": { deep: [1] } }, {}),
      extraWriteOnly: fc.constantFrom([], ["signing-secret"]),
      ...arbitraries,
    },
    refusal: { shows: attributes as Properties, ...refusal },
  };
}
