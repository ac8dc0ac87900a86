/** A rule of a policy, for one path or, if the path has a trailing star, for all paths with this prefix. */
export interface Rule {
  path: string;
  prefix: boolean;
  capabilities: string[];
}

const capabilityNames = ["create", "read", "update", "delete", "list", "sudo", "deny", "patch", "subscribe", "recover"];
const block = /\s*path\s+"([^"]*)"\s*\{\s*(?:capabilities\s*=\s*\[((?:\s*"[^"]*"\s*,?)*)\s*\])?\s*\}\s*/y;

/**
 * Parses `path "…" { capabilities = […] }`, the part of the policy language that tests need. Throws on anything else,
 * so that a policy never means less here than in Vault.
 */
export function parsePolicy(text: string): Rule[] {
  // Inside a string, a comment marker is part of the string.
  const bare = text.replace(/("[^"]*")|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1").trim();
  const rules: Rule[] = [];
  block.lastIndex = 0;
  while (block.lastIndex < bare.length) {
    const at = block.lastIndex;
    const match = block.exec(bare);
    if (!match) throw new Error(`failed to parse policy: expected path "…" { capabilities = […] } at: ${bare.slice(at, at + 40)}`);
    const path = (match[1] ?? "").replace(/^\//, "");
    if (/(^|\/)\+(\/|$)/.test(path)) throw new Error(`failed to parse policy: path "${path}": the sandbox does not know "+" segments`);
    const capabilities = [...(match[2] ?? "").matchAll(/"([^"]*)"/g)].map((capability) => capability[1]!);
    const wrong = capabilities.find((capability) => !capabilityNames.includes(capability));
    if (wrong !== undefined) throw new Error(`failed to parse policy: path "${path}": invalid capability "${wrong}"`);
    rules.push({ path: path.replace(/\*$/, ""), prefix: path.endsWith("*"), capabilities });
  }
  return rules;
}

/** The capabilities on a path: those of its exact rules, or else of the rules with the longest prefix. "deny" overrides the rest. */
function capabilities(rules: Rule[], path: string): string[] {
  const exact = rules.filter((rule) => !rule.prefix && rule.path === path);
  const prefixes = rules.filter((rule) => rule.prefix && path.startsWith(rule.path));
  const longest = Math.max(...prefixes.map((rule) => rule.path.length));
  const deciding = exact.length > 0 ? exact : prefixes.filter((rule) => rule.path.length === longest);
  const all = deciding.flatMap((rule) => rule.capabilities);
  return all.includes("deny") ? [] : all;
}

/** True if the rules allow these capabilities on the path. A rule for a list may omit the trailing slash. */
export function allows(rules: Rule[], path: string, needed: string[]): boolean {
  const bare = path.replace(/\/$/, "");
  const paths = needed.includes("list") ? [`${bare}/`, bare] : [path];
  return paths.some((each) => {
    const allowed = capabilities(rules, each);
    return needed.every((capability) => allowed.includes(capability));
  });
}

/** True if a rule allows anything on the path or, if `beginning` is set, on a path with this prefix. */
export function sees(rules: Rule[], path: string, beginning: boolean): boolean {
  if (capabilities(rules, path).length > 0) return true;
  return (
    beginning && rules.some((rule) => rule.path.startsWith(path) && rule.capabilities.length > 0 && !rule.capabilities.includes("deny"))
  );
}

/** True if a rule allows anything in the mount. Vault shows all paths of a mount or none, and a longer "deny" does not hide it. */
export function seesMount(rules: Rule[], mount: string): boolean {
  return rules.some(
    (rule) =>
      rule.capabilities.length > 0 &&
      !rule.capabilities.includes("deny") &&
      (rule.path.startsWith(mount) || (rule.prefix && mount.startsWith(rule.path))),
  );
}
