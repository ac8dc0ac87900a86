import { readFileSync } from "node:fs";
import { z } from "zod";
import { CheckFailure, StewardError } from "../../errors";
import { checkFailures, rule, strictObject } from "../../inputs";
import { decodeShare, Share } from "./crypto";
import { stopped } from "./stops";

/** A share in an environment variable. */
export interface EnvironmentShare {
  /** The name of the variable. */
  env: string;
}

/** A share in a file. */
export interface FileShare {
  /** The path, relative to the program's folder. */
  file: string;
}

/**
 * An unseal key share. A string is the share itself, base64 or hex, which the state keeps encrypted. `{ env }` names an environment variable of
 * `pulumi`, and `{ file }` a file relative to the program's folder. The provider reads a reference when it needs the share. The state does not store it,
 * except new shares held until the threshold is reached. An unset variable or a missing file means that the share is unavailable.
 */
export type ShareSource = string | EnvironmentShare | FileShare;
export type ShareReference = Exclude<ShareSource, string>;

/** True if a name or a path cannot be a share, which messages would print. A path may be base64 as well, but seldom mixes cases like a share. */
function isNoShare(text: string): boolean {
  if (text.length < 40 || !decodeShare(text)) return true;
  return text.includes("/") && !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

const source = z.union(
  [
    z.string().min(1, "must not be empty"),
    strictObject({
      env: z.string().min(1, "must name a variable").refine(isNoShare, rule("share-as-name", "must be the name, not the share itself")),
    }),
    strictObject({
      file: z
        .string()
        .min(1, "must name a file")
        .refine(isNoShare, rule("share-as-path", "must be the path, not the share itself; prefix a path that looks like a share with ./")),
    }),
  ],
  "must be a share, { env: <variable> } or { file: <path> }",
);

export const shareList = z.array(source, "must be a list of shares");

/** A share from the program. */
export interface Brought extends Share {
  /** Its index in the list of the program. */
  index: number;
}

/**
 * The available shares, and the missing ones. An unset variable, or a file that does not exist, means that another holder has the share.
 * A value that is not a share is an error.
 */
export function sharesAtHand(sources: readonly ShareSource[], field: string): { shares: Brought[]; missing: string[] } {
  const shares: Brought[] = [];
  const missing: string[] = [];
  for (const [index, source] of sources.entries()) {
    const label = `${field}[${index}]`;
    const text = textOf(source, label);
    if (!text) {
      missing.push(`${label} (${typeof source === "string" ? "empty" : nameOf(source)})`);
      continue;
    }
    const bytes = decodeShare(text);
    if (!bytes) throw invalidShare(label, "encoding", `${label} is neither base64 nor hex`);
    const duplicate = shares.find((other) => other.bytes.equals(bytes));
    if (duplicate) throw invalidShare(label, "duplicate", `${label} is the same share as ${duplicate.label}`);
    if (shares.some((other) => other.bytes.length !== bytes.length))
      throw invalidShare(label, "length", `${label} differs in length from the others: all shares of a set have the same length`);
    shares.push({ label, text, bytes, index });
  }
  return { shares, missing };
}

/** The names of the references without a share. */
export const emptyReferences = (sources: readonly ShareSource[], field: string): string[] =>
  sources.flatMap((source, index) => (typeof source === "string" || textOf(source, `${field}[${index}]`) ? [] : [nameOf(source)]));

const nameOf = (source: ShareReference): string => ("env" in source ? `the variable ${source.env}` : `the file ${source.file}`);

const invalidShare = (path: string, rule: string, reason: string): StewardError =>
  stopped("invalid-share", reason, "No share was sent. Correct this share and run again.", "ERR_INVALID_INPUT").with({
    failures: [{ path, rule, reason }],
  });

function textOf(source: ShareSource, label: string): string | undefined {
  if (typeof source === "string") return source.trim();
  if ("env" in source) return process.env[source.env]?.trim();
  try {
    return readFileSync(source.file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw invalidShare(label, "unreadable", `${label}: the file ${source.file} cannot be read (${code})`);
  }
}

/** The references to shares, and the check failures of plain values. Never a share. */
export interface InspectedShares {
  shareReferences: ShareReference[];
  shareFindings: CheckFailure[];
}

/** The part of the shares that the attempt gets. The program computes it, so that no share is sent to a step that submits none. */
export function inspectShares(inputs: { currentShares: ShareSource[]; newShares?: ShareSource[] }): InspectedShares {
  const shareFindings = [...failuresIn(inputs.currentShares, "currentShares"), ...failuresIn(inputs.newShares, "newShares")];
  const references = shareFindings.length > 0 ? [] : inputs.currentShares.filter((source) => typeof source !== "string");
  return { shareReferences: references, shareFindings };
}

/** Checks the shares that are values. The provider reads one by reference when it is needed. */
function failuresIn(sources: ShareSource[] | null | undefined, field: "currentShares" | "newShares"): CheckFailure[] {
  const { error } = (field === "newShares" ? shareList.optional() : shareList).safeParse(sources ?? undefined);
  if (error)
    return checkFailures(
      { issues: error.issues.map((issue) => ({ ...issue, path: [field, ...issue.path] })) },
      { [field]: sources ?? undefined },
    );
  const seen = new Map<string, number>();
  const lengths = new Set<number>();
  return (sources ?? []).flatMap((source, index) => {
    if (typeof source !== "string") return [];
    const path = `${field}[${index}]`;
    const bytes = decodeShare(source);
    if (!bytes) return [{ path, rule: "encoding", reason: "is neither base64 nor hex" }];
    const text = bytes.toString("hex");
    const first = seen.get(text);
    seen.set(text, first ?? index);
    lengths.add(bytes.length);
    if (first !== undefined) return [{ path, rule: "duplicate", reason: `is the same share as ${field}[${first}]` }];
    return lengths.size > 1
      ? [{ path, rule: "length", reason: "differs in length from the others: all shares of a set have the same length" }]
      : [];
  });
}
