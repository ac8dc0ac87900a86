import { existsSync } from "node:fs";
import { join } from "node:path";
import { noShares } from "../../provider/secrets/rekey/protocol/stops";
import { formsIn } from "../support/canaries";
import { holders } from "../support/pgp";
import { onEachRekeyTarget, spoiled } from "../support/rekey";
import { argumentsOf, ends, enter, stewardProcess, typing, variablesOf } from "./holder";
import { askedForShare, confirmed, entriesIn, eventsIn, folder, newSharesIn, tools } from "./rekey";

onEachRekeyTarget("pulumi-steward rekey under faults", (current) => {
  const { alone, atTerminal, sent, begin, nonce, verification, forHolders, cancel, submitShares, share } = tools(current);
  const record = (): string => join(folder, "record.json");
  const recorded = (args: string[], input = "") => alone([...args, "--record", record()], input);

  /** The new shares are made, and one of a threshold of two is verified. */
  const almostCommitted = async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name);
    const { stdout } = await alone(["submit", "--nonce", name], share(2));
    const shares = newSharesIn(stdout);
    const verify = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await current().outOfBand("PUT", "sys/rekey/verify", { key, nonce: await verification() });
    };
    await verify(shares[0] as string);
    return { name, shares, verify };
  };

  /** The response to the last share with other new shares. */
  const withShares =
    (change: (shares: string[]) => string[]) =>
    (body: string): string =>
      JSON.stringify({ ...JSON.parse(body), keys_base64: change(JSON.parse(body).keys_base64) });
  const noneInBody = JSON.stringify({ complete: true, keys: [], keys_base64: [] });
  test.each<[string, { require_verification?: false }, (body: string) => string, RegExp | string, number?]>([
    ["no new shares, without verification", { require_verification: false }, () => noneInBody, noShares],
    ["no new shares", {}, () => '{"complete":true}', "returned no new shares. Nothing is committed."],
    ["neither progress nor a completion", {}, () => "{}", "the new shares were created, but were lost"],
    ["too few new shares", {}, withShares((shares) => shares.slice(1)), /\b2 new shares\b.*\b3\b/, 2],
    [
      "a new share that does not match the others",
      {},
      withShares(([a = "", ...others]) => [spoiled(a), ...others]),
      /^pulumi-steward: /m,
      3,
    ],
  ])("submit fails if the response to the last share has %s", async (_, more, answer, message, printed = 0) => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2, ...more });
    await submitShares(name);
    current().gateway.on("PUT sys/rekey/update", { when: "after", answer });
    const last = await alone(["submit", "--nonce", name], share(2));
    expect([last.code, last.stdout.split("\n").length - 1]).toEqual([1, printed]);
    expect(last.stderr).toMatch(message);
    if (more.require_verification !== false) expect(await current().opens(current().first)).toBe(true);
  });

  test("a wrong share discards the progress, a duplicate share does not, and neither is retried", async () => {
    const name = await begin({ secret_shares: 5, secret_threshold: 3 });
    await alone(["submit", "--nonce", name], share(0));
    const twice = await alone(["submit", "--nonce", name], share(0));
    expect(twice.code).toBe(3);
    expect(twice.stderr).toContain("given key has already been provided");
    await alone(["submit", "--nonce", name], share(1));
    const wrong = spoiled(share(2));
    const last = await alone(["submit", "--nonce", name], wrong);
    expect(last.code).toBe(3);
    expect(last.stderr).toMatch(/\b3 current shares\b/);
    expect(last.stderr).toContain(name);
    expect(formsIn(last.stderr, [wrong])).toEqual([]);
    expect(sent("update")).toBe(4);
    expect((await alone(["status"])).stdout).toContain("0 of 3 ");
  });

  test("wrong new shares commit nothing and restart the verification with a new nonce", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name, current().first.slice(0, 3));
    const before = await verification();
    const mistaken = await alone(["verify", "--nonce", name], share(0));
    expect(mistaken.stderr).toContain(before);
    expect(sent("verify")).toBe(0);
    await alone(["verify", "--nonce", before], share(0));
    const last = await alone(["verify", "--nonce", before], share(1));
    expect(last.stderr).toMatch(/\b2 new shares\b/);
    expect(await verification()).not.toBe(before);
    expect(last.stderr).toContain(await verification());
    expect(await current().opens(current().first)).toBe(true);
  });

  test("restart discards the verified shares, cancel ends the attempt, and the current shares stay valid", async () => {
    const { name } = await almostCommitted();
    const before = await verification();
    const restarted = await atTerminal(["restart"], { [confirmed]: `y${enter}` });
    expect(restarted.stderr).toContain(`pulumi-steward rekey verify --nonce ${await verification()}`);
    expect((await current().outOfBand("GET", "sys/rekey/verify")).body).toMatchObject({ progress: 0 });
    expect(await verification()).not.toBe(before);
    expect(await alone(["cancel", "--nonce", before])).toMatchObject(ends(1, name));
    const canceled = await alone(["cancel", "--nonce", name]);
    expect(canceled).toMatchObject({ code: 0, stdout: "" });
    expect((await current().outOfBand("GET", "sys/rekey/init")).body.started).toBe(false);
    expect(await current().opens(current().first)).toBe(true);
  });

  const unknown = ends(1, "another holder may have committed it. Keep the previous shares and the new ones.");

  test.each<[string, request: string, when: "before" | "after", count: number, isCommitted: boolean]>([
    ["after the commit of another holder", "GET sys/rekey/verify", "after", 1, true],
    ["without a response, while other holders commit,", "DELETE sys/rekey/init", "before", 2, true],
    // The cancel restarts the verification first, so that the share is the first one again.
    ["without a response, while another holder verifies a new share,", "DELETE sys/rekey/init", "before", 1, false],
  ])("a cancel %s does not call valid shares worthless", async (_, request, when, count, isCommitted) => {
    const { name, shares, verify } = await almostCommitted();
    const act = (): Promise<void> => verify(...shares.slice(1, 1 + count));
    const [answer, nth] = when === "after" ? [(body: string) => body, 2] : [];
    current().gateway.on(request, { when, act, answer }, nth);
    const canceled = await alone(["cancel", "--nonce", name]);
    if (isCommitted) expect(canceled).toMatchObject(unknown);
    expect([await current().opens(shares.slice(1)), await current().opens(current().first)]).toEqual([isCommitted, !isCommitted]);
  });

  test("a cancel does not call new shares invalid that the last share committed at the same moment", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2, require_verification: false });
    await submitShares(name);
    const act = (): Promise<void> => submitShares(name, [share(2)]);
    current().gateway.on("GET sys/rekey/init", { when: "after", act, answer: (body) => body }, 2);
    const canceled = await recorded(["cancel", "--nonce", name]);
    expect(canceled.stderr).toContain("Unless another holder submitted the last share at the same moment, the current shares stay valid");
    const [, last] = entriesIn(record());
    if (last?.event === "canceled") expect(last.detail).toContain("Unless another client committed it");
    else expect(last).toMatchObject({ event: "observed" });
    expect(await current().opens(current().first)).toBe(false);
  });

  test("a lost response is resolved by a read, and no share is sent again", async () => {
    const cut = (path: string, when: "before" | "after" = "after"): void => current().gateway.on(`PUT sys/rekey/${path}`, { when });
    const all = await holders(2);
    const name = await forHolders(all);
    cut("update");
    const counted = await alone(["submit", "--nonce", name], share(0));
    expect(counted.code).toBe(1);
    expect(counted.stderr).toMatch(/\b1 of 3 current shares\b.*\b0 /);
    cut("update", "before");
    const lost = await alone(["submit", "--nonce", name], share(1));
    expect(lost.stderr).toMatch(/\b1 of 3 current shares\b.*\b1 /);
    expect(sent("update")).toBe(2);
    await submitShares(name, [share(1)]);
    cut("update");
    const last = await alone(["submit", "--nonce", name, "--output", join(folder, "new")], share(2));
    expect(last.stderr).toContain("`pulumi-steward rekey backup");
    expect(existsSync(join(folder, "new"))).toBe(false);

    await cancel();
    current().gateway.interrupt = undefined;
    const { shares } = await almostCommitted();
    cut("verify");
    const unknown = await alone(["verify", "--nonce", await verification()], shares[1]);
    expect(unknown).toMatchObject(ends(1, "docs/rekey/recovery.md#test-which-shares-are-valid"));
    expect(await current().opens(shares)).toBe(true);
  });

  test("a new share that a standby redirects, although the active node has counted it, is not verified twice", async () => {
    const { shares } = await almostCommitted();
    await current().outOfBand("DELETE", "sys/rekey/verify");
    current().gateway.on("PUT sys/rekey/verify", { when: "after", redirects: true }, 1);
    const refused = await alone(["verify", "--nonce", await verification()], shares[0]);
    expect(refused).toMatchObject(ends(1, /\b1 of 2 new shares\b/));
    expect(sent("verify")).toBe(1);
  });

  test("an error about a failed commit does not say that nothing is committed", async () => {
    const { shares } = await almostCommitted();
    // Two shares of a set that do not match cause a 500 as well: only the reason differs.
    current().gateway.on("PUT sys/rekey/verify", {
      when: "after",
      answer: () => JSON.stringify({ errors: ["failed to perform rekey: failed to rekey barrier: disk full"] }),
    });
    const last = await recorded(["verify", "--nonce", await verification()], spoiled(shares[1]));
    expect(last).toMatchObject(ends(1, /unknown whether the new shares are valid.*Keep the previous shares/));
    expect(entriesIn(record()).filter(({ event }) => event === "unknown" || event === "rejected")).toMatchObject([
      { event: "unknown", detail: expect.stringContaining("either set may be valid") },
    ]);
  });

  test("a rekey that is canceled before the share arrives, and a false completion, are reported", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    current().gateway.on("PUT sys/rekey/update", { when: "after", act: cancel });
    expect((await alone(["submit", "--nonce", name], share(0))).code).toBe(1);
    expect(await current().opens(current().first)).toBe(true);
    current().gateway.interrupt = undefined;
    const { shares } = await almostCommitted();
    await current().outOfBand("DELETE", "sys/rekey/verify");
    current().gateway.on("PUT sys/rekey/verify", { when: "after", answer: () => JSON.stringify({ nonce: "x", complete: true }) });
    const said = await alone(["verify", "--nonce", await verification()], shares[2]);
    expect(said).toMatchObject(ends(1, "docs/rekey/recovery.md#test-which-shares-are-valid"));
  });

  test("a start without a response is found again, and a foreign one is not mistaken for it", async () => {
    const start = ["init", "--shares", "3", "--threshold", "2"];
    current().gateway.on("PUT sys/rekey/init", { when: "before" });
    expect(await alone(start)).toMatchObject({ code: 1, stderr: expect.stringContaining("did not start") });
    current().gateway.on("PUT sys/rekey/init", { when: "after" });
    expect(await alone(start)).toMatchObject({ code: 0, stderr: expect.stringContaining("The rekey is started") });
    await cancel();
    const act = async (): Promise<void> => void (await begin({ secret_shares: 5, secret_threshold: 3 }));
    current().gateway.on("PUT sys/rekey/init", { when: "before", act });
    expect(await alone(start)).toMatchObject({ code: 1, stderr: expect.stringContaining("[rekey/tampered-attempt]") });
  });

  test("a commit whose status cannot be read is no plain network error", async () => {
    const { shares } = await almostCommitted();
    const nonce = await verification();
    const before = sent("verify");
    current().gateway.interrupt = ({ method }) => (method === "GET" && sent("verify") > before ? { when: "before" } : undefined);
    const last = await recorded(["verify", "--nonce", nonce], shares[1]);
    expect(last).toMatchObject({ code: 1, stderr: expect.stringMatching(/reported completion.*\[rekey\/outcome-unknown\]/) });
    expect(await current().opens(shares)).toBe(true);
    // The record does not hide the commit that its run could not see.
    current().gateway.interrupt = undefined;
    for (let runs = 0; runs < 2; runs++) await recorded(["status"]);
    expect(eventsIn(record())).toEqual(["observed verifying 1", "verified", "observed"]);
  });

  test("an attempt that is replaced as the last share is sent is no verdict on the shares, and no holder is sent to it", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name);
    const answer = (body: string): string => body;
    const replace = async (): Promise<void> => {
      await cancel();
      await forHolders(await holders(2));
    };
    current().gateway.on("GET sys/rekey/init", { when: "after", act: replace, answer }, 2);
    const other = { code: 1, stderr: expect.stringMatching(/has changed .* not counted.*\[rekey\/attempt-changed\]/) };
    const submitted = await alone(["submit", "--nonce", name], share(2));
    expect(submitted).toMatchObject(other);
    expect(submitted.stderr).not.toContain(await nonce());
    // The response may be lost as well.
    await submitShares(await nonce());
    current().gateway.on("PUT sys/rekey/update", { when: "before", act: replace });
    const lost = await alone(["submit", "--nonce", await nonce()], share(2));
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("[rekey/attempt-lost]") });

    current().gateway.interrupt = undefined;
    await cancel();
    const { shares } = await almostCommitted();
    const restart = async (): Promise<void> => void (await current().outOfBand("DELETE", "sys/rekey/verify"));
    current().gateway.on("GET sys/rekey/verify", { when: "after", act: restart, answer }, 2);
    expect(await alone(["verify", "--nonce", await verification()], shares[1])).toMatchObject(other);
  });

  test("the new shares go to standard error if standard output is closed", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await submitShares(name);
    const broken = await typing(
      variablesOf(current()),
      argumentsOf(current(), "submit", "--nonce", name),
      { [askedForShare]: share(2) + enter },
      { brokenOutput: true },
    );
    const shares = newSharesIn(broken.stderr);
    for (const each of shares) await current().outOfBand("PUT", "sys/rekey/verify", { key: each, nonce: await verification() });
    expect(await current().opens(shares)).toBe(true);
  });

  test("Ctrl-C during the request with the last share waits for the new shares", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await submitShares(name);
    let pid = 0;
    current().gateway.on("PUT sys/rekey/update", { when: "after", act: () => void process.kill(pid, "SIGINT"), answer: (body) => body });
    const last = await stewardProcess(variablesOf(current()), argumentsOf(current(), "submit", "--nonce", name), share(2), (started) => {
      pid = started;
    });
    expect(last.code).toBe(0);
    expect(last.stdout.trimEnd().split("\n")).toHaveLength(2);
  });
});
