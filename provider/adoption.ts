import { z } from "zod";
import { remembered } from "./cache";
import { Comparison, neverDiffers } from "./comparison";
import { Connection } from "./connection";
import { StewardError } from "./errors";
import { bool, Schema } from "./inputs";
import { shortened } from "./log";
import { redact } from "./redaction";

// A creation that meets an object on the server: it is refused, or takes the object over and says what that changes.

/** The adoption of an existing object: `false` refuses it, `true` overwrites it, and "unchanged" adopts it only if it is as declared. */
export type Adopt = boolean | "unchanged";

/** The input `adopt`. @internal */
export const adoptField: { input: Schema<Adopt>; compare: Comparison } = {
  input: z.union([bool, z.literal("unchanged")], 'must be true, false or "unchanged"'),
  compare: neverDiffers,
};

/** An attribute of which the server holds another value than the one that a creation writes. @internal */
export interface Difference {
  /** `roles.web.policies`; the first part is the input. */
  path: string;
  from: unknown;
  to: unknown;
}

/** What a creation finds on the server. @internal */
export interface Found<State> {
  /** What was read; undefined where only the existence was. */
  state?: State;
  /** The error of a creation without `adopt`; undefined for an object that a creation always takes over. */
  reason?: string;
  hint?: string;
  differences: readonly Difference[];
  /** Why the server, or the product, would refuse what a creation writes. */
  refusal?: StewardError;
  /** Attributes that the server does not show: adoption overwrites them unseen. */
  unreadable?: readonly string[];
}

const longest = 200;

/** The input of a path: `roles` of `roles.web.policies`. */
const inputOf = (path: string): string => path.split(".", 1)[0] as string;

function shown(value: unknown, secrets: readonly string[]): string {
  const text = value === undefined ? "nothing" : redact(JSON.stringify(value), secrets);
  return text.length > longest ? `${text.slice(0, longest / 2)}…${text.slice(-longest / 2)}` : text;
}

const described = ({ secretFields, secrets }: Connection, { path, from, to }: Difference): string =>
  `${path}: ${secretFields.includes(inputOf(path)) ? "[secret] -> [secret]" : `${shown(from, secrets)} -> ${shown(to, secrets)}`}`;

/** The lines that say what an adoption changes. */
function adoptionLines(connection: Connection, { differences, unreadable = [] }: Found<unknown>): string[] {
  return [
    ...differences.map((difference) => `changes ${described(connection, difference)}`),
    ...(unreadable.length > 0 ? [`overwrites ${unreadable.join(", ")}, which the server does not show`] : []),
  ];
}

/** Prints each line unless this run has printed it: the check of a creation may have. @internal */
export function sayOnce({ cache, say }: Connection, lines: readonly string[]): void {
  const known = remembered(cache, ["lines about what creations find"], () => new Set<string>());
  for (const line of lines) {
    if (!known.has(line)) say(line);
    known.add(line);
  }
}

/** Refuses what exists, or prints what its adoption changes. Called before the first write. @internal */
export function takeOver(connection: Connection, adopt: Adopt | undefined, found: Found<unknown> | undefined): void {
  if (!found) return;
  const { differences, unreadable = [], reason, hint } = found;
  if (!adopt && reason) throw new StewardError({ code: "ERR_ALREADY_EXISTS", rule: "exists", reason, hint });
  if (adopt === "unchanged" && differences.length > 0) {
    const listed = shortened(differences.map((difference) => described(connection, difference)));
    const unseen = unreadable.length > 0 ? `; the server does not show ${unreadable.join(", ")}, so these were not compared` : "";
    throw new StewardError({
      code: "ERR_ALREADY_EXISTS",
      rule: "differs",
      reason: `it exists, and adopting it would change ${listed.join("; ")}${unseen}`,
      hint: "Declare what is there, or set adopt: true to overwrite it.",
    });
  }
  // Declaring what always exists is no decision to take it over: only a preview that reads speaks of it.
  if (reason) sayOnce(connection, adopting(connection, adoptionLines(connection, found)));
}

const adopting = ({ resource }: Connection, lines: readonly string[]): string[] => lines.map((line) => `${resource}: adopting it ${line}.`);

/** What a preview says of an object that a creation meets. @internal */
export function previewLines(connection: Connection, adopt: Adopt | undefined, found: Found<unknown>): string[] {
  const changes = adoptionLines(connection, found);
  const all = changes.length > 0 ? changes : ["changes nothing"];
  const isRefused = !adopt || (adopt === "unchanged" && found.differences.length > 0);
  return [
    ...(found.reason && isRefused
      ? [`warning: ${connection.resource}: ${found.reason}: \`pulumi up\` will refuse to create it with adopt: ${adopt ?? false}.`]
      : []),
    ...(found.refusal ? [`warning: ${connection.resource}: \`pulumi up\` will refuse to create it: ${found.refusal.message}`] : []),
    ...adopting(connection, all),
  ];
}

/** The attributes that an adoption changes. @internal */
export const differencesOf = <Fields extends object>(
  from: Fields,
  to: Fields,
  equal: { [Field in keyof Fields]?: (a: unknown, b: unknown) => boolean },
  prefix = "",
): Difference[] =>
  (Object.keys(equal) as (keyof Fields & string)[])
    .filter((field) => !equal[field]?.(from[field], to[field]))
    .map((field) => ({ path: `${prefix}${field}`, from: from[field], to: to[field] }));
