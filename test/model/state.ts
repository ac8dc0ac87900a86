import { steps } from "./provider";
import { Context, Result, Saved, Stop } from "./provider/protocol";
import { Attempt, Name, Reply, Request, Server, Settings, serve } from "./server";

// The whole system: the server, what Pulumi saved, and a run, which may be interrupted anywhere. A run is its inputs and the replies so far.

type Step = keyof typeof steps;

/** The number of each trouble that may still happen. */
export interface Budget {
  /** Kills, lost replies, requests that arrive late, seals and failovers. */
  faults: number;
  /** Requests of other clients, some of them holders on their own command line. */
  others: number;
  /** Runs with changed `triggers`. */
  changes: number;
  deletions: number;
  /** Previous shares that holders bring as new ones. */
  mistakes: number;
}

export type Input = Pick<Context, "current" | "brought">;

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
  /** The number of requests of other clients. */
  interventions: number;
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
  interventions: 0,
  triggers: 0,
  budget: { faults: 0, others: 0, changes: 0, deletions: 0, mistakes: 0, ...budget },
  names: 1,
});

/** The state as a string, with names in the order in which they occur, so that equal states have equal strings. */
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

export function send(state: State, settings: Settings, by: Attempt["by"], request: Request): Reply {
  const reply = serve(state.server, settings, by, request, nameFor(state));
  // The response is the other client's, too. Nobody can decrypt the share of a probe.
  if (by === "others" && reply.set && state.server.attempt?.kind !== "probe") state.known.push(reply.set);
  // Holders who verified the last share have the new ones.
  if (by === "others" && reply.is === "complete") state.known.push(state.server.live);
  return reply;
}

export function resume({ run, saved, triggers }: State, settings: Settings): { request?: Request; result?: Result } {
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
export const destroy = ["deleteCommit", "deleteShares", "deleteAttempt"] as const;

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

/** Takes the next step of the run, without trouble. */
export function proceed(state: State, settings: Settings): Omit<Transition, "after"> {
  const { request, result } = resume(state, settings);
  if (result) return { label: `save ${JSON.stringify(result)}`, stop: save(state, result) };
  const reply = send(state, settings, "us", request!);
  state.run!.replies.push(reply);
  return { label: `${JSON.stringify(request)} -> ${JSON.stringify(reply)}`, request, by: "us" };
}
