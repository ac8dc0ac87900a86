import { existsSync } from "node:fs";
import { join } from "node:path";
import { noShares } from "../../provider/secrets/rekey/stops";
import { holders } from "../support/pgp";
import { onEachRekeyTarget } from "../support/rekey";
import { argumentsOf, enter, stewardProcess, typing, variablesOf } from "./holder";
import { askedForShare, confirmed, folder, formsOf, tools } from "./rekey";

onEachRekeyTarget("pulumi-steward rekey under faults", (current) => {
  const { alone, atTerminal, sent, begin, verification, forHolders, submitShares, share } = tools(current);

  test("submit fails if the response to the last share has no new shares", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2, require_verification: false });
    await submitShares(name);
    const without = JSON.stringify({ complete: true, keys: [], keys_base64: [] });
    current().gateway.on("PUT sys/rekey/update", { when: "after", answer: () => without });
    const last = await alone(["submit", "--nonce", name], share(2));
    expect(last).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(noShares) });
  });

  test("a wrong share discards the progress, a duplicate share does not, and neither is retried", async () => {
    const name = await begin({ secret_shares: 5, secret_threshold: 3 });
    await alone(["submit", "--nonce", name], share(0));
    const twice = await alone(["submit", "--nonce", name], share(0));
    expect(twice.code).toBe(1);
    expect(twice.stderr).toContain("given key has already been provided");
    await alone(["submit", "--nonce", name], share(1));
    const wrong = Buffer.from(share(2), "base64").fill(7, 0, 20).toString("base64");
    const last = await alone(["submit", "--nonce", name], wrong);
    expect(last.code).toBe(1);
    expect(last.stderr).toMatch(/\b3 current shares\b/);
    expect(last.stderr).toContain(name);
    for (const form of formsOf(wrong)) expect(last.stderr).not.toContain(form);
    expect(sent("update")).toBe(4);
    expect((await alone(["status"])).stdout).toContain("0 of 3 ");
  });

  test("wrong new shares commit nothing and restart the verification with a new nonce", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name, 3);
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
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name);
    const { stdout } = await alone(["submit", "--nonce", name], share(2));
    const before = await verification();
    await alone(["verify", "--nonce", before], /^share 1: (.*)$/m.exec(stdout)?.[1]);
    const restarted = await atTerminal(["restart"], { [confirmed]: `y${enter}` });
    expect(restarted.stderr).toContain(`pulumi-steward rekey verify --nonce ${await verification()}`);
    expect((await current().outOfBand("GET", "sys/rekey/verify")).body).toMatchObject({ progress: 0 });
    expect(await verification()).not.toBe(before);
    expect(await alone(["cancel", "--nonce", before])).toMatchObject({ code: 1, stderr: expect.stringContaining(name) });
    const canceled = await alone(["cancel", "--nonce", name]);
    expect(canceled).toMatchObject({ code: 0, stdout: "" });
    expect((await current().outOfBand("GET", "sys/rekey/init")).body.started).toBe(false);
    expect(await current().opens(current().first)).toBe(true);
  });

  /** The new shares are made, and one of a threshold of two is verified. */
  const almostCommitted = async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name);
    const { stdout } = await alone(["submit", "--nonce", name], share(2));
    const shares = [...stdout.matchAll(/^share \d: (.*)$/gm)].map(([, each]) => each as string);
    const verify = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await current().outOfBand("PUT", "sys/rekey/verify", { key, nonce: await verification() });
    };
    await verify(shares[0] as string);
    return { name, shares, verify };
  };
  const unknown = {
    code: 1,
    stderr: expect.stringContaining("another holder may have committed it. Keep the previous shares and the new ones."),
  };

  test("a cancel that arrives after the commit does not call the live shares worthless", async () => {
    const { name, shares, verify } = await almostCommitted();
    current().gateway.on("GET sys/rekey/verify", { when: "after", act: () => verify(shares[1] as string), answer: (body) => body }, 2);
    expect(await alone(["cancel", "--nonce", name])).toMatchObject(unknown);
    expect(await current().opens(shares.slice(1))).toBe(true);
  });

  test("a lost cancel does not call the live shares worthless if other holders commit meanwhile", async () => {
    const { name, shares, verify } = await almostCommitted();
    current().gateway.on("DELETE sys/rekey/init", { when: "before", act: () => verify(...shares.slice(1)) });
    expect(await alone(["cancel", "--nonce", name])).toMatchObject(unknown);
    expect(await current().opens(shares.slice(1))).toBe(true);
  });

  test("a holder who verifies a new share during the cancel commits nothing", async () => {
    const { name, shares, verify } = await almostCommitted();
    current().gateway.on("DELETE sys/rekey/init", { when: "before", act: () => verify(shares[1] as string) });
    await alone(["cancel", "--nonce", name]);
    expect(await current().opens(shares.slice(1))).toBe(false);
    expect(await current().opens(current().first)).toBe(true);
  });

  test("an empty response to the last share commits nothing if the rekey has a verification, and the message says so", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name);
    current().gateway.on("PUT sys/rekey/update", { when: "after", answer: () => '{"complete":true}' });
    const { code, stderr } = await alone(["submit", "--nonce", name], share(2));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("returned no new shares. Nothing is committed.") });
    expect(await current().opens(current().first)).toBe(true);
  });

  test("a lost response is resolved by a read, and no share is sent again", async () => {
    const cut = (path: string, when: "before" | "after" = "after"): void => {
      current().gateway.interrupt = (passing) =>
        passing.method === "PUT" && passing.path === `/v1/sys/rekey/${path}` ? { when } : undefined;
    };
    const all = await holders(2);
    let name = await forHolders(all);
    cut("update");
    const counted = await alone(["submit", "--nonce", name], share(0));
    expect(counted.code).toBe(1);
    expect(counted.stderr).toMatch(/\b1 of 3 current shares\b.*\b0 /);
    cut("update", "before");
    const lost = await alone(["submit", "--nonce", name], share(1));
    expect(lost.stderr).toMatch(/\b1 of 3 current shares\b.*\b1 /);
    expect(sent("update")).toBe(2);
    await current().outOfBand("PUT", "sys/rekey/update", { key: share(1), nonce: name });
    cut("update");
    const last = await alone(["submit", "--nonce", name, "--output", join(folder, "new")], share(2));
    expect(last.stderr).toContain("`pulumi-steward rekey backup");
    expect(existsSync(join(folder, "new"))).toBe(false);

    await current().outOfBand("DELETE", "sys/rekey/init", { nonce: name });
    name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await submitShares(name);
    current().gateway.interrupt = undefined;
    const shares = [...(await alone(["submit", "--nonce", name], share(2))).stdout.matchAll(/: (\S+)/g)].map(([, each]) => each as string);
    await alone(["verify", "--nonce", await verification()], shares[0]);
    cut("verify");
    const unknown = await alone(["verify", "--nonce", await verification()], shares[1]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("docs/rekey/errors.md#test-which-shares-are-valid") });
    expect(await current().opens(shares)).toBe(true);
  });

  test("a new share that a standby redirects, although the active node has counted it, is not verified twice", async () => {
    const { shares } = await almostCommitted();
    await current().outOfBand("DELETE", "sys/rekey/verify");
    current().gateway.on("PUT sys/rekey/verify", { when: "after", redirects: true }, 1);
    const { code, stderr } = await alone(["verify", "--nonce", await verification()], shares[0]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/\b1 of 2 new shares\b/) });
    expect(sent("verify")).toBe(1);
  });

  test("a response that shows neither progress nor a completion counts as lost", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await submitShares(name);
    current().gateway.on("PUT sys/rekey/update", { when: "after", answer: () => "{}" });
    const last = await alone(["submit", "--nonce", name], share(2));
    expect(last).toMatchObject({ code: 1, stderr: expect.stringMatching(/the new shares were created, but were lost/) });
  });

  test("an error about a failed commit does not say that nothing is committed", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await submitShares(name);
    const shares = [...(await alone(["submit", "--nonce", name], share(2))).stdout.matchAll(/: (\S+)/g)].map(([, each]) => each as string);
    await alone(["verify", "--nonce", await verification()], shares[0]);
    // Two shares of a set that do not match cause a 500 as well: only the reason differs.
    current().gateway.on("PUT sys/rekey/verify", {
      when: "after",
      answer: () => JSON.stringify({ errors: ["failed to perform rekey: failed to rekey barrier: disk full"] }),
    });
    const wrong = Buffer.from(shares[1] as string, "base64")
      .fill(7, 0, 20)
      .toString("base64");
    const last = await alone(["verify", "--nonce", await verification()], wrong);
    expect(last).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/unknown whether the new shares are live.*Keep the previous shares/),
    });
  });

  test("a lost rekey, mismatched new shares and a false completion are reported", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    current().gateway.on("PUT sys/rekey/update", {
      when: "after",
      act: async () => void (await current().outOfBand("DELETE", "sys/rekey/init", { nonce: name })),
    });
    const gone = await alone(["submit", "--nonce", name], share(0));
    expect(gone.code).toBe(1);
    expect(await current().opens(current().first)).toBe(true);

    const second = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(second);
    // One of the three is replaced in the response.
    current().gateway.on("PUT sys/rekey/update", {
      when: "after",
      answer: (body) => {
        const { keys_base64, ...rest } = JSON.parse(body);
        // Its last byte is its point. Two shares with the same point are another case.
        const altered = Buffer.from(keys_base64[2], "base64");
        altered[0] = (altered[0] ?? 0) ^ 1;
        return JSON.stringify({ ...rest, keys_base64: [keys_base64[0], keys_base64[1], altered.toString("base64")] });
      },
    });
    const odd = await alone(["submit", "--nonce", second], share(2));
    expect(odd.code).toBe(1);
    expect(odd.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(odd.stderr).toMatch(/^pulumi-steward: /m);

    current().gateway.on("PUT sys/rekey/verify", { when: "after", answer: () => JSON.stringify({ nonce: "x", complete: true }) });
    const said = await alone(["verify", "--nonce", await verification()], odd.stdout.split("\n")[0]?.replace("share 1: ", ""));
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining("docs/rekey/errors.md#test-which-shares-are-valid") });
  });

  test("a response with too few new shares prints them and warns that nothing is committed", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name);
    current().gateway.on("PUT sys/rekey/update", {
      when: "after",
      answer: (body) => JSON.stringify({ ...JSON.parse(body), keys_base64: JSON.parse(body).keys_base64.slice(0, 2) }),
    });
    const few = await alone(["submit", "--nonce", name], share(2));
    expect(few.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(few).toMatchObject({ code: 1, stderr: expect.stringMatching(/\b2 new shares\b.*\b3\b/) });
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
    const shares = [...broken.stderr.matchAll(/^share \d: (\S+)$/gm)].map(([, each]) => each as string);
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
