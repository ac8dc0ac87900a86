import { StewardError } from "../contract/errors";
import { Operation } from "../contract/operation";
import { exchange } from "./exchange";
import { judge } from "./judge";
import { Request, Response, Sending } from "./request";
import { retryDelay } from "./retry";
import { socketsTo } from "./sockets";
import { pauseFor, withDeadline } from "./wait";

export type { ApiRequest, Request, Response, Retry, Sender } from "./request";
export { delayAfter429 } from "./retry";
export { pauseFor, withDeadline } from "./wait";

/** Sends a request. Returns a 2xx response, and throws for any other. All HTTP requests go through here. */
export function send(operation: Operation, request: Request): Promise<Response> {
  const { observe } = operation.run;
  return observe ? observe(operation, request, () => attempts(operation, request)) : attempts(operation, request);
}

async function attempts(operation: Operation, request: Request): Promise<Response> {
  const token = operation.server.credentials.token();
  const secrets = [...operation.secrets.values, token ?? "", operation.server.credentials.clientKey ?? ""];
  const sending: Sending = { operation, request, token, secrets };
  const sockets = socketsTo(operation, request.isBlocking ?? false);
  const slot = sockets.slot(request.signal);
  const deadline = request.limits?.deadline ?? operation.run.limits.deadline;
  let left = deadline;
  const before = { isSent: false, outcomeUnknown: false };
  try {
    for (let attempt = 0; ; attempt++) {
      await slot.take();
      const begin = Date.now();
      const outcome = await withDeadline(begin + left, [request.signal], async (signal) =>
        judge(await exchange(sending, sockets, signal, !before.isSent), sending),
      ).catch(requestError);
      const limitedSince = outcome.status === undefined ? undefined : sockets.recordStatus(outcome.status, begin);
      if (!(outcome instanceof StewardError)) return outcome;

      const failure = before.outcomeUnknown ? withDoubt(outcome) : outcome;
      const isLimited = limitedSince !== undefined;
      const now = Date.now();
      if (!isLimited) left -= now - begin;
      const pause = retryDelay(operation.run.limits, outcome, attempt, request.retry);
      // A limited rate is no failure while the server serves other requests.
      const end = isLimited ? limitedSince + deadline : now + left;
      if (pause === undefined || now + pause > end) throw failure;

      // The last attempt may have failed early, but an earlier one may have been applied.
      before.isSent ||= !outcome.details.nothingSent;
      before.outcomeUnknown ||= outcome.details.outcomeUnknown ?? false;
      // The limit applies to the waiting requests as well, so this one keeps its slot.
      if (!isLimited) slot.release();
      // If the program aborts during the pause, the next attempt throws.
      if (!(await pauseFor(operation, pause, request.signal))) throw failure;
      if (!isLimited) left -= pause;
      // The result of an action could not be saved.
      if (request.retry === "only429") await operation.run.engine.assertAlive();
    }
  } finally {
    slot.release();
  }
}

/** Returns the error of a request, and throws any other. */
function requestError(error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  throw error;
}

/** Marks the outcome of a failure as unknown, since the server may have applied an earlier attempt. */
function withDoubt(failure: StewardError): StewardError {
  if (failure.details.outcomeUnknown) return failure;
  return failure.with({
    code: failure.code === "ERR_UNREACHABLE" ? "ERR_NO_RESPONSE" : failure.code,
    outcomeUnknown: true,
    hint: `${failure.details.hint ?? ""} An earlier attempt got no response, and the server may have applied it.`.trim(),
  });
}
