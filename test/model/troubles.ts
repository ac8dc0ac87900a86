import { Name, Request, Settings, Share, setOf, sharesOf, thresholdOf } from "./server";
import { Budget, begin, destroy, Input, proceed, resume, State, send, Transition, up } from "./state";

// In each state the run continues or is interrupted, other clients send requests, or users run Pulumi again.

/** Everything that may happen next. */
export function successors(text: string, settings: Settings): Transition[] {
  const found: Transition[] = [];
  const state: State = JSON.parse(text);
  const add: Add = (cost, label, change) => {
    if (cost && state.budget[cost] === 0) return;
    const after: State = JSON.parse(text);
    if (cost) after.budget[cost]--;
    if (cost === "others") after.interventions++;
    if (cost === "mistakes") after.mistaken++;
    found.push({ label, after, ...(change(after) as Partial<Transition> | undefined) });
  };
  addOthers(state, settings, add);
  if (state.server.attempt) add("faults", "seal or failover", ({ server }) => void Object.assign(server, { attempt: undefined }));
  const { late } = state;
  if (late) {
    add(undefined, "the late request is lost", (after) => void Object.assign(after, { late: undefined }));
    add(undefined, `the late request ${JSON.stringify(late)} arrives`, (after) => {
      after.late = undefined;
      send(after, settings, "late", late);
      return { request: late, by: "late" };
    });
  }
  if (state.run) addRun(state, settings, add);
  else addIdle(state, settings, add);
  return found;
}
type Add = (
  cost: keyof Budget | undefined,
  label: string,
  change: ((after: State) => void) | ((after: State) => Partial<Transition>),
) => void;

function addRun(state: State, settings: Settings, add: Add): void {
  add(undefined, "", (after) => proceed(after, settings));
  add("faults", "kill", (after) => void Object.assign(after, { run: undefined }));
  const { request } = resume(state, settings);
  if (!request || request.op === "status" || request.op === "backup") return;
  const text = JSON.stringify(request);
  const lose = (after: State): void => void after.run!.replies.push({ is: "lost" });
  add("faults", `${text} is lost`, lose);
  add("faults", `${text} -> the response is lost`, (after) => {
    send(after, settings, "us", request);
    lose(after);
    return { request, by: "us" };
  });
  if (request.op === "submit" && !settings.verification)
    add("faults", `${text} -> the server stops between the backup and the commit`, (after) => {
      const { live } = after.server;
      send(after, settings, "us", request);
      Object.assign(after.server, { live, attempt: undefined });
      lose(after);
    });
  if (state.late) return;
  add("faults", `${text} -> the run does not wait for it`, (after) => {
    after.late = request;
    lose(after);
  });
  add("faults", `kill while ${text} is on its way`, (after) => void Object.assign(after, { late: request, run: undefined }));
}

function addIdle(state: State, settings: Settings, add: Add): void {
  const { saved, current, budget } = state;
  const operator: HolderInput = ["", { current: sharesOf(current), brought: [] }];
  for (const [label, input, cost] of settings.holders ? holderInputs(state) : [operator])
    add(cost, `pulumi up ${label}`, (after) => begin(after, up, input));
  if (budget.changes > 0 && saved.attempt)
    add("changes", "the user changes triggers", (after) => {
      after.triggers++;
      if (saved.commit?.outcome === "live") after.current = saved.commit.candidate;
    });
  if (saved.attempt) add("deletions", "pulumi destroy", (after) => begin(after, destroy, { current: [], brought: [] }));
}

/** The sets whose shares holders may pass as current ones: theirs, and those that the state keeps because they may be live. */
export const currentSets = ({ saved: { shares, commit }, current, first }: State): Name[] => {
  const unsettled = commit?.outcome === "refused" ? [commit.candidate] : [];
  return [...new Set([current, first, ...(shares?.kept ?? []), ...unsettled])];
};

type HolderInput = [label: string, input: Input, cost?: keyof Budget];

function* holderInputs(state: State): Generator<HolderInput> {
  const { saved, first } = state;
  const { candidate } = saved.shares ?? {};
  const choices = (shares: Share[]): Share[][] => [...(shares.length > 1 ? [shares] : []), ...shares.map((share) => [share])];
  const none: Input = { current: [], brought: [] };
  yield ["without shares", none];
  for (const set of currentSets(state))
    for (const current of choices(sharesOf(set))) yield [`with ${current} as current`, { ...none, current }];
  if (!candidate) return;
  for (const brought of choices(sharesOf(candidate))) yield [`with ${brought} as new`, { ...none, brought }];
  // One that may have been submitted as current, and one that was not.
  for (const index of [0, 5, 6]) yield [`with ${first}/${index} as new`, { ...none, brought: [`${first}/${index}`] }, "mistakes"];
}

function addOthers({ server, saved, known, current, first, budget }: State, settings: Settings, add: Add): void {
  if (budget.others === 0) return;
  const act = (label: string, ...requests: Request[]): void =>
    add("others", `others: ${label}`, (after) => {
      for (const request of requests) send(after, settings, "others", request);
      return { request: requests[0], by: "others" };
    });
  const { attempt, live } = server;
  if (!attempt) {
    for (const kind of ["foreign", "ours"] as const) act(`start ${kind}`, { op: "start", kind });
    if (settings.backup && live === first)
      add("others", "others: start ours, and submit a threshold", (after) => {
        const { nonce } = send(after, settings, "others", { op: "start", kind: "ours" });
        for (const share of sharesOf(live)) send(after, settings, "others", { op: "submit", nonce: nonce!, share });
      });
    return;
  }
  const { nonce, candidate, verification } = attempt;
  act("cancel", { op: "cancel", nonce });
  const reachable = [first, current, ...known, ...(settings.holders && saved.shares?.candidate ? [saved.shares.candidate] : [])];
  if (!candidate) {
    const submit = (share: Share): Request => ({ op: "submit", nonce, share });
    act("submit a wrong share", submit("#w.1/0"));
    if (!reachable.includes(live)) return;
    for (const index of [0, 9]) act(`submit ${live}/${index}`, submit(`${live}/${index}`));
    act("submit a threshold", ...sharesOf(live, thresholdOf(live) + attempt.given.length).map(submit));
  } else {
    const verify = (share: Share): Request => ({ op: "verify", nonce: verification!, share });
    act("restart the verification", { op: "restart" });
    act("verify a wrong share", verify("#w.1/0"));
    if (!reachable.includes(candidate)) return;
    for (const index of [0, 9]) act(`verify ${candidate}/${index}`, verify(`${candidate}/${index}`));
    const missing = sharesOf(candidate, 20).filter((share) => !attempt.verified.includes(share) && setOf(share) === candidate);
    act("verify a threshold", ...missing.slice(0, thresholdOf(candidate) - attempt.verified.length).map(verify));
  }
}
