import { isDeepStrictEqual } from "node:util";
import { CustomResource, CustomResourceOptions, Output } from "@pulumi/pulumi";
import { z } from "zod";
import { ignored } from "../../comparison";
import { Connection } from "../../connection";
import { Definition, Doubt } from "../../definition";
import { StewardError, Unfinished } from "../../errors";
import { Args, registration } from "../../resource";
import { RekeyInputs, rekeyFields } from "./declaration";
import { isComplete, probe, Tried } from "./probe";
import { prove } from "./proof";
import { EncryptedShare, getBackup, getStatus, isReplyLost, removeBackup, restartVerification, ShareSet, verifyShare } from "./server";
import { formsOf, markOf, Share, sharesAtHand, sharesOf } from "./share";
import { settledKey } from "./shares";
import { describe, look, Ours } from "./situation";
import { Attempt, begin, cancelProbe, giveUp, refuseAltered, settleConflict, stopped, tell, unforeseen } from "./steps";
import { decide } from "./table";

// The third of the three resources of a rekey: it proves the new shares, commits them, and only then calls them live.

const taken = ["currentShares", "newShares", "proof", "removeBackup", "onConflict", "discardShares", "connection"] as const;
/** @internal */
export interface CommitInputs extends Pick<RekeyInputs, (typeof taken)[number]> {
  attempt: Attempt;
  nonces: string[];
  candidate: ShareSet;
  source: "reply" | "backup";
  kept: ShareSet[];
  foreign: string[];
  hadBackup: boolean;
}

/** @internal */
export interface CommitState {
  /** What is known of the candidate. */
  outcome: "open" | "unknown" | "dead" | "live";
  /** Shares that holders have brought, decrypted: base64. */
  gathered: string[];
  /** The set that opens the service, as far as we know: the former one until the candidate is proven. */
  live?: ShareSet;
  /** The set before the live one, encrypted, where holders' word is the proof of the live one. */
  former?: ShareSet;
  shares: string[];
  encryptedShares: EncryptedShare[];
  fingerprints: string[];
  complete: boolean;
}

type Last = Partial<CommitInputs & CommitState> & Doubt;

/** One run: `state` is what is saved, however it ends. */
interface Run {
  connection: Connection;
  inputs: CommitInputs;
  ours: Ours;
  state: CommitState;
  /** The candidate's shares that are at hand in clear text. */
  shares: Share[];
}

const stateOf = (outcome: CommitState["outcome"], live: ShareSet | undefined, gathered: string[]): CommitState => ({
  outcome,
  gathered,
  ...(live ? { live } : {}),
  shares: live?.shares ?? [],
  encryptedShares: live?.encrypted ?? [],
  fingerprints: (live?.encrypted ?? []).map(({ fingerprint }) => fingerprint),
  complete: outcome === "live",
});

const pause = ({ state }: Run, reason: string, advice: string): StewardError =>
  new Unfinished({ ...state, unfinished: true }, { reason, advice });

async function up(connection: Connection, inputs: CommitInputs, last: Last): Promise<CommitState> {
  const { attempt, candidate, nonces } = inputs;
  const isSame = isDeepStrictEqual(last.candidate, candidate);
  const outcome = isSame ? (last.outcome ?? "open") : firstOutcome(inputs);
  const gathered = candidate.encrypted.length > 0 ? gather(inputs, isSame ? (last.gathered ?? []) : []) : [];
  const shares = candidate.encrypted.length > 0 ? sharesOf(gathered, "newShares") : sharesOf(candidate.shares, "the new share");
  const run: Run = {
    connection: { ...connection, secrets: [...connection.secrets, ...formsOf(shares)] },
    inputs,
    ours: { nonce: candidate.nonce, nonces, parameters: attempt.parameters, probe: attempt.probe.fingerprint },
    state: {
      ...stateOf(outcome, outcome === "live" ? candidate : last.live, gathered),
      ...(isSame && last.former ? { former: last.former } : {}),
    },
    shares,
  };
  if (outcome === "live") return finish(run);
  if (outcome === "dead") throw deadAgain(run);
  begin(connection);
  return step(run);
}

/** Without verification the reply that brings the new shares has committed them; a lost reply leaves that open. */
function firstOutcome({ attempt, source }: CommitInputs): CommitState["outcome"] {
  if (attempt.parameters.verification) return "open";
  return source === "reply" ? "live" : "unknown";
}

/** What was brought before, and what is brought now. Shares of an earlier set, left over in newShares, would open the service, and prove nothing. */
function gather({ newShares = [], candidate, foreign }: CommitInputs, before: readonly string[]): string[] {
  const { shares } = sharesAtHand(newShares, "newShares");
  const fitting = shares.filter((share) => !foreign.includes(markOf(candidate.nonce, share)));
  if (fitting.length < shares.length) tell(`${shares.length - fitting.length} of newShares are not of this rekey, and are left out`);
  return [...new Set([...before, ...fitting.map(({ bytes }) => bytes.toString("base64"))])];
}

async function step(run: Run): Promise<CommitState> {
  const { connection, inputs, ours, state } = run;
  for (;;) {
    if (state.outcome === "unknown" && run.shares.length < inputs.candidate.threshold) throw waitForShares(run);
    const situation = await look(connection, ours);
    const holds = state.outcome === "unknown" ? "unknown" : "candidate";
    switch (decide("commit", holds, situation)) {
      case "prove and verify":
        return proveAndVerify(run);
      case "note unknown":
        throw noteUnknown(run, "our attempt is gone, after a commit, a seal, a failover or a cancel");
      case "cancel twin":
        await giveUp(connection, situation.status);
        if (holds === "candidate") throw noteUnknown(run, "our attempt is gone, after a commit, a seal, a failover or a cancel");
        break;
      case "cancel probe":
        await cancelProbe(connection, situation);
        break;
      case "refuse altered":
        throw refuseAltered(situation);
      case "conflict":
        await settleConflict(connection, situation, inputs.onConflict, false);
        break;
      case "probe":
        return settle(run);
      default:
        throw unforeseen(situation, `a rekey of which the outcome is ${state.outcome}`);
    }
  }
}

/** The status is the same after a commit, a seal, a failover and a cancel: nothing is begun before the next run has asked the service itself. */
function noteUnknown(run: Run, reason: string): StewardError {
  run.state = stateOf("unknown", run.state.live, run.state.gathered);
  return pause(
    run,
    `${reason}: whether the new shares are live is not known yet, and the state keeps both sets`,
    `Run \`pulumi up\` again: it asks the service which of them opens it${run.inputs.candidate.encrypted.length > 0 ? ", with the decrypted new shares of a threshold of holders as newShares" : ""}.`,
  );
}

function waitForShares(run: Run): StewardError {
  const { threshold, encrypted, nonce } = run.inputs.candidate;
  return pause(
    run,
    `whether the new shares of the attempt ${nonce} are live is not known, and ${run.shares.length} of the ${threshold} decrypted ones needed to find out are at hand`,
    `Their holders (${encrypted.map(({ fingerprint }) => fingerprint).join(", ")}) decrypt theirs, with \`gpg\` or secrets.decryptShare, and bring them as newShares; those brought in earlier runs are kept.`,
  );
}

async function proveAndVerify(run: Run): Promise<CommitState> {
  const { connection, inputs, ours, shares } = run;
  const { threshold, encrypted, nonce } = inputs.candidate;
  const all = inputs.proof ? inputs.proof === "all" : encrypted.length === 0;
  const total = Math.max(encrypted.length, inputs.candidate.shares.length);
  const needed = all ? total : threshold;
  if (shares.length < needed)
    throw pause(
      run,
      `${shares.length} of the ${needed} decrypted new shares that prove the rekey are at hand; nothing is committed`,
      `Holders decrypt theirs (of ${encrypted.map(({ fingerprint }) => fingerprint).join(", ")}), with \`gpg\` or secrets.decryptShare, and bring them as newShares; those brought in earlier runs are kept.`,
    );
  // What an orphan of an earlier run may still send knows the old nonce only.
  const verification = await restartVerification(connection).catch((error) => {
    if (error instanceof StewardError && error.status === 400) return undefined;
    throw error;
  });
  if (!verification) throw noteUnknown(run, "our attempt ended while it was looked at");
  if (all) await proveLocally(run);
  for (const [index, share] of shares.slice(0, threshold).entries()) {
    const { kind, status } = await look(connection, ours);
    if (kind === "none") throw noteUnknown(run, "our attempt ended before the last new share was given");
    if (kind !== "verifying" || status.verification?.nonce !== verification.nonce || status.verification.progress !== index)
      throw stopped(
        `somebody else has touched the verification of our attempt ${nonce} (${describe(status)})`,
        "Nothing was committed by us: run `pulumi up` again, which begins the verification anew.",
      );
    let done: boolean;
    try {
      done = await verifyShare(connection, { nonce: verification.nonce, share: share.text });
    } catch (error) {
      throw await explainVerify(run, share, error);
    }
    if (done) return committed(run);
    tell(`${index + 1} of ${threshold} new shares verified`);
  }
  throw stopped("the service asks for more new shares than their threshold", "Nothing was committed by us: run `pulumi up` again.");
}

async function proveLocally(run: Run): Promise<void> {
  const { shares, inputs } = run;
  const { threshold, encrypted } = inputs.candidate;
  const verdict = await prove(shares, threshold);
  if (verdict.proven === true) return tell(`all ${shares.length} new shares belong together: proven before the commit`);
  if (verdict.proven === "unknown")
    return tell(`${verdict.reason}: they cannot be proven here, and the service's own threshold is the proof`);
  const named = verdict.misfits.map(({ label, text }) => {
    const position = inputs.candidate.shares.indexOf(text);
    const fingerprint = encrypted[position]?.fingerprint;
    return fingerprint ? `${label} (${fingerprint})` : label;
  });
  // Among those gathered is a wrong one: they are asked for again.
  if (encrypted.length > 0) run.state = stateOf(run.state.outcome, run.state.live, []);
  throw pause(
    run,
    `${verdict.reason}${named.length > 0 ? `: ${named.join(", ")} ${named.length === 1 ? "does" : "do"} not fit` : ""}; nothing is committed`,
    encrypted.length > 0
      ? "Correct newShares and run again."
      : "The service made shares that do not fit: change triggers, which cancels this attempt and begins anew.",
  );
}

/** Whether a new share that was not taken has committed all the same. */
async function explainVerify(run: Run, share: Share, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError)) return error;
  // The real product says 500 of shares that cannot be combined at all; any other 5xx may be a proxy's, behind which the request goes on.
  const isVerdict = error.status === 400 || error.status === 500;
  if (!isVerdict && (isReplyLost(error) || (error.status !== undefined && error.status >= 500)))
    return noteUnknown(run, `the service did not answer when a new share was given (${error.facts.reason})`);
  const { kind } = await look(run.connection, run.ours);
  if (kind !== "verifying") return noteUnknown(run, "our attempt ended while a new share was given");
  if (!isVerdict) return error;
  if (run.inputs.candidate.encrypted.length > 0) run.state = stateOf(run.state.outcome, run.state.live, []);
  return pause(
    run,
    `the service refuses the new shares at ${share.label} (${error.facts.reason}); nothing is committed, and our attempt still stands`,
    run.inputs.candidate.encrypted.length > 0
      ? "One of newShares is wrong: correct it, and bring those of a threshold of holders again."
      : "Run again; or change triggers, which cancels this attempt and begins anew.",
  );
}

/** The candidate is the live set now. */
async function committed(run: Run): Promise<CommitState> {
  const { inputs, ours } = run;
  run.state = stateOf("live", inputs.candidate, []);
  tell(`the new shares are live: ${ours.parameters.shares} of them, threshold ${ours.parameters.threshold}`);
  return finish(run);
}

/** The set is live; what is left to do must not make it look otherwise. */
async function finish(run: Run): Promise<CommitState> {
  const { connection, inputs, ours, state } = run;
  try {
    // A start that an orphan of an earlier run sent may have arrived only now.
    const late = await look(connection, { ...ours, nonce: undefined });
    if (late.kind === "probe") await cancelProbe(connection, late);
    if (late.kind === "untouched" || late.kind === "former") await giveUp(connection, late.status);
    const backup = inputs.hadBackup ? await getBackup(connection) : undefined;
    const isOurs = backup && inputs.nonces.includes(backup.nonce);
    // One of another attempt of ours holds dead shares.
    if (backup && isOurs && (inputs.removeBackup || backup.nonce !== inputs.candidate.nonce)) {
      await removeBackup(connection);
      tell(`removed the backup of ${backup.nonce}`);
    }
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    throw pause(
      run,
      `the new shares are live and saved, but what is left to do failed: ${error.facts.reason}`,
      "Run `pulumi up` again to finish it.",
    );
  }
  return state;
}

/** Finds out with a throw-away attempt whether the candidate opens the service. */
async function settle(run: Run): Promise<CommitState> {
  const { connection, inputs, state, shares } = run;
  const { candidate, kept, attempt, currentShares } = inputs;
  const { shares: current } = sharesAtHand(currentShares, "currentShares");
  const { required } = await getStatus(connection);
  // Whoever holds the former set shows that the candidate is dead: a refusal alone could have other reasons.
  const former = [...(state.live ? [state.live] : []), ...kept].filter((set) => set.shares.length > 0);
  const others: Tried[] = [
    { shares: current, threshold: required },
    ...former.map((set) => ({ shares: sharesOf(set.shares, `the share of ${set.nonce}`), threshold: set.threshold })),
  ];
  const guarded = { ...connection, secrets: [...connection.secrets, ...others.flatMap((other) => formsOf(other.shares))] };
  const set: Tried = { shares, threshold: candidate.threshold };
  let found = await probe(guarded, attempt, [set, ...others]);
  // That they are the candidate's is the holders' word. Where the former shares open the service as well, these were of the former ones.
  const isWord = found === set && candidate.encrypted.length > 0;
  if (isWord && others.some((other) => isComplete(other, required))) found = (await probe(guarded, attempt, others)) ?? set;
  if (found === set) {
    tell("the new shares open the service");
    const former = isWord && state.live ? { former: state.live } : {};
    run.state = { ...stateOf("live", candidate, []), ...former };
    return finish(run);
  }
  if (!found)
    throw pause(
      run,
      others.some((other) => isComplete(other, required))
        ? "neither the new shares nor the former ones open the service: somebody may have rekeyed it since"
        : `the new shares do not open the service; that the former ones do is not shown, since ${current.length} of ${required} of them are at hand`,
      "Everything is kept: run again with all the shares that open it as currentShares; or change triggers to begin anew, which finds it out as holders give theirs.",
    );
  run.state = stateOf("dead", state.live, []);
  await removeDeadBackup(run);
  throw deadAgain(run);
}

async function removeDeadBackup({ connection, inputs }: Run): Promise<void> {
  if (!inputs.hadBackup || (await getBackup(connection))?.nonce !== inputs.candidate.nonce) return;
  await removeBackup(connection);
  tell(`removed the backup of ${inputs.candidate.nonce}: its shares are dead`);
}

const deadAgain = (run: Run): StewardError =>
  pause(
    run,
    `the rekey ${run.inputs.candidate.nonce} was not committed: its new shares are dead, and the former ones still open the service`,
    "Change triggers to begin anew.",
  );

const { currentShares, newShares, proof, removeBackup: removal, onConflict, discardShares, connection } = rekeyFields;

/** @internal */
export const rekeyCommit: Definition<CommitInputs, CommitState> = {
  token: "secrets:RekeyCommit",
  noun: "rekey",
  name: () => "",
  id: () => "sys/rekey/verify",
  idForm: "sys/rekey/verify",
  parseId: () => undefined,
  inputs: z.strictObject({
    attempt: z.any(),
    nonces: z.any(),
    candidate: z.any(),
    source: z.any(),
    kept: z.any(),
    foreign: z.any(),
    hadBackup: z.any(),
    currentShares,
    newShares,
    proof,
    removeBackup: removal,
    onConflict,
    discardShares,
    connection,
  }),
  state: ["outcome", "gathered", "live", "former", "shares", "encryptedShares", "fingerprints", "complete"],
  compare: {
    attempt: ignored,
    nonces: ignored,
    source: ignored,
    kept: ignored,
    foreign: ignored,
    hadBackup: ignored,
    currentShares: ignored,
    newShares: ignored,
    proof: ignored,
    onConflict: ignored,
  },
  replaces: [],
  deleteBeforeReplace: true,
  secrets: ["currentShares", "newShares", "candidate", "kept", "live", "former", "shares", "gathered"],
  async read(connection, previous) {
    const { outcome, live, attempt, candidate, nonces } = previous as Last;
    if (outcome !== "live" || !live || !attempt || !candidate) return previous;
    const { kind, status } = await look(connection, {
      nonces: nonces ?? [],
      parameters: attempt.parameters,
      probe: attempt.probe.fingerprint,
    });
    if (status.required !== 0 && status.required !== live.threshold)
      tell(
        `the service now asks for ${status.required} shares, and the set in the state has a threshold of ${live.threshold}: somebody has rekeyed it`,
      );
    if (kind === "former" || kind === "probe") tell(`an attempt of ours is left on the server, ${status.nonce}: the next rekey ends it`);
    return previous;
  },
  create: (connection, inputs) => up(connection, inputs, {}),
  update: (connection, inputs, _previous, last) => up(connection, inputs, last),
  async delete(connection, state) {
    const { attempt, candidate, nonces, outcome, live, discardShares, hadBackup } = state as Last;
    if (!attempt || !candidate) return;
    const ours: Ours = { nonce: candidate.nonce, nonces: nonces ?? [], parameters: attempt.parameters, probe: attempt.probe.fingerprint };
    const onlyCopy = live && (live.shares.length > 0 || !(hadBackup && (await getBackup(connection))?.nonce === live.nonce));
    if (onlyCopy && !discardShares)
      throw stopped(
        "the state holds the only copy of shares that open the service",
        "Put them where they belong (`pulumi stack output --show-secrets`), set discardShares: true, run `pulumi up`, and delete then.",
      );
    const situation = await look(connection, ours);
    if (situation.kind === "probe") await cancelProbe(connection, situation);
    const dies = situation.kind === "verifying";
    if (!dies && outcome !== "live" && outcome !== "dead" && !discardShares)
      throw stopped(
        "whether the new shares in the state are live is not known",
        "Run `pulumi up` until it is settled; or set discardShares: true, run `pulumi up`, and delete then.",
      );
    if (["collecting", "verifying", "former"].includes(situation.kind)) await giveUp(connection, situation.status);
    connection.memory.set(settledKey(connection), true);
  },
};

/** @internal */
export interface RekeyCommit {
  readonly shares: Output<string[]>;
  readonly encryptedShares: Output<EncryptedShare[]>;
  readonly fingerprints: Output<string[]>;
  readonly complete: Output<boolean>;
}

type Handed = "attempt" | "nonces" | "candidate" | "source" | "kept" | "foreign" | "hadBackup";
/** @internal */
export class RekeyCommit extends CustomResource {
  constructor(
    name: string,
    args: Args<Omit<CommitInputs, Handed>> & { [Field in Handed]: Output<CommitInputs[Field]> },
    opts?: CustomResourceOptions,
  ) {
    super(...registration(rekeyCommit, name, args, opts));
  }
}
