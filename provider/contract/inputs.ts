import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { Comparison, Duration, neverDiffers, seconds } from "./comparison";
import { CheckFailure } from "./errors";

interface Issue {
  path: readonly PropertyKey[];
  message: string;
  code?: string;
  params?: Record<string, unknown>;
}

/** The part of a zod schema that the provider uses. It keeps zod's types out of the published declarations. */
export interface Schema<Value = unknown> {
  safeParse(value: unknown): { success: boolean; data?: Value; error?: { issues: readonly Issue[] } };
}

export const bool: z.ZodBoolean = z.boolean("must be true or false");
export const str: z.ZodString = z.string("must be a string");
export const nonEmptyStr: z.ZodString = str.min(1, "must not be empty");
/** A token: printable ASCII, of which the whitespace at its ends is dropped. Its row has the comparison `trimmed`. */
export const tokenInput = (empty = ""): z.ZodString =>
  str
    .trim()
    .min(1, `must not be empty${empty}`)
    .regex(/^[\x21-\x7e]*$/, "must not contain spaces, line breaks or non-ASCII characters");
export const strList: z.ZodArray<z.ZodString> = z.array(str, "must be a list of strings");

/** A schema of an object with only these keys. Its error names each unknown key and lists the known ones. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `${(keys as string[]).map((key) => `"${key}"`).join(", ")} ${(keys as string[]).length === 1 ? "is not a known property" : "are not known properties"}; expected one of ${Object.keys(shape).join(", ")}`
        : `must be an object with ${Object.keys(shape).join(", ")}`,
  });

/** A secret in an environment variable. */
export interface EnvironmentReference {
  /** The name of the variable. */
  env: string;
}

/** A secret in a file. */
export interface FileReference {
  /** The path of the file, relative to the program's folder. One newline at the end of the file is dropped. */
  file: string;
}

/**
 * A reference to a secret, which the provider reads when it checks or sends the value, so neither the state nor a log contains it. The
 * state contains an encrypted, salted fingerprint, so that Pulumi updates the resource when the value changes.
 */
export type SecretReference = EnvironmentReference | FileReference;

/** Inputs of every resource and function. */
export interface ConnectionArgs {
  /**
   * The name of the connection in the stack's configuration, `steward:<connection>`.
   * @change updates only the state; a different server replaces the resource
   * @default "default"
   */
  connection?: string;
}

const connectionName = z.string("must be the name of a connection");
/** The input `connection` of every resource. */
export const connectionField: { input: Schema<string> } = { input: connectionName };
/** The input `connection` of every function. */
export const connectionInput: z.ZodType<string | undefined> = connectionName.optional();
/** The options of a function that takes only `connection`. */
export const onlyConnection: z.ZodType<{ connection?: string }> = strictObject({ connection: connectionInput });

/** The handling of an object that already exists on create: true overwrites it, "unchanged" fails if it differs, and false always fails. */
export type Adopt = boolean | "unchanged";

/** The input `adopt`. */
export const adoptField: { input: Schema<Adopt>; compare: Comparison } = {
  input: z.union([bool, z.literal("unchanged")], 'must be true, false or "unchanged"'),
  compare: neverDiffers,
};

/** Pulumi's property path: `roles.web.policies[0]`, `roles["a.b"]`. */
export const pathOf = (parts: readonly PropertyKey[]): string =>
  parts.reduce<string>((path, part) => {
    if (typeof part === "number") return `${path}[${part}]`;
    return /^[A-Za-z_]\w*$/.test(String(part)) ? `${path}${path && "."}${String(part)}` : `${path}[${JSON.stringify(part)}]`;
  }, "");

/** The value at a path. Not an inherited one: an object may have a key such as `constructor`. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, part) ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );

/** The arguments of a zod refinement: its message, and the rule of its check failures. */
export const rule = (name: string, error: string): { error: string; params: { rule: string } } => ({ error, params: { rule: name } });

/** An input that is a duration in whole seconds. Its row has the comparison `duration`. */
export const durationInput: Schema<Duration> = z
  .union([z.string(), z.number()], 'must be a duration such as "30s" or "1h30m", or a number of seconds')
  .refine((value) => seconds(value) !== undefined, rule("duration", 'must be whole seconds, at least 0: "30s", "1h30m", "1d" or a number'));

/** An input that is a time. Its row has the comparison `instant`. */
export const timeInput: z.ZodString = str.refine(
  (value) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)),
  rule("time", 'must be a time with a time zone, such as "2027-06-30T00:00:00Z"'),
);

/** The check failures of a value that a schema rejects. Their rules are those of the refinements, or else zod's codes. */
export const checkFailures = ({ issues }: { issues: readonly Issue[] }, value: unknown): CheckFailure[] =>
  issues.map((issue) => {
    const isMissing = issue.path.length > 0 && valueAt(value, issue.path) === undefined;
    return {
      path: pathOf(issue.path),
      rule: isMissing ? "missing" : String(issue.params?.rule ?? issue.code).replaceAll("_", "-"),
      reason: isMissing ? `is missing; ${issue.message}` : issue.message,
    };
  });

export const hasHalfPair = (text: string): boolean => /\p{Surrogate}/u.test(text);

/** The strings with half of a surrogate pair: its encoding fails, or swallows the next character. */
function brokenStrings(value: unknown, path: readonly PropertyKey[] = []): Issue[] {
  if (typeof value === "string" && hasHalfPair(value))
    return [{ path, message: "contains an unpaired surrogate", params: { rule: "surrogate" } }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => brokenStrings(inner, [...path, Array.isArray(value) ? Number(key) : key]));
}

/** The issues of a value that comes from a program or from its configuration. */
export const issuesOf = (schema: Schema, value: unknown): readonly Issue[] => schema.safeParse(value).error?.issues ?? brokenStrings(value);

/** The key with which Pulumi marks secrets and assets. Pulumi rejects other objects that have it. */
export const signatureKey = "4dabf18193072939515e22adb298388d";
/** The value of that key in a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Pulumi's placeholder for a value that is unknown in a preview. It stores no value that equals it. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * True if a name on a server can be a key of an input or output. Pulumi loses `__proto__` and unpaired surrogates, and rejects its own key and placeholder.
 */
export const isStorableKey = (name: string): boolean => !["__proto__", signatureKey, unknown].includes(name) && !hasHalfPair(name);

/** The path of the first part of a value that Pulumi cannot store, or takes for a secret or an asset of its own. Undefined if there is none. */
export function unstorablePath(value: unknown, path: readonly PropertyKey[] = []): readonly PropertyKey[] | undefined {
  if (value === unknown || path.length > deepest) return path;
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, signatureKey)) return path;
  for (const [key, inner] of Object.entries(value)) {
    const found = unstorablePath(inner, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found) return found;
  }
  return undefined;
}

/** The number of levels of a value. Pulumi cannot store thousands, and no API has so many. */
const deepest = 50;

/** An input that is a URL without a user name and a password. `expected`: the rule about its protocol. */
export const urlInput = (type: string, protocol: RegExp, expected: ReturnType<typeof rule>): z.ZodType<string> => {
  const urlOf = (value: string): Partial<URL> => (URL.canParse(value) ? new URL(value) : {});
  const noCredentials = "must not contain a user name or a password: the state would store them in plaintext";
  return z
    .string(type)
    .refine((value) => protocol.test(urlOf(value).protocol ?? ""), expected)
    .refine((value) => !urlOf(value).username && !urlOf(value).password, rule("credentials", noCredentials));
};

/** True for an X.509 certificate in PEM format. */
export function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}
