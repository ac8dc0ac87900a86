import { z } from "zod";
import { Comparison, exact, neverDiffers } from "../../contract/comparison";
import { Fields, PlanNote } from "../../contract/definition";
import { CheckFailure, StewardError } from "../../contract/errors";
import {
  bool,
  ConnectionArgs,
  checkFailures,
  connectionField,
  EnvironmentReference,
  FileReference,
  rule,
  Schema,
  strictObject,
  strList,
} from "../../contract/inputs";
import { readReference } from "../../contract/secret";
import { decodeShare, mayBeShare, Share, shareOf } from "./protocol/crypto";
import { RekeyTarget } from "./protocol/status";
import { stopped } from "./protocol/stops";

/** A share in an environment variable. */
export interface EnvironmentShare extends EnvironmentReference {}

/** A share in a file. */
export interface FileShare extends FileReference {}

/**
 * A reference to a key share: `{ env }` is an environment variable of `pulumi`, and `{ file }` is a file relative to the program's folder.
 * The provider reads the share when it sends it to the server, and Pulumi never stores it. If a variable is not set or a file is missing, the
 * share is unavailable. A string is the share itself, in base64 or hex. It requires `keepSharesInState: true`, since the state then
 * stores it, encrypted.
 */
export type ShareSource = string | EnvironmentShare | FileShare;
export type ShareReference = Exclude<ShareSource, string>;

/** The inputs of a rekey. */
export interface RekeyInputs extends ConnectionArgs {
  /**
   * The keys to replace: `"unseal"` for the unseal keys, or `"recovery"` for the recovery keys of a server with auto-unseal.
   * @change replaces the resource, so it needs a different name
   * @default "unseal"
   */
  target?: RekeyTarget;
  /** The number of new shares, from 1 to 255. */
  secretShares: number;
  /**
   * The number of new shares that unseal the server or authorize an operation, from 1 to `secretShares`, and at least 2 if `secretShares`
   * is greater than 1.
   */
  secretThreshold: number;
  /**
   * References to the current shares that you have. If there are too few, the provider submits them, and the next `pulumi up` continues with
   * those of the next holder: see `onWaiting`. This input is always required, but it can be `[]` when no rekey is running.
   * @example [{ env: "SHARE_1" }, { file: "/run/secrets/share-2" }]
   */
  currentShares: ShareSource[];
  /**
   * Public OpenPGP keys, armored or as base64 of the binary form, one for each new share in order. Vault then returns each new share
   * encrypted to its key, so only its holder can decrypt it. A renewed key with the same fingerprint does not start a rekey, but an attempt
   * that has no new shares yet starts again with it. An expired key only causes a warning, unless a new rekey starts.
   * @example ["ada", "grace", "mary"].map((holder) => fs.readFileSync(`keys/${holder}.asc`, "utf8"))
   */
  pgpKeys?: string[];
  /**
   * Allows Pulumi to store shares, which anyone who can decrypt the state can then use: shares that are passed as plain values, and
   * without `pgpKeys` all new shares. Without `pgpKeys`, this must be true when a new rekey starts.
   * @default false
   */
  keepSharesInState?: boolean;
  /**
   * Makes Vault keep a backup of the encrypted shares, which the provider reads if a response is lost. It requires `pgpKeys`.
   * @change takes effect with the next update, and only on a new rekey
   * @default false
   */
  backup?: boolean;
  /**
   * Allows the rekey to overwrite the backup of a different rekey, whose ciphertext the state then keeps.
   * @default false
   */
  replaceBackup?: boolean;
  /**
   * Removes the backup once the new shares are known to be valid.
   * @change updates: true removes the backup
   * @default false
   */
  removeBackup?: boolean;
  /**
   * Commits only after the new shares were verified. If this is false, the last current share commits, so a lost response means that the
   * new keys cannot be recovered, except from a `backup`.
   * @change takes effect with the next update, and only on a new rekey
   * @default true
   */
  requireVerification?: boolean;
  /**
   * Allows `requireVerification: false` without `pgpKeys` and `backup`, in which case the new shares cannot be recovered if a response is
   * lost.
   * @default false
   */
  allowUnverified?: boolean;
  /**
   * References to decrypted new shares, which a rekey with `pgpKeys` sends to the server's verification. Each holder brings one in a run of
   * their own, and the last one of the threshold commits. The state stores no new share, only digests.
   * @example [{ env: "NEW_SHARE" }]
   */
  newShares?: ShareSource[];
  /**
   * The number of holders who must have decrypted their new shares before the commit. With `"all"`, the first ones only confirm: their
   * shares are checked for their form and are not sent, so they are not proven. The server verifies those of the last ones, as many as the
   * threshold. It requires `pgpKeys`.
   * @default "threshold"
   */
  confirm?: RekeyConfirmation;
  /**
   * The result of a run that has done all it can, and waits for the share of another holder. With `"succeed"` it ends with a warning, and the
   * output `complete` is false. With `"fail"` it fails with `ERR_INCOMPLETE`.
   * @default "succeed" with `pgpKeys`, "fail" without them
   */
  onWaiting?: OnWaiting;
  /**
   * The number of seconds to wait for other holders to submit their current shares, at most 3600. With 0, the run reports what is missing
   * and ends. Pulumi locks the stack during the wait. With the native plugin, Ctrl-C stops the wait. Dynamic resources are not notified of
   * Ctrl-C, so there you have to press it twice, which may leave the stack locked: see "Pulumi was killed" in `docs/rekey/recovery.md`.
   * @default 0
   */
  waitSeconds?: number;
  /**
   * Arbitrary strings. Changing any of them starts a new rekey.
   * @example ["2026-01: Grace left"]
   */
  triggers?: string[];
  /**
   * The reaction to another client's rekey that is in progress. `"fail"` reports it and stops, and `"resume"` resumes it if its parameters
   * match and verification is enabled. `"cancel"` cancels it and discards the shares that others submitted.
   * @default "fail"
   */
  onConflict?: OnConflict;
  /**
   * Allows deletion even if the state contains the only copy of shares that are, or may be, valid.
   * @change updates only the state
   * @default false
   */
  discardShares?: boolean;
  /**
   * Allows shares to be sent over plain HTTP to a different machine.
   * @default false
   */
  allowHttp?: boolean;
}

/** The inputs that the second and the third step share. */
export type StepInputs = Pick<RekeyInputs, "target" | "currentShares" | "onConflict" | "discardShares" | "connection">;

/** The number of holders who decrypt their new shares before the commit. */
export type RekeyConfirmation = "all" | "threshold";

/** The result of a run that waits for other holders. */
export type OnWaiting = "succeed" | "fail";

/** The reaction to another client's rekey that is in progress. */
export type OnConflict = "fail" | "resume" | "cancel";

/** True if a name or a path cannot be a share, which messages would print. A path may be base64 as well, but seldom mixes cases like a share. */
export function isNoShare(text: string): boolean {
  if (text.length < 40 || !decodeShare(text)) return true;
  return text.includes("/") && !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

const source = z.union(
  [
    z.string().min(1, "must not be empty"),
    strictObject({
      env: z
        .string()
        .min(1, "must be the name of a variable")
        .refine(isNoShare, rule("share-as-name", "must be the name, not the share itself")),
    }),
    strictObject({
      file: z
        .string()
        .min(1, "must be the path of a file")
        .refine(isNoShare, rule("share-as-path", "must be the path, not the share itself; prefix a path that looks like a share with ./")),
    }),
  ],
  "must be a share, { env: <variable> } or { file: <path> }",
);

/** The input `target`. */
export const targetInput: z.ZodType<RekeyTarget> = z.enum(["unseal", "recovery"], 'must be "unseal" or "recovery"');

const shareList = z.array(source, "must be a list of shares");

const count = z.int("must be a whole number").min(1, "must be at least 1").max(255, "must be at most 255");
/** The longest wait in seconds, for which Pulumi locks the stack. */
const longestWait = 3600;

/** Whitespace in armor is ignored. */
const keys: Comparison = {
  equal: (a, b) => JSON.stringify(a)?.replace(/\\[rn]|\s/g, "") === JSON.stringify(b)?.replace(/\\[rn]|\s/g, ""),
};

/** An input of a running rekey, which causes no diff. */
const steering = { input: bool, compare: neverDiffers } as const;

/** The inputs that the three resources of a rekey share. */
export const rekeyFields: Fields<RekeyInputs, object, object> = {
  target: { input: targetInput, default: () => "unseal", replaces: true },
  secretShares: { input: count, required: true },
  secretThreshold: { input: count, required: true },
  currentShares: { input: shareList, required: true, compare: neverDiffers, secret: true },
  pgpKeys: { input: z.array(z.string("must be a public key"), "must be a list of public keys"), compare: keys },
  keepSharesInState: steering,
  backup: steering,
  replaceBackup: steering,
  removeBackup: steering,
  requireVerification: steering,
  allowUnverified: steering,
  newShares: { input: shareList, compare: neverDiffers, secret: true },
  confirm: { input: z.enum(["all", "threshold"], 'must be "all" or "threshold"'), compare: neverDiffers },
  onWaiting: { input: z.enum(["succeed", "fail"], 'must be "succeed" or "fail"'), compare: neverDiffers },
  waitSeconds: {
    input: z
      .number("must be a number of seconds")
      .min(0, "must not be negative")
      .max(longestWait, `must be at most ${longestWait}, because the stack is locked during the wait`),
    compare: neverDiffers,
  },
  triggers: { input: strList },
  onConflict: { input: z.enum(["fail", "resume", "cancel"], 'must be "fail", "resume" or "cancel"'), compare: neverDiffers },
  discardShares: steering,
  allowHttp: steering,
  connection: connectionField,
};

const { target, currentShares, onConflict, discardShares, connection } = rekeyFields;
/** The fields of {@link StepInputs}. A change of `discardShares` updates the state. */
export const stepFields = { target, currentShares, onConflict, discardShares: { input: discardShares.input }, connection };

/** The inputs of the component that one of its resources has, too. */
export const inputsOf = <Inputs>({ fields }: { fields: object }, inputs: object): Inputs =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => Object.hasOwn(rekeyFields, name) && Object.hasOwn(fields, name))) as Inputs;

/** The inputs whose change runs a new rekey. */
export const decisive = ["secretShares", "secretThreshold", "pgpKeys", "triggers"] as const;

export const isNew = (inputs: Pick<RekeyInputs, (typeof decisive)[number]>, last: object): boolean =>
  decisive.some((field) => !(field === "pgpKeys" ? keys : exact).equal(inputs[field], (last as Partial<RekeyInputs>)[field]));

/**
 * An input that comes from the step before, with a field that a completed step has. With --continue-on-error Pulumi registers a step even if the one before
 * it failed.
 */
export const stepOutput = (field: string): Schema<never> =>
  z.custom<never>(
    (value) => (value as Record<string, unknown> | undefined)?.[field] !== undefined,
    rule("step-before-stopped", "an earlier step of the rekey stopped; see its error"),
  );

/** A share from the program, and its index in the list of the program. */
export interface ProgramShare extends Share {
  index: number;
}

/** The inputs with shares. */
export type ShareInputs = Partial<Pick<RekeyInputs, "currentShares" | "newShares">>;
export type ShareField = keyof ShareInputs;

/**
 * The available shares, and the missing ones. An unset variable, or a file that does not exist, means that another holder has the share.
 * A value that is not a share is an error.
 */
export function availableShares(inputs: ShareInputs, field: ShareField): { shares: ProgramShare[]; missing: string[] } {
  const shares: ProgramShare[] = [];
  const missing: string[] = [];
  for (const [index, source] of (inputs[field] ?? []).entries()) {
    const path = `${field}[${index}]`;
    const label = typeof source === "string" ? path : nameOf(source);
    const text = textOf(source, path);
    if (!text) {
      missing.push(typeof source === "string" ? `${path} (empty)` : label);
      continue;
    }
    const share = { ...shareOf(text, label), index };
    const problem = problemOf(share, shares);
    if (problem) throw invalidShare(path, problem.rule, `${label} ${problem.reason}`);
    shares.push(share);
  }
  return { shares, missing };
}

/** The reason why a share does not belong to a list, after those before it. */
function problemOf({ text, bytes }: Share, before: readonly Share[]): Pick<CheckFailure, "rule" | "reason"> | undefined {
  const tooLong = "is too long for a share: decrypt an encrypted one first, with `pulumi-steward rekey decrypt`";
  if (!mayBeShare(text))
    return { rule: "encoding", reason: bytes.length > 16 ? tooLong : "is no share, which is 16 to 64 bytes in base64 or hex" };
  const duplicate = before.find((other) => other.bytes.equals(bytes));
  if (duplicate) return { rule: "duplicate", reason: `is the same share as ${duplicate.label}` };
  return before.some((other) => other.bytes.length !== bytes.length)
    ? { rule: "length", reason: "differs in length from the others: all shares of a set have the same length" }
    : undefined;
}

/** Names the empty references in a preview. */
export function missingShares(inputs: ShareInputs, field: ShareField): PlanNote[] {
  const names = (inputs[field] ?? []).flatMap((source, index) =>
    typeof source === "string" || textOf(source, `${field}[${index}]`) ? [] : [nameOf(source)],
  );
  return names.length > 0 ? [{ path: field, reason: `unavailable: ${names.join(", ")}` }] : [];
}

export const nameOf = (source: ShareReference): string => ("env" in source ? `the variable ${source.env}` : `the file ${source.file}`);

export const invalidShare = (path: string, rule: string, reason: string): StewardError =>
  stopped("invalid-share", reason).with({ failures: [{ path, rule, reason }] });

/** Undefined for a share that another holder has: its variable is not set, or its file does not exist. */
function textOf(source: ShareSource, label: string): string | undefined {
  if (typeof source === "string") return source.trim();
  const { value, problem } = readReference(source);
  if (value !== undefined || "env" in source || /^(does not exist|is empty)$/.test(problem ?? "")) return value?.trim();
  throw invalidShare(label, "unreadable", `${label}: the file ${source.file} ${problem}`);
}

/** The references to shares, and the check failures of plain values. Never a share. */
export interface InspectedShares {
  shareReferences: ShareReference[];
  shareFindings: CheckFailure[];
}

/**
 * Inspects the shares in the program's own process, so that none is registered with Pulumi unless `keepSharesInState` allows it. The check of the provider
 * would come too late: Pulumi's logs have every registered value. Returns no share if one is invalid, since it may be at a wrong place.
 */
export function inspectShares(
  inputs: Pick<RekeyInputs, "currentShares" | "newShares" | "keepSharesInState">,
): InspectedShares & Pick<RekeyInputs, "currentShares" | "newShares"> {
  const { currentShares, newShares } = inputs;
  // A misspelled input may have a share.
  const unknownInputs = Object.keys(inputs).filter((path) => !Object.hasOwn(rekeyFields, path));
  const shareFindings = [
    ...findingsIn(inputs, "currentShares"),
    ...findingsIn(inputs, "newShares"),
    ...unknownInputs.map((path) => ({ path, rule: "unrecognized-keys", reason: "is no input of a rekey" })),
  ];
  if (shareFindings.length > 0) return { currentShares: [], shareReferences: [], shareFindings };
  const shareReferences = currentShares.filter((source) => typeof source !== "string");
  return { currentShares, ...(newShares ? { newShares } : {}), shareReferences, shareFindings };
}

/** Checks the shares that are values. The provider reads one by reference when it is needed. */
function findingsIn(inputs: ShareInputs & Pick<RekeyInputs, "keepSharesInState">, field: ShareField): CheckFailure[] {
  const sources = inputs[field] ?? undefined;
  const { error } = (field === "newShares" ? shareList.optional() : shareList).safeParse(sources);
  const issues = error?.issues.map((issue) => ({ ...issue, path: [field, ...issue.path] }));
  const plain = (Array.isArray(sources) ? sources : []).flatMap((source, index) =>
    typeof source === "string" ? [shareOf(source, `${field}[${index}]`)] : [],
  );
  const problems = plain.flatMap((share, index) => {
    const before = plain.slice(0, index).filter(({ bytes }) => bytes.length > 0);
    const problem = problemOf(share, before);
    return problem ? [{ path: share.label, ...problem }] : [];
  });
  const reason = `is the share itself, which Pulumi would store. Pass a reference such as { env: "${field === "newShares" ? "NEW_SHARE" : "SHARE"}" }, or set keepSharesInState: true`;
  return [
    ...(issues ? checkFailures({ issues }, { [field]: sources }) : problems),
    // It may be a string such as "false", which only the provider rejects.
    ...(inputs.keepSharesInState === true ? [] : plain.map(({ label }) => ({ path: label, rule: "plain-share", reason }))),
  ];
}
