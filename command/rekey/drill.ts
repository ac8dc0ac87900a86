import { StewardError } from "../../provider/contract/errors";
import { noEngine } from "../../provider/contract/operation";
import { readReference } from "../../provider/contract/secret";
import { isNoShare, nameOf, ShareReference } from "../../provider/secrets/rekey/inputs";
import { assertTarget, getStatus } from "../../provider/secrets/rekey/protocol/api";
import { canCombine, createThrowAwayKey, redacting, Share, setsOf } from "../../provider/secrets/rekey/protocol/crypto";
import { RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { firstAccepted, probeDisturbed } from "../../provider/secrets/rekey/protocol/probe";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { keysOf } from "../../provider/secrets/rekey/protocol/stops";
import { checkShare } from "../holder/share";
import { Canceled, print, readLines, readSecret, say, Terminal, unbroken } from "../terminal";
import { assertPrivate, describe, service, TargetOptions } from "./attempt";
import { Leftovers } from "./leftovers";
import { failed } from "./outcome";

// A drill proves that shares are valid. It tests them with probes, which change no key.

export interface DrillOptions extends TargetOptions {
  shareEnv?: string[];
  shareFile?: string[];
  allowHttp?: boolean;
}

/** Tests the shares, and prints a line for each one. Throws unless all of them work. */
export async function drill(terminal: Terminal, options: DrillOptions): Promise<void> {
  const operation = await service(terminal, options);
  assertPrivate(operation, options);
  const shares = referencesIn(options).map(readShare);
  await assertTarget(operation);
  const leftovers = new Leftovers(operation, terminal);
  const { required } = await assertReady(terminal, operation, leftovers);
  await addInput(terminal, shares, required);
  assertDistinct(shares);
  const trusted = redacting(operation, [{ shares }]);
  await leftovers.cancel(trusted);
  if (shares.length < required) throw invalid(`${required - shares.length} of the ${required} required shares are missing`);
  const key = await createThrowAwayKey();
  leftovers.add(key.fingerprint);
  const stop = new AbortController();
  const assertAlive = async (): Promise<void> => {
    if (stop.signal.aborted) throw new Canceled("canceled; no key was changed.");
  };
  const stoppable = { ...trusted, run: { ...trusted.run, engine: { ...noEngine, assertAlive, canceled: stop.signal } } };
  const accept: Accept = (sets) =>
    firstAccepted(stoppable, key, sets, (set, now) => {
      if (now === required) return set;
      throw probeDisturbed("the threshold has changed");
    }).catch((error) => {
      const hint = "No key was changed. Run the drill again.";
      throw error.details?.rule === "rekey/probe-disturbed" ? error.with({ hint }) : error;
    });
  let left: Error | undefined;
  const end = async (): Promise<void> => {
    left = await leftovers.cancel(trusted).then(
      () => undefined,
      (error) => error,
    );
    if (left) say(terminal, `The attempt of the drill may still be in progress: ${left.message} The next drill cancels it first.`);
  };
  const notice = "Waiting for the response, after which the drill cancels its attempt.";
  const run = (): Promise<Tested> => testShares(terminal, { shares, required, accept }).finally(end);
  const { proven, wrong } = await unbroken(terminal, notice, run, () => stop.abort()).finally(assertAlive);
  // After an error, the start may still arrive: the next drill needs the file.
  if (!left) leftovers.remove();
  const untested = shares.length - proven.length - wrong.length;
  const detail = `A drill: ${proven.length} shares work, ${wrong.length} are wrong, and ${untested} are not proven.`;
  operation.record?.add("tested", { detail });
  for (const share of shares)
    await print(terminal, `${share.label}: ${proven.includes(share) ? "works" : wrong.includes(share) ? "wrong" : "not proven"}`);
  if (wrong.length > 0)
    throw wrongShare(`${wrong.length} of ${shares.length} shares are wrong`, "Rekey while enough shares work: a rekey creates new ones.");
  if (proven.length < shares.length)
    throw wrongShare(
      `${operation.server.words.service} rejects every set of ${required} of these shares, so at least one of them is wrong`,
      "Pass one more share to find out which.",
    );
  if (left) throw left;
}

/** Returns the first set that the server accepts. */
type Accept = (sets: readonly Share[][]) => Promise<Share[] | undefined>;

interface Tested {
  proven: Share[];
  wrong: Share[];
}

/** Finds a set that the server accepts, and tests each other share together with shares of this set. */
async function testShares(
  terminal: Terminal,
  { shares, required, accept }: { shares: readonly Share[]; required: number; accept: Accept },
): Promise<Tested> {
  const { proven, wrong }: Tested = { proven: [], wrong: [] };
  if (required > 1) {
    for (const [index, share] of shares.entries())
      for (const other of shares.slice(0, index).filter((each) => !canCombine(each, share)))
        say(
          terminal,
          `${other.label} and ${share.label} cannot both be right: they have the same point (last byte), or different lengths.`,
        );
    const sets = await setsOf(shares, required);
    say(terminal, `Testing ${required} of ${shares.length} shares at a time.`);
    const accepted = sets.length > 0 ? await accept(sets) : undefined;
    if (!accepted) return { proven, wrong };
    say(terminal, `Valid: ${accepted.map(({ label }) => label).join(", ")}.`);
    proven.push(...accepted);
  }
  const base = proven.slice(0, required - 1);
  for (const share of shares.filter((each) => !proven.includes(each))) {
    say(terminal, `Testing ${share.label}.`);
    // Shares that are proven belong to one key: a share that combines with none of them is wrong.
    const isTestable = required === 1 || proven.every((other) => canCombine(other, share));
    const isRight = isTestable && (await accept([[...base, share]])) !== undefined;
    (isRight ? proven : wrong).push(share);
  }
  return { proven, wrong };
}

function referencesIn({ shareEnv = [], shareFile = [] }: DrillOptions): ShareReference[] {
  if (![...shareEnv, ...shareFile].every(isNoShare))
    throw invalid("--share-env takes the name of a variable and --share-file a path, but one of them was passed a share");
  return [...shareEnv.map((env) => ({ env })), ...shareFile.map((file) => ({ file }))];
}

function readShare(reference: ShareReference): Share {
  const { value, problem } = readReference(reference);
  if (value === undefined) throw invalid(`${nameOf(reference)} ${problem}`);
  return checkShare(value, nameOf(reference));
}

/** Adds the shares from the prompts or, without a terminal, one from each line of standard input. */
async function addInput(terminal: Terminal, shares: Share[], required: number): Promise<void> {
  let count = 0;
  const add = (line: string): void => void shares.push(checkShare(line, `share ${++count} of the input`));
  const isEmpty = (line: string): boolean => line.trim() === "";
  if (!terminal.stdin.isTTY) {
    const input = await readSecret(terminal, "");
    return input
      .split("\n")
      .filter((line) => !isEmpty(line))
      .forEach(add);
  }
  say(terminal, `${shares.length} shares were read, and ${required} are required. Press Enter on an empty line to finish.`);
  const isLast = (line: string): boolean => {
    if (!isEmpty(line)) add(line);
    return isEmpty(line);
  };
  await readLines(terminal, (nth) => `Share ${nth} (will be hidden): `, isLast, { hidden: true });
}

function assertDistinct(shares: readonly Share[]): void {
  for (const [index, { label, bytes }] of shares.entries()) {
    const other = shares.slice(0, index).find((each) => each.bytes.equals(bytes));
    if (other) throw invalid(`${label} is the same share as ${other.label}`);
  }
}

/** Throws if the server has no keys, or if an attempt is in progress that no drill left. */
async function assertReady(terminal: Terminal, operation: RekeyOperation, leftovers: Leftovers): Promise<RekeyStatus> {
  const status = await getStatus(operation);
  const { name } = keysOf[operation.target];
  if (status.required === 0) throw failed(`${operation.server.words.service} has no ${name} yet`, "No share was sent.");
  if (!status.started) return status;
  if (!leftovers.includes(status)) {
    for (const line of describe(status, operation)) say(terminal, line);
    const reason = `a rekey of the ${name} is in progress, and a drill needs its own attempt`;
    throw failed(reason, "No share was sent. Run the drill after the rekey.");
  }
  say(terminal, `An earlier drill left the attempt ${status.nonce}, which this one cancels first.`);
  return status;
}

const wrongShare = (reason: string, hint: string): StewardError => failed(reason, hint).with({ rule: "wrong-share" });

const invalid = (reason: string): StewardError => new StewardError({ code: "ERR_INVALID_INPUT", reason, hint: "No share was sent." });
