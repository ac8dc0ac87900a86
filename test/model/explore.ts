import { createHash } from "node:crypto";
import { Context, Result, Saved, Stop, steps } from "./provider";
import { Attempt, Name, Reply, Request, Server, Settings, Share, serve, setOf, sharesOf, thresholdOf } from "./server";

// Every order of requests, runs and troubles, breadth first. A run that is interrupted anywhere is its inputs and the replies so far.

type Step = keyof typeof steps;

/** How many of each may still happen. */
export interface Budget {
  /** Kills, lost replies, requests that arrive late, seals and failovers. */
  faults: number;
  /** Requests of other clients: holders on their own command line, and strangers. */
  others: number;
  /** Runs with changed `triggers`. */
  changes: number;
  deletions: number;
  /** Previous shares that holders bring as new ones. */
  mistakes: number;
}

type Input = Pick<Context, "current" | "brought">;

export interface State {
  server: Server;
  saved: Saved;
  run?: Input & { steps: Step[]; id: Name; canceled?: Name; replies: Reply[] };
  /** A request whose sender no longer waits for the response. */
  late?: Request;
  /** The set that the user passes as the current one, the one that holders had first, and those of other clients. */
  current: Name;
  first: Name;
  known: Name[];
  /** The number of previous shares that holders brought as new ones. */
  mistaken: number;
  triggers: number;
  budget: Budget;
  /** The number of names so far. */
  names: number;
}

export interface Transition {
  label: string;
  after: State;
  request?: Request;
  by?: Attempt["by"];
  /** Why the run ended. */
  stop?: string;
}

export const initial = ({ from }: Settings, budget: Partial<Budget>): State => ({
  server: { live: `#s0.${from}` },
  saved: {},
  current: `#s0.${from}`,
  first: `#s0.${from}`,
  known: [],
  mistaken: 0,
  triggers: 0,
  budget: { faults: 0, others: 0, changes: 0, deletions: 0, mistakes: 0, ...budget },
  names: 1,
});

/** The state as text, with names in the order in which they occur, so that equal states have equal texts. */
export function textOf({ known, names: _names, ...state }: State): string {
  const rest = JSON.stringify(state);
  const text = JSON.stringify({ ...state, known: known.filter((set) => rest.includes(set)) });
  const names = new Map<string, string>();
  const renamed = text.replace(/#([a-z])\d+/g, (name, kind) => {
    if (!names.has(name)) names.set(name, `#${kind}${names.size}`);
    return names.get(name)!;
  });
  return `${renamed.slice(0, -1)},"names":${names.size}}`;
}

const nameFor = (state: State) => (kind: string) => `#${kind}${state.names++}`;

function send(state: State, settings: Settings, by: Attempt["by"], request: Request): Reply {
  const reply = serve(state.server, settings, by, request, nameFor(state));
  // The response is the other client's, too. What is encrypted to the probe's key is nobody's.
  if (by === "others" && reply.set && state.server.attempt?.kind !== "probe") state.known.push(reply.set);
  return reply;
}

function resume({ run, saved, triggers }: State, settings: Settings): { request?: Request; result?: Result } {
  const { steps: names, replies, ...input } = run!;
  const protocol = steps[names[0]!]({ settings, saved, triggers, ...input });
  try {
    let next = protocol.next();
    for (const reply of replies) next = protocol.next(reply);
    return next.done ? { result: next.value } : { request: next.value };
  } catch (error) {
    if (error instanceof Stop) return { result: { stop: error.message } };
    throw error;
  }
}

export function begin(state: State, names: readonly Step[], input: Input): void {
  state.run = { steps: [...names], ...input, id: nameFor(state)("a"), replies: [] };
}

export const up = ["attemptStep", "sharesStep", "commitStep"] as const;
const destroy = ["deleteCommit", "deleteShares", "deleteAttempt"] as const;

/** Pulumi saves the step's state, and begins the next one or ends the run. Returns why it ended. */
function save(state: State, { save, stop, canceled }: Result): string | undefined {
  Object.assign(state.saved, save);
  const run = state.run!;
  run.steps.shift();
  Object.assign(run, { replies: [], canceled });
  if (!stop && run.steps.length > 0) return undefined;
  state.run = undefined;
  return stop ?? "live";
}

/** What the run does next, if nothing goes wrong. */
export function proceed(state: State, settings: Settings): Omit<Transition, "after"> {
  const { request, result } = resume(state, settings);
  if (result) return { label: `save ${JSON.stringify(result)}`, stop: save(state, result) };
  const reply = send(state, settings, "us", request!);
  state.run!.replies.push(reply);
  return { label: `${JSON.stringify(request)} -> ${JSON.stringify(reply)}`, request, by: "us" };
}

/** Everything that may happen next. */
export function successors(text: string, settings: Settings): Transition[] {
  const found: Transition[] = [];
  const state: State = JSON.parse(text);
  const add: Add = (cost, label, change) => {
    if (cost && state.budget[cost] === 0) return;
    const after: State = JSON.parse(text);
    if (cost) after.budget[cost]--;
    found.push({ label, after, ...change(after) });
  };
  addOthers(state, settings, add);
  if (state.server.attempt) add("faults", "seal or failover", ({ server }) => void (server.attempt = undefined));
  const { late } = state;
  if (late) {
    add(undefined, "the late request is lost", (after) => void (after.late = undefined));
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
type Add = (cost: keyof Budget | undefined, label: string, change: (after: State) => Partial<Transition> | void) => void;

function addRun(state: State, settings: Settings, add: Add): void {
  add(undefined, "", (after) => proceed(after, settings));
  add("faults", "kill", (after) => void (after.run = undefined));
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
    add(cost, `pulumi up ${label}`, (after) => {
      if (cost === "mistakes") after.mistaken++;
      begin(after, up, input);
    });
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
  for (const set of currentSets(state)) for (const current of choices(sharesOf(set))) yield [`with ${current} as current`, { ...none, current }];
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

export interface Exploration {
  states: number;
  transitions: number;
  idle: number;
  seconds: number;
  /** How the idle states end, without further troubles. */
  ends: Map<string, number>;
  /** What is violated, each with the shortest way to it. */
  violations: Map<string, string[]>;
}

export interface Properties {
  violated(before: State, transition: Transition, settings: Settings): string[];
  endOf(state: State, settings: Settings): { end: string; isGood: boolean; runs: string[] };
}

export function explore(settings: Settings, budget: Partial<Budget>, { violated, endOf }: Properties): Exploration {
  const started = Date.now();
  const first = textOf(initial(settings, budget));
  const seen = new Set<string>([digestOf(first)]);
  // The way to a state: the one before, and which of its successors.
  const ways: [from: number, index: number][] = [[-1, -1]];
  const result: Exploration = { states: 0, transitions: 0, idle: 0, seconds: 0, ends: new Map(), violations: new Map() };
  const report = (name: string, way: () => string[]): void => {
    if (!result.violations.has(name)) result.violations.set(name, way());
  };
  let queue = [first];
  for (let id = 0; queue.length > 0; ) {
    const following: string[] = [];
    for (const text of queue) {
      const before: State = JSON.parse(text);
      if (!before.run) {
        const { end, isGood, runs } = endOf(before, settings);
        result.idle++;
        result.ends.set(end, (result.ends.get(end) ?? 0) + 1);
        if (!isGood) report(`no good end: ${end}`, () => [...trace(first, settings, ways, id), ...runs]);
      }
      for (const [index, transition] of successors(text, settings).entries()) {
        result.transitions++;
        for (const name of violated(before, transition, settings)) report(name, () => [...trace(first, settings, ways, id), transition.label]);
        const next = textOf(transition.after);
        const digest = digestOf(next);
        if (seen.has(digest)) continue;
        seen.add(digest);
        ways.push([id, index]);
        following.push(next);
      }
      id++;
    }
    queue = following;
  }
  return { ...result, states: seen.size, seconds: (Date.now() - started) / 1000 };
}

const digestOf = (text: string): string => createHash("md5").update(text).digest("base64");

/** The labels of the transitions to a state. Names are those of each state's text. */
function trace(first: string, settings: Settings, ways: readonly [number, number][], id: number): string[] {
  const indexes: number[] = [];
  for (let at = id; at > 0; at = ways[at]![0]) indexes.unshift(ways[at]![1]);
  let text = first;
  return indexes.map((index) => {
    const { label, after } = successors(text, settings)[index]!;
    text = textOf(after);
    return label;
  });
}
