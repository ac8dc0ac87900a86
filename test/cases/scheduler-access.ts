import * as fc from "fast-check";
import { certificate, privateKey } from "../support/certificates";
import { Secret } from "../support/deployment";
import { marked, number, only } from "../troubles/kind";
import { Context, canary, Drift, Properties, ResourceCase, referenceTo, requestsOf } from "./case";

const path = ({ mount }: Context): string => `/v1/${mount}/config/access`;
const inputs = ({ sandbox }: Context): Properties => ({
  address: sandbox.scheduler.url,
  token: canary("token"),
  clientCert: certificate,
  clientKey: `${privateKey}${canary("clientKey")}`,
});
const changed = (context: Context): Properties => ({
  ...inputs(context),
  token: canary("other"),
  maxTokenNameLength: 64,
  caCert: certificate,
});

/** A change of one field that an update has written. Only Vault returns more than the address. */
const drift = (field: string, wire: string, value: unknown, hiddenIn?: "standard"): Drift => ({
  change(context) {
    const { address, clientCert } = inputs(context);
    const written = { address, max_token_name_length: 64, ca_cert: certificate, client_cert: clientCert };
    return context.outOfBand("secrets", "POST", path(context), { ...written, token: "t", client_key: "k", [wire]: value });
  },
  shows: [field],
  hiddenIn,
});

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerAccess",
    inputs,
    changed,
    // Without DELETE in the API, a deletion writes a blank configuration.
    requests: requestsOf(path, ({ dialect }) => (dialect === "standard" ? "POST" : "DELETE")),
    drifts: [
      drift("address", "address", "http://other.example.com"),
      drift("maxTokenNameLength", "max_token_name_length", 128, "standard"),
      drift("caCert", "ca_cert", "", "standard"),
      drift("clientCert", "client_cert", "other", "standard"),
    ],
    paths: (context) => [path(context)],
    troubles: {
      parts: ["access"],
      inputs: (parts, { sandbox }) => {
        const [, value] = only(parts);
        const { url: address, token } = sandbox.scheduler;
        // An update changes the form of the token, too.
        const given = new Secret(value.level % 2 === 1 ? referenceTo(token) : token);
        return { address, token: given, maxTokenNameLength: marked(value, number(value)) };
      },
      held: (part, value) => [part, String(number(value))],
      keys: () => ["access"],
    },
    arbitraries: {
      address: fc.constantFrom("https://example.com", "https://127.0.0.1:4646/sso"),
      token: fc.constantFrom("canary-of-a-token", "canary-of-a-token with a blank"),
      maxTokenNameLength: fc.nat(256),
      caCert: fc.constantFrom(certificate, "-----BEGIN CERTIFICATE-----\nnone\n"),
      clientCert: fc.constant(certificate),
      clientKey: fc.constant(`${privateKey}canary-of-a-key`),
    },
    needed: ["address", "token"],
  },
];
