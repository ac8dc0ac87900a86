import { randomUUID } from "node:crypto";
import { parsePolicy } from "./policy";
import type { Records } from "./records";

// What the real product's own "default" policy lets every token do, of the routes that exist here: it makes their mounts visible.
const defaultPolicy = `
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
path "sys/capabilities-self" { capabilities = ["update"] }
path "sys/leases/renew" { capabilities = ["update"] }
path "sys/leases/lookup" { capabilities = ["update"] }
`;

/** What every service starts with: one engine without configuration or roles, and one token that may do everything. */
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
