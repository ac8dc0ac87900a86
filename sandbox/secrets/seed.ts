import { randomUUID } from "node:crypto";
import { parsePolicy } from "./policy";
import { Records } from "./records";

// The part of Vault's "default" policy for the routes of the sandbox. It makes their mounts visible.
const defaultPolicy = `
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
path "sys/capabilities-self" { capabilities = ["update"] }
path "sys/leases/renew" { capabilities = ["update"] }
path "sys/leases/lookup" { capabilities = ["update"] }
`;

/** Adds the seed: an engine without configuration or roles, and the root token. */
export function applySeed(records: Records): void {
  const { engine, token, clock } = records;
  records.mount(engine, "");
  records.policies.set("default", { text: defaultPolicy, rules: parsePolicy(defaultPolicy) });
  records.tokens.set(token, {
    id: token,
    accessor: randomUUID(),
    displayName: "root",
    policies: ["root"],
    created: clock.now().getTime(),
    ttl: 0,
    explicitMaxTtl: 0,
    renewable: false,
  });
}
