import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { StewardError } from "../../provider/contract/errors";
import { assertTarget } from "../../provider/secrets/rekey/protocol/api";
import { RekeyOperation, recording } from "../../provider/secrets/rekey/protocol/operation";
import { hashOf, RekeyRecordEntry } from "../../provider/secrets/rekey/protocol/record";
import { parsed } from "../../provider/text/json";
import { textOf } from "../holder/file";
import { fingerprintIn, sign as signText, verifySignature } from "../holder/signature";
import { print, say, Terminal } from "../terminal";

// The record of a ceremony: the entries that the commands append to a file, or that a stack outputs. A chain of hashes shows a change in it, and only a
// signature shows who made it.

const entrySchema = z.looseObject({
  time: z.string(),
  event: z.string(),
  nonce: z.string(),
  fingerprints: z.array(z.string()).optional(),
  previous: z.string(),
});

/** The operation, of which each entry is appended to the file at once: a later request may end the process. */
export async function recordingTo(terminal: Terminal, operation: RekeyOperation, path: string | undefined): Promise<RekeyOperation> {
  if (path === undefined) return operation;
  try {
    appendFileSync(path, "", { mode: 0o600 });
  } catch (error) {
    throw refuse(`the --record file cannot be written (${(error as NodeJS.ErrnoException).code})`, "Nothing was sent.");
  }
  const text = textIn(path);
  const before = recordIn(text);
  if (text.trimStart().startsWith("["))
    throw refuse("the --record file is the output of a stack, to which no entry can be appended", "Nothing was sent. Name another file.");
  const recorded = recording(operation, before, appending(terminal, path, text)).operation;
  // Its response names the cluster and the version.
  await assertTarget(recorded);
  return recorded;
}

/** Appends entries to a file with this content, each at once. One that cannot be appended comes with the next one, so that the file stays a chain. */
function appending(terminal: Terminal, path: string, text: string): (entry: RekeyRecordEntry) => void {
  let { size } = statSync(path);
  let unsaved = text === "" || text.endsWith("\n") ? "" : "\n";
  return (entry) => {
    const line = JSON.stringify(entry);
    unsaved += `${line}\n`;
    try {
      // Another process has appended to the file.
      if (statSync(path).size !== size) throw new Error("changed");
      appendWhole(path, unsaved);
      unsaved = "";
      ({ size } = statSync(path));
    } catch {
      // The response to a share may follow, and nothing may hide it.
      say(terminal, `warning: this entry cannot be added to the record: ${line}`);
    }
  };
}

/** Appends a whole string, or nothing: a full disk takes a part. */
function appendWhole(path: string, text: string): void {
  const file = openSync(path, "a", 0o600);
  const { size } = fstatSync(file);
  try {
    appendFileSync(file, text, { flush: true });
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  } finally {
    closeSync(file);
  }
}

function textIn(path: string): string {
  try {
    return textOf(readFileSync(path), "utf8");
  } catch (error) {
    throw refuse(`the record cannot be read (${(error as NodeJS.ErrnoException).code})`, "Check its path.");
  }
}

const readRecord = (path: string): RekeyRecordEntry[] => recordIn(textIn(path));

/** Reads lines of JSON, or the list that `pulumi stack output --json` prints. Throws if the entries are not a chain. */
function recordIn(content: string): RekeyRecordEntry[] {
  const text = content.trim();
  const values = text.startsWith("[") ? parsed(text) : text === "" ? [] : text.split("\n").map((line) => parsed(line));
  const { data } = z.array(entrySchema).safeParse(values);
  if (!data) throw refuse("the file is not the record of a rekey", "A record has one entry on each line, or is a list of entries in JSON.");
  const record = data as unknown as RekeyRecordEntry[];
  // Other programs may show the first of two properties with one name, which no hash covers.
  const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined);
  if (names.length !== record.reduce((sum, entry) => sum + Object.keys(entry).length, 0))
    throw refuse("an entry has two properties with one name", "Find out who changed the record.");
  const broken = record.findIndex(({ previous }, index) => previous !== headOf(record.slice(Math.max(0, index - 1), index)));
  if (broken < 0) return record;
  const reason =
    broken === 0
      ? "entry 1 is not the first one: entries before it are missing"
      : `entry ${broken + 1} does not follow entry ${broken}: entry ${broken} was changed, or entries are missing or in another order`;
  throw refuse(reason, "Find out who changed the record.");
}

const headOf = (record: readonly RekeyRecordEntry[]): string => {
  const last = record.at(-1);
  return last ? hashOf(last) : "";
};

const title = "The record of a rekey by pulumi-steward";
const statementOf = (record: readonly RekeyRecordEntry[]): string =>
  `${title}\nentries: ${record.length}\nSHA-256 of the last entry: ${headOf(record)}\n`;

/** Signs the last entry, and with it all entries before. */
export async function sign(terminal: Terminal, path: string, { key }: { key: string }): Promise<void> {
  const record = readRecord(path);
  if (record.length === 0) throw refuse("the record has no entry", "There is nothing to sign.");
  const signer = fingerprintIn("--key", key);
  const file = `${path}.${signer}.asc`;
  const signature = await signText(terminal, statementOf(record), signer);
  writeFileSync(file, signature);
  say(terminal, `${record.length} entries are signed: keep ${file} with the record.`);
}

/** Checks a record and its signatures, and prints its entries. Sends nothing. */
export async function verify(terminal: Terminal, path: string, options: { from?: string[]; unsigned?: boolean }): Promise<void> {
  const record = readRecord(path);
  const wanted = (options.from ?? []).map((each) => fingerprintIn("--from", each));
  const signed = await signedBy(terminal, path, record);
  for (const entry of record) await print(terminal, describe(entry));
  for (const { signer, count } of signed) say(terminal, `Entries 1 to ${count} are signed by ${signer}.`);
  const missing = wanted.filter((each) => !signed.some(({ signer, count }) => signer === each && count === record.length));
  if (missing.length > 0) throw refuse(`the record is not signed by ${missing.join(" and ")}`, "Ask them for a signature of all entries.");
  const count = Math.max(0, ...signed.map((each) => each.count));
  if (count === record.length && count > 0)
    return say(terminal, "The record is complete up to its last entry, and unchanged since it was signed.");
  const reason = `the record is consistent, but not authentic: ${count === 0 ? "nobody has signed it" : `entries ${count + 1} to ${record.length} are not signed`}`;
  if (!options.unsigned) throw refuse(reason, "Anyone could have written it. Set --unsigned to accept it.");
  say(terminal, `Warning: ${reason}.`);
}

/** The signatures beside the record. Throws if one is of other entries. */
async function signedBy(
  terminal: Terminal,
  path: string,
  record: readonly RekeyRecordEntry[],
): Promise<{ signer: string; count: number }[]> {
  const files = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(".asc"));
  const signed = [];
  for (const file of files.sort()) {
    let signature: string;
    try {
      signature = readFileSync(join(dirname(path), file), "utf8");
    } catch (error) {
      throw refuse(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, "A signature is missing.");
    }
    const { text, signer } = await verifySignature(terminal, signature).catch((error) => {
      throw error instanceof StewardError ? error.with({ reason: `${file}: ${error.details.reason}` }) : error;
    });
    const count = Number(/^entries: ([1-9]\d*)$/m.exec(text)?.[1]);
    if (count > record.length)
      throw refuse(
        `${signer} has signed ${count} entries, and ${count - record.length} are missing at the end`,
        "Ask for the whole record.",
      );
    // A mail program may have changed the line ends.
    if (text.replace(/\r\n/g, "\n").trim() !== statementOf(record.slice(0, count)).trim())
      throw refuse(
        `${file} is not the signature of this record: entry ${count} was changed, or it is of another record`,
        "Find out who changed it.",
      );
    signed.push({ signer, count });
  }
  return signed;
}

function describe({ time, event, phase, count, required, nonce, detail, ...more }: RekeyRecordEntry): string {
  const { server, clusterId = "unknown", version = "unknown", shares, threshold, fingerprints = [] } = more;
  return [
    `${time}  ${event.padEnd(14)}  ${nonce}`,
    phase && `${phase} ${count} of ${required}`,
    detail,
    server && `${server}, cluster ${clusterId}, version ${version}`,
    shares && `${shares} new shares, threshold ${threshold}${fingerprints.length > 0 ? `, for ${fingerprints.join(", ")}` : ""}`,
  ]
    .filter(Boolean)
    .join("; ");
}

const refuse = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_REJECTED", reason, hint });
