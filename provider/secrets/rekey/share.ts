import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { Connection } from "../../connection";
import { StewardError } from "../../errors";

/**
 * A share of unseal keys. A string is the share itself, base64 or hex, and is kept in the state, encrypted. `{ env }` or `{ file }` says where the
 * provider reads it when it is needed: a variable of the environment that `pulumi` runs in, or a file relative to the program's folder. It is then
 * not kept in the state, except new shares that wait for those of other holders. A variable that is not set, or a file that does not exist, is a
 * share that is not at hand.
 */
export type ShareSource = string | { env: string } | { file: string };

/** A share that can be given: as the program or the server wrote it, and what it says. @internal */
export interface Share {
  /** Where it comes from: `currentShares[0]`. */
  label: string;
  text: string;
  bytes: Buffer;
}

/** One that the program brings. @internal */
export interface Brought extends Share {
  /** Its place in the list that the program gives. */
  index: number;
}

/** The bytes of a share in hex or base64; undefined when it is neither. @internal */
export function decodeShare(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (trimmed.length % 2 === 0 && /^[0-9a-f]+$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Buffer.from(trimmed, "base64");
}

/** Whether a text can be a share: its key has 16 bytes or more. A passphrase is mostly shorter, and an encrypted share longer. @internal */
export function mayBeShare(text: string): boolean {
  const length = decodeShare(text)?.length ?? 0;
  return length >= 16 && length <= 64;
}

/** @internal */
export const shareOf = (text: string, label: string): Share => ({ label, text: text.trim(), bytes: decodeShare(text) ?? Buffer.alloc(0) });

/**
 * The shares that are at hand, and what is missing. A variable that is not set, or a file that is not there, is a share of somebody else;
 * what is there and is no share is an error.
 * @internal
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
    if (!bytes) throw invalid(`${label} is neither base64 nor hex`);
    const twin = shares.find((other) => other.bytes.equals(bytes));
    if (twin) throw invalid(`${label} is the same share as ${twin.label}`);
    if (shares.some((other) => other.bytes.length !== bytes.length))
      throw invalid(`${label} is not as long as the shares before it: all shares of a set have one length`);
    shares.push({ label, text, bytes, index });
  }
  return { shares, missing };
}

/** The references behind which there is no share, by name. @internal */
export const emptyReferences = (sources: readonly ShareSource[], field: string): string[] =>
  sources.flatMap((source, index) => (typeof source === "string" || textOf(source, `${field}[${index}]`) ? [] : [nameOf(source)]));

const nameOf = (source: { env: string } | { file: string }): string =>
  "env" in source ? `the variable ${source.env}` : `the file ${source.file}`;

const invalid = (reason: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", reason, advice: "Nothing was sent: correct it and run again." });

function textOf(source: ShareSource, label: string): string | undefined {
  if (typeof source === "string") return source.trim();
  if ("env" in source) return process.env[source.env]?.trim();
  try {
    return readFileSync(source.file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw invalid(`${label}: the file ${source.file} cannot be read (${code})`);
  }
}

/** What tells later that this share was given to this attempt, without telling the share. @internal */
export const markOf = (nonce: string, { bytes }: Share): string => createHmac("sha256", nonce).update(bytes).digest("hex").slice(0, 32);

/** The connection, of which no error shows these shares either, in whatever form the server echoes them. @internal */
export const guarding = (connection: Connection, sets: readonly { shares: readonly Share[] }[]): Connection => ({
  ...connection,
  secrets: [...connection.secrets, ...sets.flatMap(({ shares }) => shares.flatMap(formsOf))],
});

const formsOf = ({ text, bytes }: Share): string[] => [text, bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")];

/** The line that hands out an encrypted share; `pulumi-steward rekey decrypt` takes it as it is. @internal */
export const encryptedLine = (fingerprint: string, share: string): string => `for the holder of ${fingerprint}, encrypted: ${share}`;
