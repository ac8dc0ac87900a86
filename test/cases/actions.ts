import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { Context, Properties, ResourceCase } from "./case";

const smsPath = ({ dialect }: Context): string => `/api/v2/admin/${dialect === "hashicorp" ? "twilio" : "sms"}-settings`;

interface Action {
  type: string;
  path(context: Context): string;
  inputs?: Properties;
  changed?: Properties;
  more?: Partial<ResourceCase>;
}

/** The case of an action, which sends one request each time that it runs. */
const actionCase = ({ type, path, inputs = {}, changed = { triggers: ["1"] }, more = {} }: Action): ResourceCase => ({
  token: `platform:${type}`,
  inputs: () => inputs,
  changed: () => changed,
  requests: (context) => ({ create: [`POST ${path(context)}`], update: [`POST ${path(context)}`], refresh: [], delete: [] }),
  ...more,
  arbitraries: { triggers: fc.array(fc.string(), { maxLength: 2 }), ...more.arbitraries },
});

const admin = (path: string) => (): string => `/api/v2/admin/${path}`;

export const cases: readonly ResourceCase[] = [
  actionCase({ type: "SamlCertificateRevocation", path: admin("saml-settings/actions/revoke-old-certificate") }),
  actionCase({
    type: "OidcKeyRotation",
    path: admin("oidc-settings/actions/rotate-key"),
    more: { isRepeatable: false, arbitraries: { trimLater: fc.boolean() } },
  }),
  actionCase({ type: "OidcKeyTrim", path: admin("oidc-settings/actions/trim-key") }),
  actionCase({
    type: "SmsVerification",
    path: (context) => `${smsPath(context)}/verify`,
    inputs: { testNumber: "+15550123" },
    changed: { testNumber: "+15550124" },
    more: {
      arbitraries: { testNumber: word },
      prepare(context) {
        const attributes = { enabled: true, "account-sid": "AC1", "auth-token": "canary-sms", "from-number": "+15550100" };
        return context.outOfBand("platform", "PATCH", smsPath(context), { data: { attributes } });
      },
    },
  }),
];
