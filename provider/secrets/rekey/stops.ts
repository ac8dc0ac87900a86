import { StewardError, Unfinished } from "../../errors";
import { describe, Observed } from "./states";

// How a rekey stops.

/** @internal */
export const refuseTampered = ({ status }: Observed): StewardError =>
  new StewardError({
    code: "ERR_CONFLICT",
    reason: `the attempt has our nonce ${status.nonce}, and not what we asked for (${describe(status)}): a share given to it could make keys for somebody else`,
    advice: 'Find out who changed it; onConflict: "cancel" and a change of triggers begin anew.',
  });

/** A pair of state and server that the table does not name. @internal */
export const unexpectedState = ({ server, status }: Observed, holds: string): StewardError =>
  new StewardError({
    code: "ERR_CONFLICT",
    reason: `this is not foreseen: the state holds ${holds}, and the server shows ${status.started ? `the attempt ${status.nonce} (${server}; ${describe(status)})` : "no attempt"}`,
    advice: "Nothing was sent and everything is kept: docs/rekey.md, in the package, tells what to do by hand.",
  });

/** @internal */
export const stopped = (reason: string, advice?: string): StewardError => new StewardError({ code: "ERR_INCOMPLETE", reason, advice });

/** What a run has done so far is saved, and the next one goes on from it. @internal */
export const unfinished = ({ state }: { state: object }, reason: string, advice: string): StewardError =>
  new Unfinished({ ...state, unfinished: true }, { reason, advice });

/** A delete that would take shares along. @internal */
export const unsettled = (reason: string): StewardError =>
  stopped(reason, "Run `pulumi up` until it is settled; or set discardShares: true, run `pulumi up`, and delete then.");

/** @internal */
export const autoUnseal = (more = ""): StewardError =>
  new StewardError({
    code: "ERR_REFUSED",
    reason: `this service unseals itself: its seal keeps the key, and a rekey would make one share, which it does not give out${more}`,
    advice: "Its recovery keys have an API of their own, which this resource does not serve.",
  });

/** @internal */
export const keptBySeal =
  "the service rotated its key and gave out no share: its seal must hold the key. If shares unseal it, keep it unsealed and restore it from a backup: nobody knows the new key";

/** @internal */
export const noShares = {
  reason: "the service rotated its key and gave out no shares: its seal keeps the key itself",
  advice: "There is nothing to keep: remove this resource from the program.",
};
