import { RekeyOperation } from "../protocol/operation";

const outcomeKey = ({ server: { id: server } }: RekeyOperation, nonce: string): string => `rekey: outcome of ${nonce} on ${server}`;

/** Records the outcome of a candidate, so that the shares, deleted after the commit in the same run, can read it. */
export function recordOutcome(operation: RekeyOperation, nonce: string, outcome: "live" | "dead"): void {
  operation.run.cache.set(outcomeKey(operation, nonce), outcome);
}

const liveKey = ({ server: { id: server }, target }: RekeyOperation): string => `rekey: new ${target} keys on ${server}`;

/** Records that new shares became valid in this run, so that every other set is worthless. */
export const recordLive = (operation: RekeyOperation): void => void operation.run.cache.set(liveKey(operation), true);

export const becameLive = (operation: RekeyOperation): boolean => operation.run.cache.has(liveKey(operation));

export const recordedOutcome = (operation: RekeyOperation, nonce: string): unknown => operation.run.cache.get(outcomeKey(operation, nonce));
