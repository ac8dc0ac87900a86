import * as fc from "fast-check";
import { Definition } from "../../provider/definition";
import { isObject } from "../../provider/http";
import { unknown } from "../../provider/lifecycle/properties";
import { certificate, privateKey, publicKey } from "../support/certificates";

// What anybody may write into a program, and what any server may answer.

/** The same in every run, so that a change is judged by what it changed; others with FUZZ_SEED. */
fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 1) });

export type Properties = Record<string, unknown>;

/** Names that mean something to JavaScript, to Pulumi or to the adapter. */
const strangeNames = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "toJSON", "then", "length", ""],
  ...["id", "urn", "declared", "server", "unfinished", "managed", "heldBefore"],
];
const strangeTexts = [
  ...strangeNames,
  ...[
    unknown,
    " ",
    "\0",
    "\u202e",
    "\ufeff",
    "a\r\nb",
    "..",
    "a/../b",
    "%2e%2e",
    "{}",
    "[]",
    "null",
    "-1",
    "1e999",
    "0x10",
    "9".repeat(40),
  ],
  ...["é".repeat(3_000), "x".repeat(100_000)],
];
/** From a word to what no terminal prints. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary" }) },
  fc.string(),
  fc.constantFrom(...strangeTexts),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0, 0.5, 1, -1, 2 ** 31, 2 ** 53 + 2, 1e21, Number.MAX_VALUE),
);
const name = fc.oneof(fc.string(), fc.constantFrom(...strangeNames));

/** Anything that JSON can say, and Pulumi hand over. */
export const anything: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(name, tie("any"), { maxKeys: 4 }),
  ),
})).any;

/** Something else in one place of an answer: undefined takes what stands there away. */
export interface Damage {
  place: number;
  part: unknown;
}

export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({ place: fc.nat(10_000), part: fc.oneof(fc.constant(undefined), fc.constant(null), anything) }),
  { maxLength: 3 },
);

/** A value with other parts in some places. */
export function damaged(value: unknown, wrong: readonly Damage[]): unknown {
  let count = 0;
  const places = (inner: unknown): number =>
    1 + (typeof inner === "object" && inner !== null ? Object.values(inner).reduce((sum: number, part) => sum + places(part), 0) : 0);
  const total = places(value);
  const copy = (inner: unknown): unknown => {
    const here = count++;
    const damage = wrong.find(({ place }) => place % total === here);
    if (damage) {
      count += places(inner) - 1;
      return damage.part;
    }
    if (Array.isArray(inner)) return inner.map(copy);
    return isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([key, part]) => [key, copy(part)])) : inner;
  };
  return copy(value);
}

/** Every text inside is a secret that no sentence of ours holds by chance. */
function secretly(value: unknown): unknown {
  if (typeof value === "string") return value === unknown ? value : `canary-of-a-secret-${value}`;
  if (Array.isArray(value)) return value.map(secretly);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, secretly(inner)])) : value;
}

/** Of what stands in the secret fields, each text that is long enough not to be found by chance. */
export function secretsIn({ secrets, encrypted = [] }: Definition<Properties, Properties>, inputs: Properties): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === "string" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
  const values = [...secrets, ...encrypted].flatMap((path) => {
    const [field = "", key] = path.split(".");
    const value = Object.hasOwn(inputs, field) ? inputs[field] : undefined;
    return texts(key === undefined ? value : isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);
  });
  return values.filter((value) => value.length >= 16 && value !== unknown);
}

const share = (label: string): string => Buffer.from(`canary of a share ${label}`.padEnd(33, ".")).toString("base64");
const shares = fc.constantFrom<unknown[]>([share("one")], [share("one"), share("two")], [], [{ env: "NOT_SET" }]);
const flag = fc.boolean();
const word = fc.constantFrom("web", "ops-team", "a.b", "1.0.0", "x_y");
const time = fc.constantFrom<unknown>("30s", "1h30m", 0, 3600, "1d", "1500ms500ms");
const url = fc.constantFrom("https://example.com", "https://127.0.0.1:4646/sso");
const attempt = {
  id: "1",
  nonce: "ours",
  nonces: ["ours"],
  probe: { key: "", fingerprint: "none" },
  parameters: { shares: 1, threshold: 1, pgpKeys: [], fingerprints: [], backup: false, verification: true },
};
const { nonce: _, ...withoutNonce } = { ...attempt, id: "2" };
const set = (label: string): object => ({ nonce: label, threshold: 1, shares: [share(label)], encrypted: [] });

/** What fits each input, by its name: a name means the same in all definitions. */
export const fitting: Record<string, fc.Arbitrary<unknown>> = {
  address: url,
  token: fc.constantFrom("canary-of-a-token", "canary-of-a-token with a blank"),
  maxTokenNameLength: fc.nat(256),
  caCert: fc.constantFrom(certificate, "-----BEGIN CERTIFICATE-----\nnone\n"),
  clientCert: fc.constant(certificate),
  clientKey: fc.constant(`${privateKey}canary-of-a-key`),
  mount: fc.constantFrom("scheduler", "/team/scheduler/", "a b"),
  adopt: flag,
  connection: fc.constantFrom("default", "real", "real"),
  ttl: time,
  maxTtl: time,
  name: word,
  policies: fc.array(word, { maxLength: 3 }),
  global: flag,
  type: fc.constantFrom("client", "management"),
  roles: fc.dictionary(
    fc.oneof({ weight: 3, arbitrary: word }, name),
    fc.record(
      { policies: fc.array(word, { maxLength: 2 }), type: fc.constantFrom("client", "management"), global: flag },
      { requiredKeys: [] },
    ),
    { maxKeys: 4 },
  ),
  exclusive: flag,
  role: word,
  keepers: fc.dictionary(name, fc.string(), { maxKeys: 2 }),
  secretShares: fc.constantFrom(1, 1, 2),
  secretThreshold: fc.constant(1),
  currentShares: shares,
  newShares: shares,
  pgpKeys: fc.constant([publicKey]),
  keepSharesInState: fc.constant(true),
  backup: flag,
  replaceBackup: flag,
  removeBackup: flag,
  requireVerification: flag,
  acceptLossRisk: flag,
  proof: fc.constantFrom("all", "threshold"),
  waitSeconds: fc.constant(0),
  triggers: fc.array(fc.string(), { maxLength: 2 }),
  onConflict: fc.constantFrom("fail", "resume", "cancel"),
  discardShares: flag,
  acceptPlaintext: flag,
  attempt: fc.constantFrom<unknown>(attempt, withoutNonce),
  shareReferences: fc.constantFrom([], [{ env: "NOT_SET" }]),
  shareFindings: fc.constant([]),
  submission: fc.record({
    attempt: fc.constantFrom<unknown>(attempt, withoutNonce),
    nonces: fc.constant(["ours"]),
    candidate: fc.constantFrom(set("candidate"), set("another candidate")),
    source: fc.constantFrom("reply", "backup"),
    kept: fc.constantFrom([], [set("kept")]),
    submitted: fc.constant([]),
    excluded: fc.constant([]),
    refused: fc.constant([]),
    hadBackup: flag,
  }),
  limitUserOrganizationCreation: flag,
  apiRateLimitingEnabled: flag,
  apiRateLimit: fc.nat(1000),
  sendPassingStatusesForUntriggeredSpeculativePlans: flag,
  allowSpeculativePlansOnPullRequestsFromForks: flag,
  defaultRemoteStateAccess: flag,
  onDelete: fc.constantFrom("restore", "retain"),
  extra: fc.constantFrom({ "apply-timeout": "24h" }, { "private-key": "canary-of-a-private-key", "provider-type": { deep: [1] } }, {}),
  extraWriteOnly: fc.constantFrom([], ["signing-secret"]),
  enabled: flag,
  cloudAAccessKeyId: word,
  cloudASecretKey: fc.constant("canary-of-cloud-a"),
  cloudBCredentials: fc.constantFrom('{"private_key":"canary-of-cloud-b"}', '{ "a": ["canary-of-cloud-b"], "__proto__": {} }'),
  cloudCClientId: word,
  cloudCClientSecret: fc.constant("canary-of-cloud-c"),
  cloudCSubscriptionId: word,
  cloudCTenantId: word,
  debug: flag,
  idpCert: fc.constant(certificate),
  sloEndpointUrl: url,
  ssoEndpointUrl: url,
  attrUsername: word,
  attrGroups: word,
  attrSiteAdmin: word,
  siteAdminRole: word,
  ssoApiTokenSessionTimeout: fc.integer({ min: 1, max: 9999 }),
  host: word,
  port: fc.integer({ min: 1, max: 65535 }),
  sender: word,
  auth: fc.constantFrom("none", "plain", "login"),
  username: word,
  password: fc.constant("canary-of-a-password"),
  testEmailAddress: word,
  accountSid: word,
  fromNumber: word,
  authToken: fc.constant("canary-of-an-auth-token"),
  testNumber: word,
  supportEmailAddress: word,
  loginHelp: word,
  footer: word,
  error: word,
  newUser: word,
  workspaceId: word,
  destroyOnDelete: flag,
  organizationName: word,
  moduleName: word,
  moduleProvider: word,
  moduleVersion: fc.constant("1.0.0"),
  reason: fc.oneof(word, text),
  link: url,
};

/** The names of a definition's inputs. */
export const fieldsOf = ({ inputs }: Definition<Properties, Properties>): string[] =>
  Object.keys((inputs as unknown as { shape: object }).shape);

/** What is handed from one resource of the rekey to the next is nobody's to write. */
const handed = ["attempt", "submission", "shareReferences", "shareFindings"];
const isHanded = ({ token }: Definition<Properties, Properties>, field: string): boolean =>
  token.startsWith("secrets:Rekey") && handed.includes(field);
/** Without these nothing is valid. */
const needed = [
  "connection",
  "address",
  "token",
  "ttl",
  "name",
  "roles",
  "role",
  "secretShares",
  "secretThreshold",
  "currentShares",
  "keepSharesInState",
  "workspaceId",
].concat(...["testNumber", "organizationName", "moduleName", "moduleProvider", "moduleVersion", "reason"]);

/** Inputs in which each field fits, or is not given. */
export function fittingInputs(definition: Definition<Properties, Properties>): fc.Arbitrary<Properties> {
  const fields = fieldsOf(definition);
  const requiredKeys = fields.filter((field) => needed.includes(field) || isHanded(definition, field));
  return fc.record(Object.fromEntries(fields.map((field) => [field, fitting[field] as fc.Arbitrary<unknown>])), { requiredKeys });
}

/** Inputs of any kind: fields that fit, some that do not, and some that there are not. */
export function anyInputs(definition: Definition<Properties, Properties>): fc.Arbitrary<Properties> {
  const fields = fieldsOf(definition).filter((field) => !isHanded(definition, field));
  const wrong = (field: string): fc.Arbitrary<unknown> => (definition.secrets.includes(field) ? anything.map(secretly) : anything);
  const someWrong = fc
    .subarray(fields, { maxLength: Math.min(fields.length, 2) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field, wrong(field)]))));
  const others = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, fc.dictionary(name, anything, { maxKeys: 3 }));
  return fc.tuple(fittingInputs(definition), someWrong, others).map(([fit, misfits, more]) => ({ ...more, ...fit, ...misfits }));
}
