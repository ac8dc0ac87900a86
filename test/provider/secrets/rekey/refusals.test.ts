import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RekeyInputs } from "../../../../provider/secrets";
import { keptBySeal } from "../../../../provider/secrets/rekey/protocol/stops";
import { Fault, Options, Sandbox, start } from "../../../../sandbox/index";
import { ends, steward } from "../../../command/holder";
import { call } from "../../../support/call";
import { configOf } from "../../../support/context";
import { limits } from "../../../support/limits";
import { holders, read } from "../../../support/pgp";
import { printed } from "../../../support/printed";
import { refusal } from "../../../support/refusal";
import { inputsFrom, RekeyStack } from "../../../support/rekey";
import { Keys, rekeyDialects, variablesFor, wireOf } from "../../../support/rekey-wire";
import { until } from "../../../support/until";

// States that only the sandbox can produce on demand: an auto-unseal seal, a rate limit, a standby, a sealed server. A 429 applied nothing, and a node
// that is not active may have: each step waits, reads the status again, and retries once.

type Refusal = Pick<Fault, "action"> & Partial<Fault>;
const errors = (status: number, reason: string): Refusal => ({ action: "respond", status, body: JSON.stringify({ errors: [reason] }) });
const limited: Refusal = { action: "respond", status: 429, headers: { "retry-after": "0" } };
/** The responses of a cluster's nodes that are not active. */
const inactive: [name: string, Refusal][] = [
  ["a standby", { action: "redirect", headers: { location: "http://active.invalid:8200/v1/sys/rekey" } }],
  ["an election", errors(500, "local node not active but active cluster node not found")],
  ["a sealed node", errors(503, "Vault is sealed")],
];
const { deadline, initialBackoff } = limits;
afterEach(() => {
  Object.assign(limits, { deadline, initialBackoff });
});

describe.each(rekeyDialects)("sandbox, %s", (dialect) => {
  const wire = wireOf(dialect);
  let sandbox: Sandbox;
  let stack: RekeyStack;
  const begin = async (options: Options = {}, target: Keys = "unseal"): Promise<void> => {
    await sandbox?.close();
    sandbox = await start({ dialect, ...options });
    stack = new RekeyStack(config(), undefined, target);
  };
  beforeEach(() => begin());
  afterAll(() => sandbox.close());

  const config = (): Record<string, object> => configOf({ sandbox, dialect });
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => inputsFrom(sandbox.secrets.shares, more);
  const place = (verb: string, end: string): { method: string; path: string } => {
    const [method, path] = wire.sent(verb, `/v1/sys/rekey/${end}`);
    return { method, path };
  };
  const fail = (verb: string, end: string, more: Refusal): void => sandbox.faults.add({ system: "secrets", ...place(verb, end), ...more });
  const refuse = (method: string, path: string, more: Partial<Fault> = {}): void => fail(method, path, { ...limited, ...more });
  const ask = async (method: string, end: string, body?: object) => {
    const { method: verb, path } = place(method, end);
    return wire.fields((await call(sandbox.secrets, verb, path, body)).json);
  };
  const sent = (): string[] =>
    sandbox.requests().map(({ method, path }) => wire.named(method, path).join(" ").replace("/v1/sys/rekey/", ""));
  const of = (request: string): number => sent().filter((each) => each === request).length;
  const writes = (): string[] => sent().filter((each) => !each.startsWith("GET "));
  const status = async () => (await ask("GET", "init")) as { nonce: string; started: boolean; progress: number };

  const bold = { requireVerification: false, allowUnverified: true };
  const oneOfOne = { ...bold, secretShares: 1, secretThreshold: 1 };

  test("keys of the other kind stop the rekey before anything is sent, and the error names the target to set", async () => {
    for (const [seal, target, other] of [
      ["stored", "unseal", "recovery"],
      ["shamir", "recovery", "unseal"],
    ] as const) {
      if (dialect === "standard") continue;
      await begin({ seal }, target);
      for (const more of [{}, { onConflict: "cancel" }, bold, oneOfOne] as const) {
        const error = await stack.fails(inputs(more));
        expect(error).toEqual(refusal("ERR_REJECTED", { rule: "rekey/wrong-target" }));
        expect(error.details.hint).toContain(`target: "${other}"`);
      }
      expect(writes()).toEqual([]);
    }
  });

  test("sys/rekey of an OpenBao without recovery keys makes none, and the error names the dialect to set", async () => {
    if (dialect !== "hashicorp") return;
    await begin({ seal: "stored" }, "recovery");
    // The response of OpenBao 2.7.2.
    const body = JSON.stringify({ started: false, nonce: "", t: 0, n: 0, progress: 0, required: 0 });
    sandbox.faults.add({ system: "secrets", path: "/v1/sys/rekey-recovery-key/init", action: "respond", status: 200, body });
    const { details } = await stack.fails(inputs({ currentShares: [] }));
    expect(details).toMatchObject({ rule: "rekey/wrong-dialect", hint: expect.stringContaining('"openbao"') });
    expect(writes()).toEqual([]);
  });

  test("while the KMS is unavailable no share is called wrong, and all of them count again afterwards", async () => {
    if (dialect === "standard") return;
    await begin({ seal: "stored" }, "recovery");
    const { url, token, shares, setKms } = sandbox.secrets;
    const home = mkdtempSync(join(tmpdir(), "steward-kms-"));
    const alone = (args: string[], input?: string): ReturnType<typeof steward> =>
      steward({ ...variablesFor(dialect, { url, token }), XDG_STATE_HOME: home }, ["rekey", ...args, "--target", "recovery"], input);
    const unchecked =
      /could not check .* 3 shares .*failed to decrypt encrypted stored keys.* none .* known to be wrong.*KMS.*all holders submit/s;
    const blame = /one (of them )?is wrong|Correct currentShares/;
    expect(await stack.stops(inputs({ currentShares: shares.slice(0, 2) }))).toBe("rekey/shares-missing");
    setKms(false);
    const last = await alone(["submit", "--nonce", stack.submission.nonce ?? ""], shares[2]);
    expect(last).toMatchObject(ends(1, unchecked));
    const { message, details } = await stack.fails(inputs());
    expect(details.rule).toBe("rekey/shares-not-checked");
    expect(message).toMatch(unchecked);
    expect(message + last.stderr).not.toMatch(blame);
    setKms(true);
    await stack.up(inputs());
    expect(stack.outputs.complete).toBe(true);
    setKms(false);
    const drill = await alone(["drill"], stack.outputs.shares.join("\n"));
    expect(drill).toMatchObject(ends(1, "[rekey/probe-disturbed]"));
    rmSync(home, { recursive: true });
  });

  // The messages of Vault and OpenBao at the last share.
  test.each([
    ["recovery key verification failed: recovery key does not match submitted values", "refused"],
    ["failed to compute root key: duplicate part detected", "refused"],
    ["failed to read root key: invalid key: failed to decrypt keys from storage: cipher: message authentication failed", "refused"],
    [
      "failed to read root key: %!w(*vault.ErrInvalidKey=&{failed to decrypt keys from storage: cipher: message authentication failed})",
      "refused",
    ],
    ["failed to setup unseal key: crypto/aes: invalid key size 5", "refused"],
    ["root key verification failed: Unseal failed, invalid key", "refused"],
    ["recovery key verification failed: failed to read recovery key: connection refused", "not-checked"],
    ["recovery key verification failed: no recovery key found", "not-checked"],
    ["failed to read root key: failed to fetch stored keys: context deadline exceeded", "not-checked"],
    ["failed to setup test barrier config: failed to read seal configuration", "not-checked"],
    ["root key generation failed: entropy", "not-checked"],
    ["failed to encrypt shares: openpgp: invalid argument: no valid encryption keys", "key-rejected"],
    ["failed to save unseal key backup: no space left on device", "not-checked"],
  ])("the server's reason tells whether a share may be wrong: %s", async (reason, id) => {
    const status = dialect === "openbao" ? 400 : 500;
    await begin({ unsealShares: 1, unsealThreshold: 1 });
    fail("PUT", "update", errors(status, reason));
    expect(await stack.stops(inputs())).toBe(id === "key-rejected" ? `rekey/${id}` : `rekey/shares-${id}`);
  });

  test("a changed target is rejected before the attempt in progress is canceled", async () => {
    await stack.up(inputs(), "shares");
    const before = sandbox.requests().length;
    const changed = await stack.problems(inputs({ target: "recovery" }));
    expect(changed).toEqual([dialect === "standard" ? "target: dialect" : "target: changed"]);
    expect(sandbox.requests()).toHaveLength(before);
    expect(await stack.up(inputs({ target: undefined }))).toEqual(["same", "same", "create"]);
  });

  test("a commit that fails in the service leaves the outcome unknown, and the next run repeats it", async () => {
    const status = dialect === "openbao" ? 400 : 500;
    const body = JSON.stringify({ errors: ["failed to perform barrier key rotation: failed to rekey barrier: no space left on device"] });
    fail("PUT", "verify", { nth: 2, action: "respond", status, body });
    expect(await stack.stops(inputs())).toBe("rekey/outcome-unknown");
    await expect(stack.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/shares-unsettled" }));
    await stack.up(inputs());
    expect(stack.outputs.complete).toBe(true);
  });

  const updates = (): number => of("PUT update");

  test("a seal that keeps its key in the API document's dialect: a rekey to one share succeeds without a share, and is never repeated", async () => {
    // The check of the others finds the seal before anything is sent.
    if (dialect !== "standard") return;
    await begin({ seal: "stored" });
    expect((await stack.fails(inputs())).details.reason).toContain("requiring verification not supported");
    expect((await stack.fails(inputs(bold))).code).toBe("ERR_REJECTED");
    expect(updates()).toBe(0);
    await stack.up(inputs(oneOfOne));
    expect(stack.outputs).toMatchObject({ complete: true, shares: [], encryptedShares: [], fingerprints: [] });
    expect(printed).toContain(`warning: rekey: ${keptBySeal}`);
    expect(printed.join("\n")).not.toContain("are valid");
    for (let run = 0; run < 4; run++) expect(await stack.up(inputs(oneOfOne))).toEqual(["same", "same", "same"]);
    expect(updates()).toBe(3);
    const before = [...printed];
    await stack.refresh();
    expect(printed).toEqual(before);
    await stack.up(inputs({ ...oneOfOne, triggers: ["2"] }));
    expect(updates()).toBe(6);
    await stack.destroy();
    expect([stack.attempt.state, stack.shares.state, stack.commit.state]).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ["one share of one", oneOfOne],
    ["several shares", { ...oneOfOne, secretShares: 3, secretThreshold: 2 }],
  ])("a rekey to %s that completes without a share where none may be missing stops, and is never repeated", async (_, asked) => {
    const isSuccess = dialect === "standard" && asked.secretShares === 1;
    const body = JSON.stringify(wire.wrapped({ complete: true, keys: [], keys_base64: [] }, { data: {} }));
    sandbox.faults.add({ system: "secrets", path: /update/, nth: 3, action: "respond", status: 200, body });
    if (isSuccess) return void (await stack.up(inputs(asked)));
    for (let run = 0; run < 4; run++) expect(await stack.stops(inputs(asked))).toBe("rekey/no-shares-returned");
    expect(updates()).toBe(3);
    await stack.destroy();
    expect([stack.attempt.state, stack.shares.state]).toEqual([undefined, undefined]);
  });

  test("a seal that keeps its key and makes one share of several is explained", async () => {
    const status = { started: true, nonce: "forced", t: 1, n: 1, progress: 0, required: 3 };
    const forced = JSON.stringify(wire.wrapped(status, { data: {} }));
    sandbox.faults.add({ system: "secrets", method: "GET", path: /init/, nth: 2, action: "respond", status: 200, body: forced });
    const { details } = await stack.fails(inputs({ requireVerification: false, allowUnverified: true }));
    expect(details).toMatchObject({ rule: "rekey/wrong-target", reason: expect.stringContaining("the attempt forced") });
  });

  test("a standby that never reaches the active node is named at the deadline, and nothing is sent to the active node", async () => {
    // The first wait would be longer than the deadline.
    limits.initialBackoff = 2 * limits.deadline;
    const headers = { location: "https://active.example:8200/v1/sys/rekey/init" };
    sandbox.faults.add({ system: "secrets", path: /init/, action: "redirect", headers });
    const error = await stack.fails(inputs());
    expect([error.code, error.message]).toEqual(["ERR_REDIRECTED", expect.stringContaining("https://active.example:8200")]);
    expect(writes()).toEqual([]);
  });

  test("a standby of OpenBao, which knows no attempt of the active node, gets no request", async () => {
    sandbox.faults.add({ system: "secrets", path: "/v1/sys/health", action: "respond", status: 429, body: "{}" });
    if (dialect !== "openbao") return void (await stack.up(inputs()));
    expect(await stack.fails(inputs())).toEqual(refusal("ERR_UNAVAILABLE", { rule: "rekey/standby", path: "/v1/sys/health" }));
    expect(writes()).toEqual([]);
    await stack.up(inputs(), "shares");
    // After a failover, the attempt is gone, but a standby is no proof of it.
    await sandbox.secrets.failover();
    sandbox.faults.add({ system: "secrets", path: "/v1/sys/health", action: "respond", status: 429, body: "{}" });
    expect(await stack.stops(inputs())).toBe("rekey/standby");
    expect(await stack.stops(inputs())).toBe("rekey/outcome-unknown");
  });

  // Only Vault and OpenBao are known to refuse a repeated share without counting it twice.
  const refusals: [string, Refusal][] = [["a 429", limited], ...(dialect === "standard" ? [] : inactive)];
  describe.each(refusals)("after %s", (_, refusal) => {
    test.each([
      ["PUT", "init", 1],
      ["PUT", "update", 3],
      ["DELETE", "verify", 1],
      ["PUT", "verify", 2],
    ])("%s %s is waited for, and sent again after a look at the status", async (method, path, times) => {
      fail(method, path, { ...refusal, times: 2 });
      await stack.up(inputs());
      expect(await sandbox.secrets.opens(stack.outputs.shares.slice(1))).toBe(true);
      expect(of(`${method} ${path}`)).toBe(times + 2);
      // Nothing is sent twice without a look between.
      for (const [index, each] of sent().entries())
        if (each.startsWith(method) && each.endsWith(path)) expect(sent()[index + 1]).toMatch(/^GET /);
    });

    test("a cancel, the removal of a backup and a probe are waited for as well", async () => {
      const all = await holders(3);
      const pgp = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey), backup: true, removeBackup: true });
      await stack.up(inputs(), "attempt");
      fail("DELETE", "init", refusal);
      await stack.stops(pgp);
      const { encrypted } = stack.candidate;
      const newShares = await Promise.all(all.map((holder, index) => read(holder, (encrypted[index] as { share: string }).share)));
      fail("DELETE", "backup", refusal);
      fail("PUT", "verify", { nth: 2, action: "drop-after" });
      expect(await stack.stops({ ...pgp, newShares })).toBe("rekey/outcome-unknown");
      for (const [method, path] of [
        ["PUT", "init"],
        ["PUT", "update"],
        ["DELETE", "init"],
      ] as const)
        fail(method, path, refusal);
      await stack.up({ ...pgp, newShares });
      expect(stack.outputs.complete).toBe(true);
      expect([of("DELETE backup"), (await status()).started]).toEqual([2, false]);
    });
  });

  test("a share that a standby redirects is sent again only to a service that refuses a repeated one", async () => {
    const [, standby] = inactive[0] as [string, Refusal];
    const { url, token, shares } = sandbox.secrets;
    await stack.up(inputs(), "attempt");
    const { nonce } = await status();
    fail("PUT", "update", standby);
    const { code } = await steward(variablesFor(dialect, { url, token }), ["rekey", "submit", "--nonce", nonce], shares[3]);
    expect([code, of("PUT update")]).toEqual(dialect === "standard" ? [1, 1] : [0, 2]);
    fail("PUT", "update", standby);
    if (dialect !== "standard") return void (await stack.up(inputs()));
    expect(await stack.stops(inputs())).toBe("rekey/attempt-restarted");
    expect(of("PUT update")).toBe(2);
  });

  test("a probe that is refused to the end says nothing of the shares", async () => {
    await stack.up(inputs({ secretShares: 1, secretThreshold: 1 }));
    const again = inputs({ triggers: ["2"], currentShares: stack.outputs.shares, secretShares: 1, secretThreshold: 1 });
    fail("PUT", "verify", { action: "drop-after" });
    await stack.stops(again);
    refuse("PUT", "update");
    // Longer than the deadline.
    refuse("PUT", "update", { nth: 2, headers: { "retry-after": "3600" } });
    expect(await stack.fails(again)).toEqual(refusal("ERR_RATE_LIMITED", { ...place("PUT", "update"), status: 429 }));
    sandbox.faults.clear();
    await stack.up(again);
    expect(stack.outputs.complete).toBe(true);
  });

  test("an attempt that became another one during the wait gets no share", async () => {
    const [share = ""] = sandbox.secrets.shares;
    await stack.up(inputs(), "attempt");
    const { nonce } = await status();
    // Long enough for another client, on a busy machine too.
    refuse("PUT", "update", { headers: { "retry-after": "4" } });
    const stops = stack.stops(inputs({ currentShares: [share] }));
    await until("the share is sent", () => of("PUT update") > 0);
    await ask("DELETE", "init", dialect === "hashicorp" ? { nonce } : undefined);
    await ask("PUT", "init", { secret_shares: 1, secret_threshold: 1 });
    expect(await stops).toBe("rekey/attempt-lost");
    expect(of("PUT update")).toBe(1);
  });

  test("all waits of a run together have one deadline", async () => {
    limits.deadline = 60_000;
    refuse("PUT", "update", { headers: { "retry-after": "0.5" } });
    // Shorter than the deadline, but not with the first wait.
    refuse("PUT", "update", { nth: 2, headers: { "retry-after": "59.7" } });
    expect(await stack.fails(inputs())).toMatchObject({ ...place("PUT", "update"), status: 429 });
    expect(of("PUT update")).toBe(2);
    // The submitted shares still count.
    limits.deadline = deadline;
    sandbox.faults.clear();
    await stack.up(inputs());
  });
});
