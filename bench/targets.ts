import { Deprecations } from "./deprecations";
import { Listings } from "./listings";
import { Operation, operations } from "./pulumi";
import { Start } from "./start";
import { StateAndRequests } from "./state";
import { fixed, table, whole } from "./table";
import { Times, Timing } from "./timing";
import { Types } from "./types";

interface Target {
  what: string;
  /** Undefined if not measured. */
  checks: { of: string; measured: number; most: number }[] | undefined;
  show: (value: number) => string;
}

export interface Measured {
  timing?: Timing;
  state?: StateAndRequests;
  deprecations?: Deprecations;
  listings?: Listings;
  start?: Start;
  types?: Types;
}

/** A table of the performance targets and their results. */
export function targets({ timing, state, deprecations, listings, start, types }: Measured): string {
  const rows = [
    ...roleTargets(timing),
    ...setTargets(timing),
    {
      what: "requests of N roles: create 2 N, preview 0, refresh N, destroy N, and the OpenAPI document once",
      checks:
        state &&
        requestChecks(state, ["role", "nativeRole"], ({ count }) => ({
          create: 2 * count + 1,
          preview: 0,
          refresh: count,
          destroy: count,
        })),
      show: whole,
    },
    {
      what: "requests of a set of N roles: create 1 + N, preview 0, refresh 1 + N, destroy N, and the OpenAPI document once",
      checks:
        state &&
        requestChecks(state, ["roles", "nativeRoles"], ({ count }) => ({
          create: 2 + count,
          preview: 0,
          refresh: 1 + count,
          destroy: count,
        })),
      show: whole,
    },
    {
      what: "requests of 1,000 deprecations of 50 modules: create 50 + 1,000, preview 0, refresh 50, destroy 1,000",
      checks: deprecations && deprecationChecks(deprecations),
      show: whole,
    },
    {
      what: "requests of a listing: one for each page",
      checks: listings?.turns.map(({ count, pageSize, requests }) => ({
        of: `${whole(count)} / ${whole(pageSize)}:`,
        measured: requests,
        most: Math.ceil(count / pageSize),
      })),
      show: whole,
    },
    {
      what: "bytes per role in the checkpoint file: at most 1,800",
      checks:
        state &&
        (["role", "roles"] as const).map((each) => ({
          of: each === "role" ? "SchedulerRole" : "SchedulerRoles",
          measured: state.bytesPerRole(each),
          most: 1800,
        })),
      show: whole,
    },
    {
      what: "bytes per role of the native plugin in the checkpoint file: at most 1.25 KB",
      checks: state && [{ of: "SchedulerRole", measured: state.bytesPerRole("nativeRole"), most: 1.25 * 1024 }],
      show: whole,
    },
    {
      what: "start of the native plugin: at most 0.45 CPU seconds",
      checks: start && [{ of: "s", measured: start.pluginSeconds, most: 0.45 }],
      show: fixed,
    },
    {
      what: "importing the package: at most 120 ms",
      checks: start && [{ of: "ms", measured: start.addedMilliseconds, most: 120 }],
      show: whole,
    },
    {
      what: "import without loading undici and openpgp",
      checks: start && [{ of: start.loadedTooEarly.join(" and ") || "loaded", measured: start.loadedTooEarly.length, most: 0 }],
      show: whole,
    },
    {
      what: "type instantiations of a program that uses everything: at most 5,000 more",
      checks: types && [{ of: "more", measured: types.addedInstantiations, most: 5000 }],
      show: whole,
    },
  ];
  return table(
    ["target", "measured", ""],
    rows.map((row) => [row.what, ...judge(row)]),
    3,
  );
}

function judge({ checks, show }: Target): [string, string] {
  if (!checks) return ["not measured", ""];
  const misses = checks.filter(({ measured, most }) => !(measured <= most));
  const verdict = misses.map(({ of, measured, most }) => `missed by ${show(measured - most)} (${of})`).join(", ");
  return [checks.map(({ of, measured }) => `${of} ${show(measured)}`).join(", "), verdict || "met"];
}

/** One resource per role, compared with a no-op provider. */
function roleTargets(timing: Timing | undefined): Target[] {
  const compare = (count: number, check: (own: number, floor: number) => { measured: number; most: number }): Target["checks"] => {
    const [own, floor] = [timing?.times("role", count), timing?.times("floor", count)];
    return own && floor && operations.map((operation) => ({ of: operation, ...check(own[operation], floor[operation]) }));
  };
  const ratio = (count: number, most: number): Target => ({
    what: `SchedulerRole, ${whole(count)} roles: at most ${fixed(most)} x the engine floor`,
    checks: compare(count, (own, floor) => ({ measured: own / floor, most })),
    show: fixed,
  });
  return [
    {
      what: "SchedulerRole, 10 roles: at most 0.4 s over the engine floor",
      checks: compare(10, (own, floor) => ({ measured: own - floor, most: 0.4 })),
      show: fixed,
    },
    ratio(100, 1.1),
    ratio(1000, 1.05),
  ];
}

/** One resource for a thousand roles, compared with Terraform's faster idiom and with an empty program. */
function setTargets(timing: Timing | undefined): Target[] {
  const own = timing?.times("roles", 1000);
  const terraform = timing?.times("count", 1000);
  const empty = timing?.times("empty", 0);
  const check = (operation: Operation, reference: Times | undefined, most: (seconds: number) => number): Target["checks"] =>
    own && reference && [{ of: `${operation}, s,`, measured: own[operation], most: most(reference[operation]) }];
  const target = (what: string, checks: Target["checks"]): Target => ({
    what: `SchedulerRoles, 1,000 roles: ${what}`,
    checks,
    show: fixed,
  });
  return [
    target(
      "created in half of the time of Terraform's count",
      check("create", terraform, (seconds) => seconds / 2),
    ),
    target(
      "no-op preview at most 2.5 s over an empty program",
      check("preview", empty, (seconds) => seconds + 2.5),
    ),
    target(
      "refresh at most 2.5 s over an empty program",
      check("refresh", empty, (seconds) => seconds + 2.5),
    ),
    target(
      "destroyed in a fifth of the time of Terraform's count",
      check("destroy", terraform, (seconds) => seconds / 5),
    ),
  ];
}

function deprecationChecks({ requests, count, modules }: Deprecations): Target["checks"] {
  const most: Record<Operation, number> = { create: modules + count, preview: 0, refresh: modules, destroy: count };
  return operations.map((of) => ({ of, measured: requests[of], most: most[of] }));
}

/** In the standard dialect the first 404 of a run is confirmed by the OpenAPI document. */
function requestChecks(
  state: StateAndRequests,
  contenders: readonly ("role" | "roles" | "nativeRole" | "nativeRoles")[],
  mostOf: (state: StateAndRequests) => Record<Operation, number>,
): Target["checks"] {
  const most = mostOf(state);
  return contenders.flatMap((contender) => {
    const requests = state.requests(contender);
    return operations.map((of) => ({ of, measured: requests[of].length, most: most[of] }));
  });
}
