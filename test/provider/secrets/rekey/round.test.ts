import { Operation } from "../../../../provider/connection";
import { PartialState, StewardError } from "../../../../provider/errors";
import { RekeyStatus } from "../../../../provider/secrets/rekey/api";
import { ShareSet, shareDigest, shareOf } from "../../../../provider/secrets/rekey/crypto";
import { ServerState } from "../../../../provider/secrets/rekey/step";
import { SharesInputs, SharesRun, Submission } from "../../../../provider/secrets/rekey/submit";

// One round of submissions: which share is submitted next, and when to stop. The service is a list of its responses.

/** The next response: the status of the attempt, or the result of a submitted share. */
type Response = Partial<RekeyStatus> | { set?: ShareSet } | StewardError;

/** The responses to come, the requests with their outcome so far, and the time. */
let responses: Response[];
let requests: string[];
let lines: string[];
let now: number;

/** Thrown once the list of responses is exhausted. */
const exhausted = new Error("no response is left");

function respond(request: string): Response {
  const response = responses.shift();
  if (!response) throw exhausted;
  requests.push(request);
  return response;
}

const api = "../../../../provider/secrets/rekey/api";
const http = "../../../../provider/http";
// The wait between two statuses is one of the recorded requests.
jest.mock(http, () => ({
  ...jest.requireActual(http),
  pauseFor: async ({ run: { engine } }: Pick<Operation, "run">) => {
    requests.push("wait");
    return !engine.canceled?.aborted;
  },
}));
jest.mock(api, () => ({
  ...jest.requireActual(api),
  getStatus: async () => ({ ...status(0), ...respond("observe") }),
  submitShare: async (_operation: unknown, { share }: { share: string }) => {
    const response = respond(labels[share] ?? share);
    if (response instanceof StewardError) throw response;
    return response;
  },
  waitAfter429: async () => {},
  startAttempt: async () => "fresh",
  cancelAttempt: async () => true,
  restartVerification: async () => undefined,
}));
const { submit } = require("../../../../provider/secrets/rekey/submit") as typeof import("../../../../provider/secrets/rekey/submit");

const text = (byte: number): string => Buffer.alloc(33, byte).toString("base64");
const own = [1, 2, 3].map(text);
const keptSet: ShareSet = { nonce: "earlier", threshold: 3, shares: [4, 5, 6].map(text), encrypted: [] };
/** The names of the shares in the list of requests. */
const labels = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [text(number), number < 4 ? `own ${number}` : `kept ${number - 3}`]));
const digestOf = (share: string): string => shareDigest("ours", shareOf(share, ""));
const digests = own.map(digestOf);

const status = (progress: number, more: Partial<RekeyStatus> = {}): RekeyStatus => ({
  started: true,
  nonce: "ours",
  threshold: 2,
  shares: 3,
  progress,
  required: 3,
  pgpFingerprints: [],
  backup: false,
  verificationRequired: true,
  ...more,
});
/** The status that shows this progress. */
const at = status;
const counted = { set: undefined };
const newShares: ShareSet = { nonce: "ours", threshold: 2, shares: [7, 8, 9].map(text), encrypted: [] };
const complete = { set: newShares };
const rejected = (reason: string): StewardError => new StewardError({ code: "ERR_REJECTED", reason, status: 400 });
const lost = new StewardError({ code: "ERR_NO_RESPONSE", reason: "the connection broke", outcomeUnknown: true });
/** The new attempt that replaces a canceled one. */
const fresh = at(0, { nonce: "fresh" });

interface Facts {
  /** Facts of the state, from an earlier run. */
  submission?: Partial<Submission>;
  inputs?: Partial<SharesInputs>;
  /** Vault refuses a repeated share without loss. A service of the standard dialect may count it twice. */
  dialect?: string;
  server?: ServerState;
  canceled?: AbortSignal;
}

/** The requests of a run, and its end: the stop or the new shares, unless the responses ran out before. */
async function round(facts: Facts, first: RekeyStatus, ...more: Response[]) {
  [responses, requests, lines, now] = [more, [], [], 0];
  const submission = { nonce: "ours", nonces: ["ours"], kept: [], submitted: [], excluded: [], refused: [], ...facts.submission };
  const log = (line: string): unknown => lines.push(line);
  const run = {
    operation: {
      server: { dialect: facts.dialect ?? "hashicorp", words: { service: "Vault" } },
      secrets: { values: [], fields: [] },
      run: { log: { info: log, warn: log }, engine: { canceled: facts.canceled } },
    },
    inputs: { currentShares: own, ...facts.inputs },
    identity: {
      nonce: "ours",
      nonces: ["ours"],
      parameters: { shares: 3, threshold: 2, pgpKeys: [], fingerprints: [], encryptionKeys: [], backup: false, verification: true },
    },
    state: { submission },
  } as unknown as SharesRun;
  try {
    const state = await submit(run, { server: facts.server ?? "collecting", status: first });
    return { requests, lines, submission: state.submission };
  } catch (error) {
    if (error !== exhausted && !(error instanceof StewardError) && !(error instanceof PartialState)) throw error;
    const { rule, reason = "" } = error instanceof StewardError ? error.details : {};
    return { requests, lines, submission: run.state.submission, stop: rule?.replace("rekey/", ""), reason };
  }
}

/** The shares among the requests. */
const sharesOf = ({ requests }: { requests: string[] }): string[] => requests.filter((request) => /^(own|kept) /.test(request));

beforeEach(() => {
  jest.spyOn(Date, "now").mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

test("submits each share after an observation, and receives what the last one brings", async () => {
  const two = await round({}, at(0), counted, at(1), counted, at(2));
  expect(two.requests).toEqual(["own 1", "observe", "own 2", "observe"]);
  expect(two.submission.submitted).toEqual(digests.slice(0, 2));
  const three = await round({}, at(0), counted, at(1), counted, at(2), complete);
  expect(three.requests).toEqual(["own 1", "observe", "own 2", "observe", "own 3"]);
  expect(three.submission).toMatchObject({ candidate: newShares, source: "reply", excluded: digests });
});

test("submits shares where the service does not say how many it requires", async () => {
  expect(sharesOf(await round({}, at(0, { required: 0 }), counted))).toEqual(["own 1"]);
});

test("prints the progress when it changes, and no more", async () => {
  expect((await round({}, at(0))).lines).toEqual([]);
  expect((await round({}, at(1))).lines).toEqual(["rekey: 1 of 3 current shares submitted"]);
  const same = await round({ dialect: "standard", submission: { submitted: digests.slice(0, 1) } }, at(1), at(1));
  expect(same.lines).toEqual(["rekey: 1 of 3 current shares submitted"]);
});

test.each<[ServerState, RekeyStatus, string]>([
  ["verifying", at(0), "new-shares-lost"],
  ["none", at(0, { started: false, nonce: "" }), "attempt-lost"],
  ["tampered", at(0), "tampered-attempt"],
  ["foreign", at(0, { nonce: "theirs" }), "attempt-lost"],
])("submits nothing to an attempt that is %s", async (server, first, stop) => {
  const ended = await round({ server }, first, ...(server === "verifying" ? [fresh] : []));
  expect(ended.stop).toBe(stop);
  expect(sharesOf(ended)).toEqual([]);
});

test("skips a share that counts already, and submits it again only where Vault refuses repeated shares", async () => {
  const submission = { submitted: digests.slice(0, 1) };
  const skipped = await round({ dialect: "standard", submission }, at(1), at(1), counted);
  expect(skipped.requests).toEqual(["observe", "own 2"]);
  const again = await round({ submission }, at(1), rejected("repeated"), at(1), at(1), counted);
  expect(sharesOf(again)).toEqual(["own 1", "own 2"]);
  for (const dialect of ["standard", "hashicorp"]) {
    const repeated = dialect === "hashicorp" ? [rejected("repeated"), at(1)] : [];
    const alone = await round({ dialect, submission, inputs: { currentShares: own.slice(0, 1) } }, at(1), ...repeated, at(1));
    expect(alone).toMatchObject({
      stop: "shares-missing",
      reason: "1 of 3 current shares submitted; submitted before: 1 of the available shares",
    });
  }
});

test("forgets the submitted shares where the service dropped its progress", async () => {
  expect((await round({ submission: { submitted: digests } }, at(1))).submission.submitted).toEqual([]);
});

test("submits its shares again, once, where the service dropped them", async () => {
  const dropped = [at(0), counted, at(1), counted, at(0), counted] as const;
  const again = await round({}, ...dropped);
  expect(sharesOf(again)).toEqual(["own 1", "own 2", "own 1"]);
  expect(again.submission.submitted).toEqual(digests.slice(0, 1));
  // A service that always reports no progress would receive the shares forever.
  const once = await round({}, ...dropped, at(0), counted, at(0), counted, at(0));
  expect(sharesOf(once)).toEqual(["own 1", "own 2", "own 1", "own 2", "own 3"]);
  expect(once).toMatchObject({ stop: "shares-missing", submission: { submitted: [] } });
});

/** The program has no share, so that a set of the state is submitted. */
const onlyKept: Facts = { inputs: { currentShares: [] }, submission: { kept: [keptSet] } };
const dropsAll = [rejected("no set"), at(0), at(0)] as const;

test("does not report shares of an earlier run as submitted after the service refused all", async () => {
  const repeated = (progress: number): Response[] => [rejected("repeated"), at(progress), at(progress)];
  const submission = { submitted: digests.slice(0, 2), kept: [keptSet] };
  const each = [rejected("wrong length"), at(0), at(0)];
  const all = [rejected("no set"), at(0), at(0)];
  const refused = await round({ submission }, at(2), ...repeated(2), ...repeated(2), ...all, ...each, ...each, ...each);
  expect(sharesOf(refused)).toEqual(["own 1", "own 2", "own 3", "kept 1", "kept 2", "kept 3"]);
  expect(refused).toMatchObject({ stop: "shares-missing", reason: expect.stringMatching(/^0 of 3 current shares submitted; rejected: /) });
});

/** The service refuses the first share, and counts the second. */
const twoPassed = [at(0), rejected("wrong length"), at(0), at(0), counted] as const;

test("keeps the last share for the end while other holders are awaited", async () => {
  const inputs = { waitSeconds: 9 };
  const waits = await round({ inputs }, ...twoPassed, at(1), at(1));
  expect(waits.requests.slice(-5)).toEqual(["own 2", "observe", "wait", "observe", "wait"]);
  expect(waits.lines.filter((line) => line.includes("9 s"))).toHaveLength(1);
  expect(sharesOf(await round({ inputs }, ...twoPassed, at(2), counted))).toEqual(["own 1", "own 2", "own 3"]);
});

test("sends no share after the user has canceled the wait", async () => {
  const facts = { inputs: { waitSeconds: 9 }, canceled: AbortSignal.abort() };
  const stopped = await round(facts, ...twoPassed, at(1));
  expect(sharesOf(stopped)).toEqual(["own 1", "own 2"]);
  expect(stopped).toMatchObject({ stop: "shares-missing", reason: expect.stringMatching(/^1 of 3 current shares submitted/) });
});

test("stops with the missing and the refused shares", async () => {
  const inputs = { currentShares: [...own, { env: "SHARE_THAT_IS_NOT_SET" }] };
  const refused = [rejected("wrong length"), at(1), at(1)];
  const submission = { submitted: digests.slice(1, 2) };
  const done = await round({ inputs, submission, dialect: "standard" }, at(1), ...refused, at(1), ...refused);
  expect(done).toMatchObject({
    stop: "shares-missing",
    reason: expect.stringMatching(
      /^1 of 3 .*; unavailable: currentShares\[3\] \(the variable SHARE_THAT_IS_NOT_SET\); rejected: currentShares\[0\]: wrong length; rejected: /,
    ),
  });
});

test("tries a kept set where the own shares are refused, and records a kept set that is refused", async () => {
  const submission = { kept: [keptSet] };
  const all = [at(0), counted, at(1), counted, at(2), ...dropsAll] as const;
  const other = await round({ submission }, ...all);
  expect(other).toMatchObject({ stop: undefined, submission: { submitted: [], refused: [] } });
  const end = await round({ submission }, ...all, counted, at(1), counted, at(2), rejected("no set"), at(0));
  expect(sharesOf(end).slice(-3)).toEqual(["kept 1", "kept 2", "kept 3"]);
  expect(end).toMatchObject({ stop: "shares-refused", reason: expect.stringContaining("(no set)"), submission: { refused: ["earlier"] } });
});

test("submits a kept set again where other holders' shares were refused with it", async () => {
  const mixed = await round(onlyKept, at(0), at(0), counted, at(2), ...dropsAll, counted);
  expect(sharesOf(mixed)).toEqual(["kept 1", "kept 2", "kept 1"]);
  expect(mixed.submission.refused).toEqual([]);
});

test("submits no kept set to an attempt that has shares of other holders", async () => {
  const facts = { inputs: { currentShares: own.slice(0, 1) }, submission: { kept: [keptSet] } };
  const theirs = await round(facts, at(0), counted, at(2));
  expect(theirs).toMatchObject({ stop: "shares-missing", reason: expect.stringContaining("2 of 3") });
  const alone = await round(facts, at(0), counted, at(1), at(1), counted);
  expect(sharesOf(alone)).toEqual(["own 1", "kept 1"]);
});

test("a share without a response is submitted again once where that is safe, and else given up", async () => {
  const unanswered = [lost, at(0)] as const;
  expect(sharesOf(await round({}, at(0), ...unanswered, at(0), counted))).toEqual(["own 1", "own 1"]);
  const twice = await round({}, at(0), ...unanswered, at(0), ...unanswered, fresh);
  expect(twice.stop).toBe("share-count-unknown");
  const once = await round({ dialect: "standard" }, at(0), ...unanswered, fresh);
  expect(once.stop).toBe("attempt-restarted");
});

test.each([
  ["refused", [rejected("wrong length"), at(0), at(0)]],
  ["counted", [counted, at(1)]],
])("the response to each share may be lost once, although that to the share before was lost, and then %s", async (_, results) => {
  const { progress = 0 } = results.at(-1) as RekeyStatus;
  const retried = await round({}, at(0), lost, at(0), at(0), ...results, lost, at(progress), at(progress), counted);
  expect(sharesOf(retried)).toEqual(["own 1", "own 1", "own 2", "own 2"]);
});

test("the response to a share of a kept set may be lost once, although that to an own share was lost", async () => {
  const facts = { submission: { kept: [keptSet] } };
  const refused = [at(0), counted, at(1), counted, at(2), lost, at(2), at(2), ...dropsAll] as const;
  const other = await round(facts, ...refused, lost, at(0), at(0), counted);
  expect(sharesOf(other)).toEqual(["own 1", "own 2", "own 3", "own 3", "kept 1", "kept 1"]);
});

test.each([{ started: false, nonce: "" }, { verification: { nonce: "v", progress: 0, threshold: 2, shares: 3 } }])(
  "a share without a response is left to the next observation where the attempt shows %j",
  async (more) => {
    for (const dialect of ["hashicorp", "standard"]) {
      const left = await round({ dialect }, at(0), lost, at(0, more), at(0));
      expect(left.requests.slice(0, 3)).toEqual(["own 1", "observe", "observe"]);
    }
  },
);
