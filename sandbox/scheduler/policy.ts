import { home, Records } from "./records";

/** The rights of a token in one region. */
export interface Access {
  /** Access to the jobs and deployments of a namespace, or of any namespace for "*". */
  namespace(name: string, right: "read" | "write"): boolean;
  nodes: boolean;
  agent: boolean;
}

const everything: Access = { namespace: () => true, nodes: true, agent: true };
const nothing: Access = { namespace: () => false, nodes: false, agent: false };

/** The rights of a token. An unknown, expired or missing token has none, and neither has one of another region. */
export function accessOf(records: Records, secret: string | undefined, region: string = home): Access {
  if (secret === records.token) return everything;
  const token = [...records.tokens.values()].find((each) => each.secret === secret);
  if (!token || (token.expires ?? Number.POSITIVE_INFINITY) <= records.clock.now().getTime()) return nothing;
  if (!token.global && region !== home) return nothing;
  if (token.type === "management") return everything;
  const policies = token.policies.flatMap((name) => records.policies.get(name) ?? []);
  const allowed = (name: string, right: "read" | "write"): boolean => {
    const rights = policies.flatMap(({ namespaces = {} }) => namespaces[name] ?? namespaces["*"] ?? []);
    return !rights.includes("deny") && (rights.includes("write") || (right === "read" && rights.includes("read")));
  };
  return {
    namespace: (name, right) =>
      name === "*"
        ? policies.some(({ namespaces = {} }) => Object.keys(namespaces).some((each) => allowed(each, right)))
        : allowed(name, right),
    nodes: policies.some(({ nodes }) => nodes),
    agent: policies.some(({ agent }) => agent),
  };
}

/** True for a management token. */
export function manages(records: Records, secret: string): boolean {
  return accessOf(records, secret) === everything;
}
