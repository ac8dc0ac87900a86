import { noEngine } from "../../../../provider/contract/operation";
import { rekeyShares } from "../../../../provider/secrets/rekey/shares/resource";
import { connectTo } from "../../../support/connection";
import { allRekeyTargets, onEachRekeyTarget, RekeyTarget } from "../../../support/rekey";
import { lines, stack, tools, wrongBeside } from "./story";

// One round of submissions: which share is submitted next, and when to stop. The API document does not say if a service counts a repeated share twice.

const ofUnsealKeys = allRekeyTargets.filter(({ keys, namespace }) => keys === "unseal" && !namespace);

const suite = (current: () => RekeyTarget, dialect: RekeyTarget["dialect"]): void => {
  const { inputs, stackOn, requests, status, begin, submit, cancel, interrupt } = tools(current);

  const refusesRepeated = dialect !== "standard";
  const unchanged = (body: string): string => body;
  /** The number of shares that a run submits. */
  const submissions = async (run: () => Promise<unknown>): Promise<number> =>
    (await requests(run)).filter((request) => request === "PUT update").length;

  test("submits shares to a service that does not say how many it requires", async () => {
    interrupt("GET", "init", { when: "after", answer: (body) => JSON.stringify({ ...JSON.parse(body), required: undefined }) });
    await stack.up(inputs(), "shares");
    expect(stack.candidate.shares).toHaveLength(3);
  });

  test("submits no further share to an attempt whose parameters change", async () => {
    interrupt("GET", "init", { when: "after", answer: (body) => JSON.stringify({ ...JSON.parse(body), n: 1, t: 1 }) }, 4);
    expect(await submissions(async () => expect(await stack.stops(inputs())).toBe("rekey/tampered-attempt"))).toBe(1);
    await stack.up(inputs());
  });

  test("reports the shares of earlier runs, until the service has discarded them", async () => {
    const alone = inputs({ currentShares: current().first.slice(0, 1) });
    const ends = async (reason: string, count: number): Promise<void> => {
      const sent = await submissions(async () => expect((await stack.fails(alone)).details.reason).toBe(reason));
      expect(sent).toBe(count);
    };
    await ends("1 of 3 current shares submitted", 1);
    expect(lines().match(/^rekey: \d of 3 .*$/gm)).toEqual(["rekey: 1 of 3 current shares submitted"]);
    await ends("1 of 3 current shares submitted; submitted before: 1 of the available shares", refusesRepeated ? 1 : 0);
    await submit(...wrongBeside(current().first, 2));
    await ends("1 of 3 current shares submitted; the shares that were submitted before are gone, so their holders submit them again", 1);
  });

  test("names the shares that are not available and those that the service rejects", async () => {
    // OpenBao accepts a share of any length.
    if (dialect === "openbao") return;
    const long = Buffer.alloc(40, 1).toString("base64");
    const references = [{ env: "SHARE_THAT_IS_NOT_SET" }, { file: "no/such/file" }];
    const { details } = await stack.fails(inputs({ currentShares: [long, ...references] }));
    expect(details).toMatchObject({
      operation: "Cannot create rekey",
      rule: "rekey/shares-missing",
      reason: expect.stringMatching(
        /^0 of 3 .*; unavailable: the variable SHARE_THAT_IS_NOT_SET, the file no\/such\/file; rejected: currentShares\[0\]: /,
      ),
    });
  });

  test("submits its shares again, once, after those of others have discarded them", async () => {
    // A service that always discards them would receive them forever.
    let left = 9;
    const discard = async (): Promise<void> => (left-- > 0 ? submit(...wrongBeside(current().first, 2)) : undefined);
    interrupt("PUT", "update", { when: "after", act: discard, answer: unchanged });
    expect(await submissions(async () => expect(await stack.stops(inputs())).toBe("rekey/shares-missing"))).toBe(4);
    interrupt("PUT", "update", { when: "after", act: () => submit(...wrongBeside(current().first)), answer: unchanged }, 2);
    expect(await submissions(() => stack.up(inputs()))).toBe(5);
  });

  test("sends no share after the user has canceled the wait", async () => {
    const waiting = inputs({ currentShares: current().first.slice(0, 1), waitSeconds: 9 });
    await stack.up(waiting, "attempt");
    const engine = { ...noEngine, canceled: AbortSignal.abort() };
    const operation = connectTo("secrets", {}, { config: (key) => JSON.stringify(current().config[key]), engine });
    const given = { ...stack.attempt.outputs(), ...waiting } as never;
    await expect(rekeyShares.create({ operation, inputs: given, claims: undefined as never })).rejects.toThrow(
      "0 of 3 current shares submitted",
    );
    expect(await status()).toMatchObject({ started: true, progress: 0 });
  });

  test("submits a set of the state that the service rejected only once", async () => {
    await stack.up(inputs());
    await stackOn(current()).up(inputs({ currentShares: stack.outputs.shares }));
    const again = inputs({ triggers: ["2"], currentShares: [] });
    expect(await submissions(async () => expect(await stack.stops(again)).toBe("rekey/shares-refused"))).toBe(2);
    expect(await submissions(async () => expect(await stack.stops(again)).toBe("rekey/shares-missing"))).toBe(0);
  });

  test("submits a set of the state again after it was rejected together with another holder's share", async () => {
    await stack.up(inputs({ secretShares: 4, secretThreshold: 3 }));
    const theirs = wrongBeside(stack.outputs.shares);
    interrupt("PUT", "update", { when: "after", act: () => submit(...theirs), answer: unchanged }, 1);
    expect(await submissions(() => stack.up(inputs({ triggers: ["2"], currentShares: [] })))).toBe(5);
  });

  test("submits no set of the state to an attempt with shares of other holders", async () => {
    await stack.up(inputs());
    const again = inputs({ triggers: ["2"], currentShares: [] });
    await stack.up(again, "attempt");
    await submit(stack.outputs.shares[2] as string);
    expect(await submissions(async () => expect(await stack.stops(again)).toBe("rekey/shares-missing"))).toBe(0);
  });

  test("submits a set of the state after own shares that are too few", async () => {
    await stack.up(inputs());
    const again = inputs({ triggers: ["2"], currentShares: stack.outputs.shares.slice(2) });
    expect(await submissions(() => stack.up(again))).toBe(2);
  });

  test("submits a share whose request is lost again, once, and only to a service that refuses a repeated one", async () => {
    interrupt("PUT", "update", { when: "before" });
    const stop = refusesRepeated ? "rekey/share-count-unknown" : "rekey/attempt-restarted";
    expect(await submissions(async () => expect(await stack.stops(inputs())).toBe(stop))).toBe(refusesRepeated ? 2 : 1);
    if (!refusesRepeated) return;
    // The request of each share is lost once.
    let count = 0;
    current().gateway.interrupt = ({ path }) => (path.endsWith("/update") && ++count % 2 === 1 ? { when: "before" } : undefined);
    expect(await submissions(() => stack.up(inputs()))).toBe(6);
  });

  const gone: [string, () => Promise<unknown>, string][] = [
    ["canceled", cancel, "rekey/attempt-lost"],
    ["completed", () => submit(...current().first.slice(0, 3)), "rekey/new-shares-lost"],
    [
      "replaced",
      () => cancel().then(() => begin({ secret_shares: 5, secret_threshold: 3 })),
      refusesRepeated ? "rekey/attempt-lost" : "rekey/share-count-unknown",
    ],
  ];
  test.each(gone)("does not submit a lost share to an attempt that others have %s in the meantime", async (_, act, stop) => {
    interrupt("PUT", "update", { when: "before", act: async () => void (await act()) });
    expect(await submissions(async () => expect(await stack.stops(inputs())).toBe(stop))).toBe(1);
  });
};

onEachRekeyTarget("a round of submissions", suite, ofUnsealKeys);
