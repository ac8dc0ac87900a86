import * as fc from "fast-check";
import { certificate, privateKey } from "../support/certificates";
import { absence, Context, canary, Properties, ResourceCase } from "./case";

const path = ({ mount }: Context): string => `/v1/${mount}/config/access`;
const inputs = ({ sandbox }: Context): Properties => ({
  address: sandbox.scheduler.url,
  token: canary("token"),
  clientCert: certificate,
  clientKey: `${privateKey}${canary("clientKey")}`,
});

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerAccess",
    inputs,
    changed: (context) => ({ ...inputs(context), token: canary("other") }),
    requests: (context) => ({
      create: [`GET ${path(context)}`, ...absence(context), `POST ${path(context)}`],
      update: [`POST ${path(context)}`],
      refresh: [`GET ${path(context)}`],
      // Without a DELETE in the API, a blank configuration is written.
      delete: [`${context.dialect === "standard" ? "POST" : "DELETE"} ${path(context)}`],
    }),
    drifts: [
      {
        change: (context) => context.outOfBand("secrets", "POST", path(context), { address: "http://other.example.com", token: "t" }),
        shows: ["address"],
      },
    ],
    paths: (context) => [path(context)],
    arbitraries: {
      address: fc.constantFrom("https://example.com", "https://127.0.0.1:4646/sso"),
      token: fc.constantFrom("canary-of-a-token", "canary-of-a-token with a blank"),
      maxTokenNameLength: fc.nat(256),
      caCert: fc.constantFrom(certificate, "-----BEGIN CERTIFICATE-----\nnone\n"),
      clientCert: fc.constant(certificate),
      clientKey: fc.constant(`${privateKey}canary-of-a-key`),
    },
    needed: ["address", "token"],
    refusal: { answers: { "/v1/scheduler/config/access": { data: { address: "" } } } },
  },
];
