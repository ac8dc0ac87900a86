import { createHash } from "node:crypto";
import { Settings } from "./server";
import { Budget, initial, State, Transition, textOf } from "./state";
import { successors } from "./troubles";

// Every order of requests, runs and troubles, breadth first.

export interface Exploration {
  states: number;
  transitions: number;
  idle: number;
  seconds: number;
  /** The ends of the idle states, without further troubles. */
  ends: Map<string, number>;
  /** The violated properties, each with the shortest way to it. */
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
        for (const name of violated(before, transition, settings))
          report(name, () => [...trace(first, settings, ways, id), transition.label]);
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
