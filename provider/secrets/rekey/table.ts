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
  [["nothing", "an attempt"], ["none"], "start", "no attempt: start"],
  [["nothing", "an attempt"], ["untouched"], "take over", "exactly like ours, without a share: take it over"],
  [["an attempt"], ["former"], "give up and start", "changed while ours runs: shut it out, cancel, start"],
  [["an attempt"], ["probe"], "cancel probe", "an old probe of ours: cancel it"],
  [["an attempt"], ["alike", "stranger"], "pass on", "an attempt that only the shares may know: leave it to them"],
  [["nothing"], ["alike", "stranger"], "conflict", "a stranger's attempt: what onConflict says, or stop"],
];

/** The attempt is saved, the new shares are not. */
const shares: readonly Line[] = [
  [["a nonce", "no nonce"], ["none"], "start again", "our attempt is gone: start again and save its nonce"],
  [["no nonce"], ["former"], "give up and start", "an older attempt of ours: shut it out, cancel, start"],
  [["a nonce", "no nonce"], ["probe"], "cancel probe", "an old probe of ours: cancel it"],
  [["a nonce", "no nonce"], ["untouched"], "take over", "exactly like ours, without a share: take it over"],
  [["a nonce"], ["collecting"], "give shares", "collecting: give the shares at hand"],
  [["a nonce"], ["verifying"], "recover", "the reply with the new shares did not come here: take them from the backup, or start again"],
  [["a nonce"], ["altered"], "refuse altered", "our nonce with other parameters: stop"],
  [["a nonce", "no nonce"], ["alike", "stranger"], "conflict", "a stranger's attempt: what onConflict says, or stop"],
];

/** The new shares are saved, and either they or the former ones open the service. */
const commit: readonly Line[] = [
  [["candidate", "unknown"], ["verifying"], "prove and verify", "verifying: prove the new shares and commit"],
  [["candidate"], ["none"], "note unknown", "committed, sealed, failed over or cancelled: unknown"],
  [["candidate", "unknown"], ["untouched"], "cancel twin", "exactly like ours, without a share: cancel it; unknown"],
  [["candidate", "unknown"], ["probe"], "cancel probe", "an old probe of ours: cancel it"],
  [["candidate", "unknown"], ["altered"], "refuse altered", "our nonce with other parameters: stop"],
  [["candidate", "unknown"], ["alike", "stranger"], "conflict", "a stranger's attempt: what onConflict says, or stop"],
  [["unknown"], ["none"], "probe", "unknown: ask with a throw-away attempt"],
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
export function decide(step: Step, holds: Held, { kind }: Situation): Action | undefined {
  const row = table.find((each) => each.step === step && each.holds.includes(holds) && each.server.includes(kind));
  if (row) console.log(lineOf(row));
  return row?.action;
}

/** @internal */
export const lineOf = ({ step, name }: Row): string => `rekey, ${step}: ${name}`;
