import { Connection } from "../../connection";
import { Kind, Situation } from "./situation";

/** Which of the three resources. @internal */
export type Step = "attempt" | "shares" | "commit";
/** What its state holds. */
type Held = "nothing" | "an attempt" | "a nonce" | "no nonce" | "candidate" | "unknown";
/** What is done. */
type Action =
  | "start"
  | "take over"
  | "give up and start"
  | "pass on"
  | "conflict"
  | "cancel probe"
  | "refuse altered"
  | "start again"
  | "give shares"
  | "recover"
  | "prove and verify"
  | "note unknown"
  | "cancel twin"
  | "probe";

/** @internal */
export interface Row {
  step: Step;
  holds: readonly Held[];
  server: readonly Kind[];
  action: Action;
  /** What it means. */
  name: string;
}

type Line = readonly [holds: readonly Held[], server: readonly Kind[], action: Action, name: string];

/** Before any share is given: what runs may be somebody else's. */
const attempt: readonly Line[] = [
  [["nothing", "an attempt"], ["none"], "start", "no attempt is in progress: one is started"],
  [["nothing", "an attempt"], ["untouched"], "take over", "one exactly like ours is in progress, without a share: it is taken over"],
  [["an attempt"], ["former"], "give up and start", "the inputs changed while our attempt runs: it is shut out, and another is started"],
  [["an attempt"], ["probe"], "cancel probe", "an old probe of ours is in progress: it is cancelled"],
  [["an attempt"], ["alike", "stranger"], "pass on", "whose attempt is in progress, only the shares may know: it is left to them"],
  [["nothing"], ["alike", "stranger"], "conflict", "somebody else's attempt is in progress: onConflict says what is done"],
];

/** The attempt is saved, the new shares are not. */
const shares: readonly Line[] = [
  [["a nonce", "no nonce"], ["none"], "start again", "our attempt is gone: another is started, and its nonce saved"],
  [["no nonce"], ["former"], "give up and start", "an older attempt of ours is in progress: it is shut out, and another is started"],
  [["a nonce", "no nonce"], ["probe"], "cancel probe", "an old probe of ours is in progress: it is cancelled"],
  [["a nonce", "no nonce"], ["untouched"], "take over", "one exactly like ours is in progress, without a share: it is taken over"],
  [["a nonce"], ["collecting"], "give shares", "our attempt takes current shares: those at hand are given"],
  [["a nonce"], ["verifying"], "recover", "new shares were made and did not arrive here: they come from the backup, or it starts again"],
  [["a nonce"], ["altered"], "refuse altered", "our nonce comes with other parameters than asked for: it gets no share"],
  [["a nonce", "no nonce"], ["alike", "stranger"], "conflict", "somebody else's attempt is in progress: onConflict says what is done"],
];

/** The new shares are saved, and either they or the former ones open the service. */
const commit: readonly Line[] = [
  [
    ["candidate", "unknown"],
    ["verifying"],
    "prove and verify",
    "the new shares are saved, not yet verified: they are proven and committed",
  ],
  [["candidate"], ["none"], "note unknown", "our attempt is gone, committed or not: which shares are live is not known"],
  [["candidate", "unknown"], ["untouched"], "cancel twin", "one exactly like ours is in progress, without a share: it is cancelled"],
  [["candidate", "unknown"], ["probe"], "cancel probe", "an old probe of ours is in progress: it is cancelled"],
  [["candidate", "unknown"], ["altered"], "refuse altered", "our nonce comes with other parameters than asked for: it gets no share"],
  [["candidate", "unknown"], ["alike", "stranger"], "conflict", "somebody else's attempt is in progress: onConflict says what is done"],
  [["unknown"], ["none"], "probe", "which shares are live is not known: a throw-away attempt asks"],
];

/**
 * What the next `pulumi up` does, for every pair of what the state holds and what the server shows. A pair that no row names stops: it never falls
 * through to a start. Whatever the server shows, a live set is left alone, a dead one is said to be dead again, and an unknown one whose holders' shares are
 * missing stays unknown.
 * @internal
 */
export const table: readonly Row[] = Object.entries({ attempt, shares, commit }).flatMap(([step, lines]) =>
  lines.map(([holds, server, action, name]) => ({ step: step as Step, holds, server, action, name })),
);

/** The row that holds, told as a line of the story. @internal */
export function decide({ say }: Connection, step: Step, holds: Held, { kind }: Situation): Action | undefined {
  const row = table.find((each) => each.step === step && each.holds.includes(holds) && each.server.includes(kind));
  if (row) say(lineOf(row));
  return row?.action;
}

/** @internal */
export const lineOf = ({ step, name }: Row): string => `rekey, ${step}: ${name}`;
