import { z } from "zod";
import { Comparison, exact, ignored } from "../../comparison";
import { isPrivate } from "../../connection";
import { Fields, Finding, Rule } from "../../definition";
import { Connected, connectionField, flag, Schema, strictObject, texts } from "../../inputs";
import { dialectOf } from "../client";
import { inspectKeys } from "./pgp";
import { decodeShare, ShareSource } from "./share";

/** What a program declares of a rekey. */
export interface RekeyInputs extends Connected {
  /** How many new shares to make, 1 to 255. Changing this runs a new rekey. */
  secretShares: number;
  /** How many of them open the service, 1 to `secretShares`; of several, at least 2 in the dialect `hashicorp`. Changing this runs a new rekey. */
  secretThreshold: number;
  /**
   * The shares that open the service now, as many as are at hand, best by reference: `{ env: "SHARE" }` or `{ file: "/run/share" }`. The state keeps
   * no share that is given so, and a plain value encrypted. Fewer than needed are given all the same, and the update then stops until other
   * holders have given theirs. Needed only while a rekey runs. Changing this alone does nothing.
   */
  currentShares: ShareSource[];
  /**
   * Public OpenPGP keys, armored or the base64 of the binary form: one for each new share, in order. The new shares are then known encrypted to these
   * keys alone, and their holders decrypt them. Changing this runs a new rekey.
   */
  pgpKeys?: string[];
  /**
   * Let the state hold all live shares: whoever can decrypt it can then unseal the service. Needed without `pgpKeys`, where a new rekey begins. Changing
   * this alone does nothing.
   * @default false
   */
  keepSharesInState?: boolean;
  /**
   * Let the service keep the encrypted shares as well, so that they can be had again when a reply is lost. Needs `pgpKeys`. Changing this counts from
   * the next rekey on.
   * @default false
   */
  backup?: boolean;
  /**
   * Go on although the service would overwrite the backup of another rekey; what it held, ciphertext, is kept in the state. Changing this alone
   * does nothing.
   * @default false
   */
  replaceBackup?: boolean;
  /**
   * Remove the backup, once the new shares are proven to open the service. Changing this to true removes it then.
   * @default false
   */
  removeBackup?: boolean;
  /**
   * Commit only after the new shares were given back. Without this the last current share commits, and if its reply is lost, so are the keys. Changing this
   * counts from the next rekey on.
   * @default true
   */
  requireVerification?: boolean;
  /**
   * Needed with `requireVerification: false`, unless `pgpKeys` and `backup` keep the new shares from being lost. Changing this alone does nothing.
   * @default false
   */
  acceptLossRisk?: boolean;
  /**
   * New shares that their holders have decrypted, with `pgpKeys`: they prove the new shares before the commit. Those brought in one run are kept,
   * encrypted, in the state until a threshold is at hand. Changing this alone does nothing.
   */
  newShares?: ShareSource[];
  /**
   * What is proven before the commit: "all" new shares, or a "threshold" of them. With PGP keys, "all" brings every share to one place.
   * Changing this alone does nothing.
   * @default "all" without `pgpKeys`, "threshold" with them
   */
  proof?: "all" | "threshold";
  /**
   * How many seconds to wait for other holders to give their current shares, 3600 at most; 0: report and stop. Pulumi does not tell a provider of the
   * first Ctrl-C: a second one ends the wait at once, and leaves a pending operation (`pulumi cancel`). Changing this alone does nothing.
   * @default 0
   */
  waitSeconds?: number;
  /** Any texts; changing one of them runs a new rekey. */
  triggers?: string[];
  /**
   * What to do about an attempt that somebody else has begun: "fail" shows it and stops; "resume" goes on with it where it has exactly our
   * parameters and verification; "cancel" ends it, and with it the shares that others gave. Changing this alone does nothing.
   * @default "fail"
   */
  onConflict?: "fail" | "resume" | "cancel";
  /**
   * Let the resource be deleted although the state holds the only copy of live shares, or of shares that may be live. Changing this updates.
   * @default false
   */
  discardShares?: boolean;
  /**
   * Send shares over plain http to a host that is not this one. Changing this alone does nothing.
   * @default false
   */
  acceptPlaintext?: boolean;
}

/** A share given where a name is expected would be printed as the name. Paths may be base64 as well, but seldom as mixed as what is random. */
function isNoShare(text: string): boolean {
  if (text.length < 40 || !decodeShare(text)) return true;
  return text.includes("/") && !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

const count = z.int("must be a whole number").min(1, "must be at least 1").max(255, "must be at most 255");
const source = z.union(
  [
    z.string().min(1, "must not be empty"),
    strictObject({ env: z.string().min(1, "must name a variable").refine(isNoShare, "must be the name, not the share itself") }),
    strictObject({
      file: z
        .string()
        .min(1, "must name a file")
        .refine(isNoShare, "must be the path (with ./ in it where it looks like a share), not the share itself"),
    }),
  ],
  "must be a share, { env: <variable> } or { file: <path> }",
);

/** Seconds. Pulumi locks the stack for as long. */
const longestWait = 3600;

/** Line ends and blanks of armor mean nothing. */
const keys: Comparison = {
  equal: (a, b) => JSON.stringify(a)?.replace(/\\[rn]|\s/g, "") === JSON.stringify(b)?.replace(/\\[rn]|\s/g, ""),
};

const shares = z.array(source, "must be a list of shares");
/** Steers a rekey that runs, and is never a difference. */
const steering = { input: flag, compare: ignored } as const;

/** What the three resources behind a rekey take alike. @internal */
export const rekeyFields: Fields<RekeyInputs, object, object> = {
  secretShares: { input: count, required: true },
  secretThreshold: { input: count, required: true },
  currentShares: { input: shares, required: true, compare: ignored, secret: true },
  pgpKeys: { input: z.array(z.string("must be a public key"), "must be a list of public keys"), compare: keys },
  keepSharesInState: steering,
  backup: steering,
  replaceBackup: steering,
  removeBackup: steering,
  requireVerification: steering,
  acceptLossRisk: steering,
  newShares: { input: shares, compare: ignored, secret: true },
  proof: { input: z.enum(["all", "threshold"], 'must be "all" or "threshold"'), compare: ignored },
  waitSeconds: {
    input: z
      .number("must be a number of seconds")
      .min(0, "must not be negative")
      .max(longestWait, `must be at most ${longestWait}: nothing but a second Ctrl-C ends the wait early`),
    compare: ignored,
  },
  triggers: { input: texts },
  onConflict: { input: z.enum(["fail", "resume", "cancel"], 'must be "fail", "resume" or "cancel"'), compare: ignored },
  discardShares: steering,
  acceptPlaintext: steering,
  connection: connectionField,
};

/** A change of one of these runs a new rekey; anything else only steers one that runs. @internal */
export const decisive = ["secretShares", "secretThreshold", "pgpKeys", "triggers"] as const;

/** @internal */
export const isNew = (inputs: RekeyInputs, last: object): boolean =>
  decisive.some((field) => !(field === "pgpKeys" ? keys : exact).equal(inputs[field], (last as Partial<RekeyInputs>)[field]));

/** What the service would refuse, or what would cost the keys. @internal */
export const rekeyRules: readonly Rule<RekeyInputs>[] = [
  {
    fields: ["secretShares", "secretThreshold"],
    check: ({ secretShares, secretThreshold }, connection) => {
      if (secretThreshold > secretShares)
        return [
          { path: "secretThreshold", reason: `must be at most secretShares, ${secretShares}: more shares than there are cannot be given` },
        ];
      if (secretThreshold === 1 && secretShares > 1 && dialectOf(connection).thresholdOfOneIsForOneShare)
        return [{ path: "secretThreshold", reason: "must be at least 2 where there is more than one share" }];
      return [];
    },
  },
  {
    fields: ["pgpKeys", "secretShares"],
    check: async ({ pgpKeys, secretShares }) => {
      if (!pgpKeys) return [];
      const findings: Finding[] = [];
      if (pgpKeys.length !== secretShares)
        findings.push({ path: "pgpKeys", reason: `must be as many as secretShares, ${secretShares}, not ${pgpKeys.length}` });
      return [...findings, ...(await keyFindings(pgpKeys))];
    },
  },
  {
    fields: [...decisive, "keepSharesInState"],
    check: (inputs, _connection, last) =>
      inputs.pgpKeys || inputs.keepSharesInState || !isNew(inputs, last)
        ? []
        : [
            {
              path: "keepSharesInState",
              reason:
                "must be true without pgpKeys: the state will hold all new shares, and whoever can decrypt it can unseal the service; better give pgpKeys, one for each holder",
            },
          ],
  },
  {
    fields: ["backup", "pgpKeys", "removeBackup"],
    check: ({ backup, pgpKeys, removeBackup }) => [
      ...(backup && !pgpKeys ? [{ path: "backup", reason: "needs pgpKeys: the service keeps encrypted shares only" }] : []),
      ...(removeBackup && !backup ? [{ path: "removeBackup", reason: "needs backup: true" }] : []),
    ],
  },
  {
    fields: ["requireVerification", "acceptLossRisk", "backup", "pgpKeys"],
    check: ({ requireVerification = true, acceptLossRisk, backup, pgpKeys }) => {
      if (requireVerification || (backup && pgpKeys)) return [];
      const cost =
        "the last current share commits, and if its reply is lost, nobody ever knows the new keys: the service cannot be unsealed again";
      return acceptLossRisk
        ? [{ path: "requireVerification", reason: `without verification ${cost}`, warning: true }]
        : [
            {
              path: "requireVerification",
              reason: `without verification ${cost}; give pgpKeys and backup as well, or acceptLossRisk: true`,
            },
          ];
    },
  },
  { fields: ["currentShares"], check: ({ currentShares }) => shareFindings(currentShares, "currentShares") },
  { fields: ["newShares"], check: ({ newShares }) => shareFindings(newShares ?? [], "newShares") },
  {
    fields: ["acceptPlaintext"],
    check: ({ acceptPlaintext }, connection) =>
      acceptPlaintext || isPrivate(connection)
        ? []
        : [{ path: "", reason: `shares would go to ${connection.address} in clear text: give it https, or set acceptPlaintext: true` }],
  },
];

async function keyFindings(keys: string[]): Promise<Finding[]> {
  const inspected = await inspectKeys(keys);
  return inspected.flatMap(({ problem, fingerprint }, index) => {
    if (problem) return [{ path: `pgpKeys[${index}]`, reason: problem }];
    const first = inspected.findIndex((other) => other.fingerprint === fingerprint);
    return first < index
      ? [{ path: `pgpKeys[${index}]`, reason: `is the same key as pgpKeys[${first}]: each share needs a holder of its own` }]
      : [];
  });
}

/** What can be known of shares before they are needed; one by reference is looked at then. */
function shareFindings(sources: ShareSource[], field: string): Finding[] {
  const seen = new Map<string, number>();
  const lengths = new Set<number>();
  return sources.flatMap((source, index) => {
    if (typeof source !== "string") return [];
    const path = `${field}[${index}]`;
    const bytes = decodeShare(source);
    if (!bytes) return [{ path, reason: "is neither base64 nor hex" }];
    const text = bytes.toString("hex");
    const first = seen.get(text);
    seen.set(text, first ?? index);
    lengths.add(bytes.length);
    if (first !== undefined) return [{ path, reason: `is the same share as ${field}[${first}]` }];
    return lengths.size > 1 ? [{ path, reason: "is not as long as the shares before it: all shares of a set have one length" }] : [];
  });
}

/** An input that comes from the step before. With --continue-on-error Pulumi registers a step even if the one before it failed. @internal */
export const handedOn: Schema<never> = z.custom<never>(
  (value) => value !== undefined,
  "the rekey stopped before this step, and the error of the step before says why",
);
