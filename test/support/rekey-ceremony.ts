import { StewardError } from "../../provider/contract/errors";
import { RekeyInputs } from "../../provider/secrets";
import { start } from "../../sandbox/index";
import { startOpenBao, startVault } from "../../tools/servers";
import { steward } from "../command/holder";
import { call } from "./call";
import { blocks } from "./pages";
import { holders, read } from "./pgp";
import { startProxy } from "./proxy";
import { RekeyStack } from "./rekey";
import { variablesFor } from "./rekey-wire";

// A rekey by a stack and several holders, whose tokens have the policies of the API page and nothing else.

/** A service that requires a token for a rekey. */
export interface TokenService {
  dialect: "hashicorp" | "openbao";
  url: string;
  /** The root token. */
  token: string;
  /** The current shares: any three of five at the start, then any two of three. */
  shares: string[];
  threshold: number;
  stop(): Promise<void>;
}

const needed: Record<string, string> = { GET: "read", PUT: "update", POST: "update", DELETE: "delete" };

/** Starts a Vault behind a proxy that denies the requests of a rekey, or for a root token, without a policy that grants them, as Vault 2.x is documented to. */
async function vaultRequiringTokens(): Promise<TokenService> {
  const { address, token, keys, stop } = await startVault();
  const allows = async (given: unknown, path: string, capability = "none"): Promise<boolean> => {
    if (typeof given !== "string") return false;
    const { json } = await call({ url: address, token }, "POST", "/v1/sys/capabilities", { token: given, paths: [path] });
    const granted: string[] = json?.data?.[path] ?? [];
    return granted.includes(capability) || granted.includes("root");
  };
  const { url, close } = await startProxy(async ({ method, url, headers }) => {
    const path = String(url).replace("/v1/", "");
    const isAllowed = !/^sys\/(rekey|generate-root)\//.test(path) || (await allows(headers["x-vault-token"], path, needed[String(method)]));
    return isAllowed ? { address } : 403;
  });
  return { dialect: "hashicorp", url, token, shares: keys, threshold: 3, stop: () => stop().finally(close) };
}

async function openbao(): Promise<TokenService> {
  const { address, token, keys, stop } = await startOpenBao();
  return { dialect: "openbao", url: address, token, shares: keys, threshold: 3, stop };
}

const onSandbox = (dialect: TokenService["dialect"]) => async (): Promise<TokenService> => {
  const { secrets, close } = await start({ dialect, rekeyNeedsToken: true });
  return { dialect, url: secrets.url, token: secrets.token, shares: secrets.shares, threshold: 3, stop: close };
};

const { REAL_VAULT_ADDRESS, REAL_OPENBAO_ADDRESS } = process.env;
/** The services that require a token, real ones if there are any. Vault 2.x itself cannot be built here. */
export const tokenServices: { dialect: TokenService["dialect"]; start(): Promise<TokenService> }[] = [
  { dialect: "hashicorp", start: REAL_VAULT_ADDRESS ? vaultRequiringTokens : onSandbox("hashicorp") },
  { dialect: "openbao", start: REAL_OPENBAO_ADDRESS ? openbao : onSandbox("openbao") },
];

type Role = "stack" | "holder";
/** The policies on the API page: of a stack and a holder for Vault, then for OpenBao. */
const [vaultStack = "", vaultHolder = "", openbaoStack = "", openbaoHolder = ""] = blocks("docs/api/secrets/rekey.md", "hcl");
export const documented: Record<TokenService["dialect"], Record<Role, string>> = {
  hashicorp: { stack: vaultStack, holder: vaultHolder },
  openbao: { stack: openbaoStack, holder: openbaoHolder },
};

const rules = /path "([^"]+)" \{ capabilities = (\[.*?\]) \}/g;

/** Each single capability of a policy. */
export const capabilitiesIn = (policy: string): [capability: string, path: string][] =>
  [...policy.matchAll(rules)].flatMap(([, path = "", list = ""]) => JSON.parse(list).map((capability: string) => [capability, path]));

/** The policy without one capability. */
export const without = (policy: string, capability: string, path: string): string =>
  policy.replace(rules, (rule, place, list) => {
    const left = JSON.parse(list).filter((each: string) => each !== capability);
    return place !== path ? rule : left.length > 0 ? `path "${path}" { capabilities = ${JSON.stringify(left)} }` : "";
  });

/** Each single capability of the documented policies. */
export const capabilitiesOf = (dialect: TokenService["dialect"]): [role: Role, capability: string, path: string][] =>
  (["stack", "holder"] as const).flatMap((role) =>
    capabilitiesIn(documented[dialect][role]).map(([capability, path]): [Role, string, string] => [role, capability, path]),
  );

const isDenied = (message: string): boolean => message.includes(", 403)");

/** Creates a token with this policy only. */
export async function tokenWith(service: TokenService, name: string, policy: string): Promise<string> {
  expect((await call(service, "PUT", `/v1/sys/policies/acl/${name}`, { policy })).status).toBe(204);
  const { json } = await call(service, "POST", "/v1/auth/token/create", { policies: [name], no_default_policy: true });
  return json.auth.client_token;
}

/**
 * Rekeys the service. Without `missing`, no request may be denied. With it, the tokens lack that capability: the ceremony must fail once with a 403
 * that names it, and complete after it was granted.
 */
export async function rekeyWithPolicies(
  service: TokenService,
  missing?: [role: Role, capability: string, path: string],
  verifiers: "stack" | "holders" = missing?.[0] === "holder" ? "holders" : "stack",
): Promise<void> {
  const { dialect, url } = service;
  const full = documented[dialect];
  const given = { ...full };
  if (missing) {
    const [role, capability, path] = missing;
    given[role] = without(full[role], capability, path);
  }
  const tokens = {
    stack: await tokenWith(service, "stack", given.stack),
    holder: await tokenWith(service, "holder", given.holder),
  };
  const denials: string[] = [];
  /** Repeats a step once if it was denied. */
  const step = async <T>(role: Role, act: () => Promise<T>, denied: (result: T) => string | undefined): Promise<T> => {
    const result = await act();
    const message = denied(result);
    if (message === undefined) return result;
    denials.push(`${role}: ${message}`);
    if (denials.length > 1) return result;
    expect((await call(service, "PUT", `/v1/sys/policies/acl/${role}`, { policy: full[role] })).status).toBe(204);
    return act();
  };

  const stack = new RekeyStack({ "steward:default": { secrets: { address: url, token: tokens.stack, dialect } } });
  const up = (inputs: RekeyInputs): Promise<string> =>
    step(
      "stack",
      () =>
        stack.up(inputs).then(
          () => "done",
          ({ message, details }: StewardError) => (isDenied(message) ? message : (details.rule ?? message)),
        ),
      (result) => (isDenied(result) ? result : undefined),
    );
  const holder = async (args: string[], input = ""): Promise<string> => {
    const run = (): ReturnType<typeof steward> => steward(variablesFor(dialect, { url, token: tokens.holder }), ["rekey", ...args], input);
    const { code, stdout, stderr } = await step("holder", run, (ended) => (isDenied(ended.stderr) ? ended.stderr : undefined));
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };

  const all = await holders(3);
  const current = service.shares.slice(0, service.threshold);
  const pgpKeys = all.map(({ publicKey }) => publicKey);
  const inputs = (more: Partial<RekeyInputs>): RekeyInputs => ({
    secretShares: 3,
    secretThreshold: 2,
    pgpKeys,
    backup: true,
    removeBackup: true,
    currentShares: [],
    onWaiting: "fail",
    ...more,
  });
  const references = (shares: string[]): { env: string }[] =>
    shares.map((share, index) => {
      const env = `CEREMONY_${index}`;
      process.env[env] = share;
      return { env };
    });
  // The first attempt is canceled by a change of the program.
  expect(await up(inputs({ triggers: ["first"] }))).toBe("rekey/shares-missing");
  expect(await up(inputs({ triggers: ["second"] }))).toBe("rekey/shares-missing");
  const nonce = stack.submission.nonce as string;
  for (const share of current.slice(1)) {
    expect(await holder(["status"])).toContain(nonce);
    await holder(["submit", "--nonce", nonce], share);
  }
  expect(await up(inputs({ triggers: ["second"], currentShares: references(current.slice(0, 1)) }))).toBe("rekey/new-shares-missing");
  expect(await holder(["status"])).toContain("all submitted");
  const fresh: string[] = [];
  for (const each of all) {
    const [, message = ""] = /encrypted: ([0-9a-f]+)/.exec(await holder(["backup", "--fingerprint", each.fingerprint])) ?? [];
    fresh.push(await read(each, message));
  }
  const verified = fresh.slice(0, 2);
  for (const share of verifiers === "holders" ? verified : []) {
    const [, verification = ""] = / new shares verified, nonce (\S+)/.exec(await holder(["status"])) ?? [];
    await holder(["verify", "--nonce", verification], share);
  }
  const last = inputs({ triggers: ["second"], newShares: references(verified) });
  // The stack then tests them with a probe.
  if (verifiers === "holders") expect(await up(last)).toBe("rekey/outcome-unknown");
  expect(await up(last)).toBe("done");
  expect(stack.outputs.complete).toBe(true);
  await stack.refresh();
  service.shares = fresh;
  service.threshold = 2;

  if (!missing) return expect(denials).toEqual([]);
  const [role, capability, path] = missing;
  expect(denials).toEqual([expect.stringMatching(new RegExp(`^${role}: .*, 403\\).*\`${capability}\` on ${path}\\.`, "s"))]);
}
