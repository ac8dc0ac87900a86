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
  const { engine, token } = records;
  records.mount(engine);
  records.policies.set("default", { text: defaultPolicy, rules: parsePolicy(defaultPolicy) });
  addRootToken(records, token);
}

export function addRootToken({ tokens, clock }: Records, id: string): void {
  const created = clock.now().getTime();
  const forever = { created, ttl: 0, explicitMaxTtl: 0, renewable: false };
  tokens.set(id, { id, accessor: randomUUID(), displayName: "root", policies: ["root"], ...forever });
}
