import { Context, isIn, System } from "../cases/case";
import { comparable } from "../support/context";
import { CaseKind, placesOf } from "./kinds";
import { World } from "./world";

// The states of the kinds that only their cases can read. A state is what the servers show at the paths of the case.

type State = "created" | "changed" | undefined;
const states = new WeakMap<World, Map<string, State>>();

async function look({ type, case: { paths } }: CaseKind, context: Context): Promise<string> {
  const [system] = type.split(":") as [System];
  const responses = (paths?.(context) ?? []).map((path) => context.outOfBand(system, "GET", path));
  return JSON.stringify([type, comparable(await Promise.all(responses))]);
}

/** Records how the servers show a kind in a state. */
export async function learn(kind: CaseKind, state: State, world: World): Promise<void> {
  const known = states.get(world) ?? new Map<string, State>();
  states.set(world, known);
  const shown = await look(kind, world.contextAt("home"));
  if (kind.keys && known.has(shown)) throw new Error(`The paths of the case of ${kind.type} do not show that it was ${state}.`);
  known.set(shown, state);
}

/** Prepares the servers for these kinds, and reads them from now on. */
export async function watch(kinds: readonly CaseKind[], world: World): Promise<void> {
  const places = kinds
    .filter((kind) => kind.isWhole && isIn(world.dialect)(kind))
    .flatMap((kind) => [...placesOf(kind, world)].map(([prefix, context]) => ({ kind, key: prefix + kind.type, context })));
  for (const { kind, context } of places) await kind.case.prepare?.(context);
  world.watched = places.map(({ kind, key, context }) => {
    const read = async (): Promise<string | undefined> => {
      const shown = await look(kind, context);
      return states.get(world)?.has(shown) ? states.get(world)?.get(shown) : shown;
    };
    return [key, read];
  });
}
