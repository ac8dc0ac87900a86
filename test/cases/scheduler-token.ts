import * as fc from "fast-check";
import { name, word } from "../troubles/fuzz/values";
import { marked, only, text } from "../troubles/kind";
import { Context, ResourceCase } from "./case";

const creds = ({ mount }: Context, role: string): string => `GET /v1/${mount}/creds/${role}`;
/** Requests of the dialect whose tokens have leases. */
const withLeases = ({ dialect }: Context, ...requests: string[]): string[] => (dialect === "hashicorp" ? requests : []);

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerToken",
    inputs: () => ({ role: "minting" }),
    replaced: () => ({ role: "minting", keepers: { month: "2026-02" } }),
    isRepeatable: false,
    async prepare({ sandbox, mount, outOfBand }) {
      const { url: address, token } = sandbox.scheduler;
      await outOfBand("secrets", "POST", `/v1/${mount}/config/access`, { address, token });
      await outOfBand("secrets", "POST", `/v1/${mount}/role/minting`, { type: "management" });
    },
    requests: (context) => ({
      create: [...withLeases(context, "GET /v1/auth/token/lookup-self"), creds(context, "minting")],
      refresh: withLeases(context, "PUT /v1/sys/leases/lookup"),
      delete: withLeases(context, "PUT /v1/sys/leases/revoke"),
    }),
    neverCreates: ["/v1/sys/leases/lookup", "/v1/sys/leases/revoke"],
    troubles: {
      parts: ["token"],
      // The tokens of the other dialect have no leases, so nothing revokes them.
      dialects: ["hashicorp"],
      inputs: (parts) => {
        const [, value] = only(parts);
        return { role: "theirs", keepers: { level: marked(value, text(value)) } };
      },
      held: () => undefined,
    },
    arbitraries: { role: word, keepers: fc.dictionary(name, fc.string(), { maxKeys: 2 }) },
    // The response, not the request, would contain the secret.
  },
];
