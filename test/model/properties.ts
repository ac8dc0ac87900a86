import { Name, Settings, setOf, sharesOf, thresholdOf } from "./server";
import { begin, proceed, State, Transition, textOf, up } from "./state";
import { currentSets } from "./troubles";

// The properties of every state, every request and every end.

const setsIn = ({ shares, commit }: State["saved"]): (Name | undefined)[] => [
  shares?.candidate,
  ...(shares?.kept ?? []),
  commit?.candidate,
  commit?.live,
];

export function violated(before: State, { after, request, by, stop }: Transition, settings: Settings): string[] {
  const { server, saved } = after;
  const { commit } = saved;
  const isOurs = by === "us" || by === "late";
  const holders = settings.holders ? [after.first, server.backup?.set] : [];
  const known = [...setsIn(saved), after.current, ...after.known, ...holders];
  const isRotated = before.server.live !== server.live;
  const isSaved = JSON.stringify(before.saved.commit) !== JSON.stringify(commit);
  const isMistaken = isMistakenFor(after);
  const isCandidateSaved = !settings.verification || before.saved.shares?.candidate === server.live;
  const isRefused = commit?.outcome === "refused" || stop === "no set accepted";
  // A run may bring shares of a candidate that it replaces.
  const brought = [...(before.run?.brought ?? []), ...(before.saved.commit?.probe?.shares ?? [])];
  // Two wrong shares of other clients, both between a look and the next request, leave the count as it was.
  const isFitting = after.mistaken === 0 && after.interventions < 2 && brought.every((share) => setOf(share) === commit?.candidate);
  const found: [boolean, string][] = [
    [!known.includes(server.live), "nobody knows the live set"],
    [isOurs && isRotated && !isCandidateSaved, "a set became live before it was saved"],
    [
      isSaved && commit?.outcome === "live" && commit.candidate !== server.live && !after.known.includes(server.live) && !isMistaken,
      "a set was reported as live, but is not",
    ],
    [commit?.outcome === "dead" && commit.candidate === server.live, "a set was reported as dead, but is live"],
    [isSaved && isRefused && commit?.candidate === server.live && isFitting, "a live set was not accepted"],
    [isOurs && isForeign(before, after, request, by), `another client's attempt got our ${request?.op}`],
    [stop === "live" && remains(before), "an attempt of ours remains after the end"],
    [isTaken(before, after), "an attempt with another client's shares was adopted"],
    [isForgotten(before, after), "a nonce of ours was forgotten"],
    [isOurs && isBackupLost(before, after), "another rekey's backup was overwritten"],
  ];
  return found.filter(([isViolated]) => isViolated).map(([, name]) => name);
}

/** The look at the end showed it without a share. A late start may also arrive after that: the next run finds it. */
function remains({ server: { attempt }, run }: State): boolean {
  const [before, last] = run?.replies.slice(-2) ?? [];
  const wasSeen = last?.nonce === attempt?.nonce && last?.count === 0 && !last.verification && before?.is !== "lost";
  return attempt?.by === "us" || (attempt?.by === "late" && wasSeen);
}

function isTaken({ saved, run }: State, after: State): boolean {
  const nonces = noncesIn(after.saved).filter((nonce) => !noncesIn(saved).includes(nonce));
  return run?.replies.some(({ is, nonce, count = 0 }) => is === "attempt" && nonces.includes(nonce!) && count > 0) ?? false;
}

/** A nonce that the state knew. A deletion forgets those of attempts that are gone. */
function isForgotten({ saved, run }: State, after: State): boolean {
  const forgotten = noncesIn(saved).filter((nonce) => !noncesIn(after.saved).includes(nonce));
  const isDeletion = run?.steps[0]?.startsWith("delete");
  return forgotten.some((nonce) => !isDeletion || nonce === after.server.attempt?.nonce);
}

/** An attempt of another client that this run neither adopted nor saw without a share. */
function isForeign(
  { server: { attempt }, saved, run }: State,
  { server }: State,
  request: Transition["request"],
  by: Transition["by"],
): boolean {
  if (attempt?.by !== "others" || !request || !["cancel", "submit", "verify"].includes(request.op)) return false;
  if (JSON.stringify(attempt) === JSON.stringify(server.attempt)) return false;
  // OpenBao cancels whichever attempt is in progress: no client can prevent that another one begins between the look and the cancel.
  if (request.op === "cancel" && request.nonce !== attempt.nonce) return by !== "late" && run?.replies.at(-1)?.nonce !== request.nonce;
  if (!run || by === "late") return false;
  // Only what has our parameters may be adopted.
  if (attempt.kind !== "ours") return true;
  const isAdopted = noncesIn(saved).includes(attempt.nonce);
  const wasUnused = run.replies.some(({ nonce, count, verification }) => nonce === attempt.nonce && count === 0 && !verification);
  return !isAdopted && !wasUnused;
}

function isBackupLost({ server: { backup }, saved }: State, after: State): boolean {
  if (!backup || after.server.backup?.nonce === backup.nonce) return false;
  return !noncesIn(saved).includes(backup.nonce);
}

const noncesIn = ({ attempt, shares }: State["saved"]): Name[] => [...(attempt?.nonces ?? []), ...(shares?.nonces ?? [])];

/** Enough holders brought previous shares as new ones. Nothing tells these apart, so the holders keep the previous ones. */
const isMistakenFor = ({ mistaken, saved: { commit }, server, first }: State): boolean =>
  server.live === first && commit !== undefined && mistaken >= thresholdOf(commit.candidate);

const ends = new Map<string, ReturnType<typeof follow>>();

/** Follows a rekey to its end, without further troubles. */
export function endOf(state: State, settings: Settings): ReturnType<typeof follow> {
  const quiet: State = { ...state, late: undefined, budget: { faults: 0, others: 0, changes: 0, deletions: 0, mistakes: 0 } };
  const text = JSON.stringify(settings) + textOf(quiet);
  const known = ends.get(text);
  if (known) return known;
  const found = follow(JSON.parse(JSON.stringify(quiet)), settings);
  ends.set(text, found);
  return found;
}

/** Runs until the end. Holders bring one share a run, each of them twice in a row. */
function follow(state: State, settings: Settings): { end: string; isGood: boolean; runs: string[] } {
  const runs: string[] = [];
  let sets = 0;
  for (let round = 0; round < 40; round++) {
    const holder = Math.floor(round / 2);
    const input = settings.holders ? nextInput(state, holder, sets) : { current: sharesOf(state.current), brought: [] };
    begin(state, up, input);
    let stop: string | undefined;
    while (state.run) {
      const proceeded = proceed(state, settings);
      stop = proceeded.stop;
      runs.push(proceeded.label);
    }
    const { live, attempt } = state.server;
    runs.push(`==> ${stop}`);
    const isOthers = state.known.includes(live);
    if (stop === "live") {
      const isLive = state.saved.commit?.candidate === live || isOthers;
      return { end: isLive ? stop : "live as holders claim", isGood: isLive || isMistakenFor(state), runs };
    }
    if (stop === "foreign") {
      // The nonce was lost with its run, and another client submitted a share since: `onConflict` ends it.
      const isUnsaved = attempt?.by !== "others" && !noncesIn(state.saved).includes(attempt!.nonce);
      return { end: isUnsaved ? "ours, taken for foreign" : stop, isGood: isUnsaved || attempt?.by === "others", runs };
    }
    if (stop === "foreign backup") return { end: stop, isGood: true, runs };
    // The shares of another set are needed.
    if (stop === "refused" || stop === "no set accepted") sets++;
    if (isOthers && round > 20) return { end: "another client rekeyed", isGood: true, runs };
  }
  return { end: "none", isGood: false, runs: runs.slice(0, 40) };
}

/** The messages ask for new shares until the server rejected them, and otherwise for those of a set with as many as the server requires. */
function nextInput(state: State, holder: number, sets: number): { current: string[]; brought: string[] } {
  const { shares, commit } = state.saved;
  const isNew = shares?.candidate && shares.id === state.saved.attempt?.id && commit?.outcome !== "refused" && commit?.outcome !== "dead";
  const possible = currentSets(state).filter((set) => thresholdOf(set) === thresholdOf(state.server.live));
  const set = isNew ? shares.candidate! : (possible[sets % possible.length] ?? state.current);
  const share = [`${set}/${holder % thresholdOf(set)}`];
  return isNew ? { current: [], brought: share } : { current: share, brought: [] };
}
