import { Connection } from "../../connection";
import { StewardError } from "../../errors";
import { sendPatiently } from "./rate-limit";
import { cancelAttempt, getStatus, giveShare, isReplyLost, saysNothingOfTheShare, startAttempt } from "./server";
import { Share } from "./share";
import { matches } from "./situation";
import { Attempt, stopped, tell } from "./steps";

/** A set whose shares are at hand. @internal */
export interface Tried {
  shares: Share[];
  threshold: number;
}

/**
 * Asks the service which of these sets opens it, without changing anything: a throw-away attempt takes the shares of each for the current ones, until one is
 * accepted, and is cancelled. What it would make is encrypted to a key that nobody has. A verdict needs clean counting: whenever somebody else's share is
 * mixed in, the probe is cancelled and nothing is said.
 * @internal
 */
export async function probe<T extends Tried>(
  connection: Connection,
  { probe: { key, fingerprint } }: Attempt,
  sets: readonly T[],
): Promise<T | undefined> {
  const parameters = { shares: 1, threshold: 1, pgpKeys: [key], fingerprints: [fingerprint], backup: false, verification: true };
  tell(connection, "asking the service with a throw-away attempt which shares open it");
  try {
    await startAttempt(connection, parameters);
  } catch (error) {
    throw isReplyLost(error) ? again("the start of the probe was not answered") : error;
  }
  const status = await getStatus(connection);
  const { nonce, required } = status;
  // Of a service that forgets the verification, the last share of the probe would be the end of all keys.
  if (!status.started || !matches(status, parameters)) throw again("the probe is gone, or not what was asked for");
  try {
    for (const set of sets)
      if (isComplete(set, required) && (await opens(connection, nonce, set.shares.slice(0, required), required))) return set;
    return undefined;
  } finally {
    await cancelAttempt(connection, nonce);
  }
}

/** Whether so many shares of a set are at hand as open a service that asks for `required`. @internal */
export const isComplete = ({ shares, threshold }: Tried, required: number): boolean => threshold === required && shares.length >= required;

async function opens(connection: Connection, nonce: string, shares: readonly Share[], required: number): Promise<boolean> {
  for (const [given, share] of shares.entries()) {
    const isUntouched = async (): Promise<true> => {
      const before = await getStatus(connection);
      if (before.nonce === nonce && !before.verification && before.progress === given) return true;
      throw again("somebody else has touched the probe");
    };
    await isUntouched();
    try {
      const give = (): ReturnType<typeof giveShare> =>
        giveShare(connection, { nonce, share: share.text }, { threshold: 1, fingerprints: [] });
      const { set, progress } = await sendPatiently(connection, give, isUntouched);
      if (set) return true;
      if (progress !== undefined && progress !== given + 1) throw again("somebody else has given the probe a share");
    } catch (error) {
      if (!(error instanceof StewardError) || error.code === "ERR_INCOMPLETE" || error.status === undefined || saysNothingOfTheShare(error))
        throw error;
      // Shares that do not fit are refused at the threshold, and there alone; the count then begins anew.
      const after = await getStatus(connection);
      if (after.nonce === nonce && !after.verification && after.progress === 0 && given + 1 === required) return false;
      throw error.status >= 500 ? again(error.facts.reason) : error;
    }
  }
  throw again("the service asks for more shares than it said");
}

const again = (reason: string): StewardError =>
  stopped(`which shares open the service could not be found out: ${reason}`, "Nothing was changed: run `pulumi up` again.");
