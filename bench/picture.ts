import { chart, Panel } from "./chart";
import { Contender, titles } from "./programs";
import { operations } from "./pulumi";
import { StateAndRequests } from "./state";
import { fixed, whole } from "./table";
import { Timing, titleOf } from "./timing";

/** Draws docs/bench.svg, which compares times with those of the engine, and states with those of a dynamic resource. */
export function picture(versions: string, count: number, timing: Timing, state: StateAndRequests): string {
  const contenders = (["floor", "role", "roles", "nativeRole", "nativeRoles", "count", "for_each"] as const).filter((contender) =>
    timing.times(contender, count),
  );
  const time: Panel = {
    title: `Seconds for ${whole(count)} roles on a real Vault, as multiples of the engine's own`,
    groups: operations.map((operation) => {
      const floor = timing.times("floor", count)?.[operation] as number;
      const bars = contenders.map((contender) => {
        const seconds = timing.times(contender, count)?.[operation] as number;
        return {
          name: contender === "floor" ? short.floor : titleOf(contender),
          value: seconds / floor,
          text: `${fixed(seconds / floor)} x (${fixed(seconds)} s)`,
        };
      });
      return { name: operation, bars };
    }),
  };
  const size: Panel = {
    title: "Bytes that a role adds to the state",
    groups: [
      {
        name: "state",
        bars: (["floor", "role", "roles", "nativeRole", "nativeRoles", "closure"] as const).map((contender) => {
          const bytes = state.bytesPerRole(contender);
          return { name: short[contender], value: bytes, text: whole(bytes) };
        }),
      },
    ],
  };
  return chart("Many roles, and what they cost", versions, [time, size]);
}

const short: Record<Contender, string> = { ...titles, floor: "engine floor", closure: "dynamic.Resource" };
