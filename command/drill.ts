import { noEngine } from "../provider/connection";
import { StewardError } from "../provider/errors";
import { readReference } from "../provider/lifecycle/references";
import { assertTarget, getStatus, RekeyOperation, RekeyStatus } from "../provider/secrets/rekey/api";
import { createThrowAwayKey, keyOf, prove, redacting, Share } from "../provider/secrets/rekey/crypto";
import { isNoShare, nameOf, ShareReference } from "../provider/secrets/rekey/inputs";
import { firstAccepted } from "../provider/secrets/rekey/probe-attempt";
import { keysOf } from "../provider/secrets/rekey/stops";
import { assertPrivate, describe, service, TargetOptions } from "./attempt";
import { Leftovers } from "./leftovers";
import { checkShare } from "./shares";
import { Canceled, print, readSecret, say, Terminal, unbroken } from "./terminal";

// A drill proves that shares open the service. It tests them with probes, which change no key.

export interface DrillOptions extends TargetOptions {
  shareEnv?: string[];
  shareFile?: string[];
  allowHttp?: boolean;
}

/** Tests the shares, and prints a line for each one. Throws unless all of them work. */
export async function drill(terminal: Terminal, options: DrillOptions): Promise<void> {
  const operation = service(terminal, options);
  assertPrivate(operation, options);
  const shares = referencesIn(options).map(readShare);
  await assertTarget(operation).catch((error) => {
    if (error.details?.rule !== "rekey/wrong-target") throw error;
    throw error.with({ hint: `No share was sent. Use --target ${options.target === "unseal" ? "recovery" : "unseal"}.` });
  });
  const { required } = await assertReady(terminal, operation);
  await addInput(terminal, shares, required);
  assertDistinct(shares);
  const trusted = redacting(operation, [{ shares }]);
  // Another drill may have begun at the prompts.
  const leftovers = new Leftovers(operation, terminal);
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
    firstAccepted(stoppable, { key, disturbed }, sets, (set, now) => {
      if (now === required) return set;
      throw disturbed("the threshold has changed");
    });
  const run = async (): Promise<[PromiseSettledResult<Tested>, PromiseSettledResult<void>]> => {
    const [tested] = await Promise.allSettled([testShares(terminal, { shares, required, accept })]);
    const [ended] = await Promise.allSettled([leftovers.cancel(trusted)]);
    // After an error, the start may still arrive.
    if (tested.status === "fulfilled" && ended.status === "fulfilled") leftovers.remove();
    return [tested, ended];
  };
  const [tested, ended] = await unbroken(terminal, "Waiting for the response. Then the drill cancels its attempt.", run, () =>
    stop.abort(),
  );
  if (ended.status === "rejected")
    say(terminal, `The attempt of the drill may be left: ${ended.reason.message} The next drill first cancels it.`);
  await assertAlive();
  if (tested.status === "rejected") throw tested.reason;
  const { proven, wrong } = tested.value;
  for (const share of shares)
    await print(terminal, `${share.label}: ${proven.includes(share) ? "works" : wrong.includes(share) ? "wrong" : "not proven"}`);
  if (wrong.length > 0)
    throw failed(`${wrong.length} of ${shares.length} shares are wrong`, "Rekey while enough shares work: a rekey makes new ones.");
  if (proven.length < shares.length)
    throw failed(
      `the service accepts no ${required} of these shares: at least one of them is wrong`,
      "Bring one more share to find out which.",
    );
  if (ended.status === "rejected") throw ended.reason;
}

/** Returns the first set that the service accepts. */
type Accept = (sets: readonly Share[][]) => Promise<Share[] | undefined>;

interface Tested {
  proven: Share[];
  wrong: Share[];
}

/** Finds a set that the service accepts, and tests each other share together with shares of this set. */
async function testShares(
  terminal: Terminal,
  { shares, required, accept }: { shares: readonly Share[]; required: number; accept: Accept },
): Promise<Tested> {
  const { proven, wrong }: Tested = { proven: [], wrong: [] };
  if (required > 1) {
    for (const [index, share] of shares.entries())
      for (const other of shares.slice(0, index).filter((each) => !canCombine(each, share)))
        say(terminal, `${other.label} and ${share.label} cannot both be right: they have the same point (last byte), or other lengths.`);
    const verdict = await prove(shares, required);
    const misfits = verdict.proven === false ? verdict.misfits : [];
    const sets = setsOf([...shares.filter((share) => !misfits.includes(share)), ...misfits], required);
    say(terminal, `Testing ${required} of ${shares.length} shares at a time.`);
    const accepted = sets.length > 0 ? await accept(sets) : undefined;
    if (!accepted) return { proven, wrong };
    say(terminal, `The service accepts ${accepted.map(({ label }) => label).join(", ")}.`);
    proven.push(...accepted);
  }
  const base = proven.slice(0, required - 1);
  const together = base.length > 0 ? `with ${base.length} ${base.length === 1 ? "share that is" : "shares that are"} proven, ` : "";
  for (const share of shares.filter((each) => !proven.includes(each))) {
    say(terminal, `Testing ${share.label}.`);
    // Shares that are proven belong to one key: a share that combines with none of them is wrong.
    const isTestable = required === 1 || proven.every((other) => canCombine(other, share));
    const isRight = isTestable && (await accept([[...base, share]])) !== undefined;
    (isRight ? proven : wrong).push(share);
    if (!isRight) say(terminal, `${share.label} is wrong: ${together}the service ${isTestable ? "refuses" : "would refuse"} it.`);
  }
  return { proven, wrong };
}

/** False for shares with the same point or of different lengths. OpenBao before 2.6 keeps a set with such shares until the attempt ends. */
const canCombine = (a: Share, b: Share): boolean => keyOf([a, b]) !== undefined;

/** The most sets that are tried until the service accepts one. */
const mostSets = 100;

/** The first sets of `count` shares that can be combined. */
function setsOf(shares: readonly Share[], count: number, chosen: Share[] = [], sets: Share[][] = []): Share[][] {
  if (chosen.length === count) sets.push(chosen);
  const rest = chosen.length === count ? [] : shares.slice(0, shares.length - (count - chosen.length) + 1);
  for (const [index, share] of rest.entries())
    if (sets.length < mostSets && chosen.every((other) => canCombine(other, share)))
      setsOf(shares.slice(index + 1), count, [...chosen, share], sets);
  return sets;
}

function referencesIn({ shareEnv = [], shareFile = [] }: DrillOptions): ShareReference[] {
  if (![...shareEnv, ...shareFile].every(isNoShare))
    throw invalid("--share-env takes the name of a variable and --share-file a path, but one of them got a share");
  return [...shareEnv.map((env) => ({ env })), ...shareFile.map((file) => ({ file }))];
}

function readShare(reference: ShareReference): Share {
  const { value, problem } = readReference(reference);
  if (value === undefined) throw invalid(`${nameOf(reference)} ${problem}`);
  return checkShare(value, nameOf(reference));
}

/** Adds the shares from the prompts or, without a terminal, one from each line of standard input. */
async function addInput(terminal: Terminal, shares: Share[], required: number): Promise<void> {
  const { isTTY } = terminal.stdin;
  if (isTTY) say(terminal, `${shares.length} shares are read, and ${required} are required. An empty input ends the list.`);
  for (let first = 1, lines = [""]; lines.length > 0; first += lines.length) {
    const input = await readSecret(terminal, `Share ${first} (will be hidden): `);
    lines = input.split("\n").filter((line) => line.trim());
    shares.push(...lines.map((line, index) => checkShare(line, `share ${first + index} of the input`)));
    if (!isTTY) return;
  }
}

function assertDistinct(shares: readonly Share[]): void {
  for (const [index, { label, bytes }] of shares.entries()) {
    const other = shares.slice(0, index).find((each) => each.bytes.equals(bytes));
    if (other) throw invalid(`${label} is the same share as ${other.label}`);
  }
}

/** Throws if the service has no keys, or if an attempt is in progress that no drill left. */
async function assertReady(terminal: Terminal, operation: RekeyOperation): Promise<RekeyStatus> {
  const leftovers = new Leftovers(operation, terminal);
  const status = await getStatus(operation);
  const { name } = keysOf[operation.target];
  if (status.required === 0) throw failed(`the service has no ${name} yet`, "No share was sent.");
  if (!status.started) return status;
  if (leftovers.includes(status)) {
    say(terminal, `An earlier drill left the attempt ${status.nonce}, which is canceled first.`);
    return status;
  }
  for (const line of describe(status, operation)) say(terminal, line);
  throw failed(
    `a rekey of the ${name} is in progress, and a drill needs its own attempt`,
    "No share was sent. Run the drill after the rekey.",
  );
}

const failed = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_FAILED", reason, hint });

const disturbed = (reason: string): StewardError =>
  failed(`the drill shows nothing: ${reason}`, "No key was changed. Run the drill again.");

const invalid = (reason: string): StewardError => new StewardError({ code: "ERR_INVALID_INPUT", reason, hint: "No share was sent." });
