import { noEngine } from "../../../../provider/connection";
import { RekeyInputs } from "../../../../provider/secrets";
import { rekeyAttempt } from "../../../../provider/secrets/rekey/attempt";
import { Fault, Sandbox, start } from "../../../../sandbox/index";
import { steward } from "../../../command/holder";
import { call } from "../../../support/call";
import { connectTo } from "../../../support/connection";
import { configOf } from "../../../support/context";
import { limits } from "../../../support/limits";
import { holders, read } from "../../../support/pgp";
import "../../../support/printed";
import { refusal } from "../../../support/refusal";
import { inputsFrom, RekeyStack } from "../../../support/rekey";
import { rekeyDialects, variablesFor, wireOf } from "../../../support/rekey-wire";
import { until } from "../../../support/until";

// A 429 applied nothing, and a node that is not active may have: each step waits, reads the status again, and retries once.

type Refusal = Pick<Fault, "action"> & Partial<Fault>;
const errors = (status: number, reason: string): Refusal => ({ action: "respond", status, body: JSON.stringify({ errors: [reason] }) });
const limited: Refusal = { action: "respond", status: 429, headers: { "retry-after": "0" } };
/** The responses of a cluster's nodes that are not active. */
const inactive: [name: string, Refusal][] = [
  ["a standby", { action: "redirect", headers: { location: "http://active.invalid:8200/v1/sys/rekey" } }],
  ["an election", errors(500, "local node not active but active cluster node not found")],
  ["a sealed node", errors(503, "Vault is sealed")],
];
const { deadline } = limits;
afterEach(() => {
  limits.deadline = deadline;
});

describe.each(rekeyDialects)("sandbox, %s", (dialect) => {
  const wire = wireOf(dialect);
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await start({ dialect });
  });
  afterEach(() => sandbox.close());

  const config = (): Record<string, object> => configOf({ sandbox, dialect });
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => inputsFrom(sandbox.secrets.shares, more);
  const place = (verb: string, end: string): { method: string; path: string } => {
    const [method, path] = wire.sent(verb, `/v1/sys/rekey/${end}`);
    return { method, path };
  };
  const fail = (verb: string, end: string, more: Refusal): void => sandbox.faults.add({ system: "secrets", ...place(verb, end), ...more });
  const refuse = (method: string, path: string, more: Partial<Fault> = {}): void => fail(method, path, { ...limited, ...more });
  // Only Vault and OpenBao are known to refuse a repeated share without counting it twice.
  const refusals: [string, Refusal][] = [["a 429", limited], ...(dialect === "standard" ? [] : inactive)];
  const ask = async (method: string, end: string, body?: object) => {
    const { method: verb, path } = place(method, end);
    return wire.fields((await call(sandbox.secrets, verb, path, body)).json);
  };
  const sent = (): string[] =>
    sandbox.requests().map(({ method, path }) => wire.named(method, path).join(" ").replace("/v1/sys/rekey/", ""));
  const of = (request: string): number => sent().filter((each) => each === request).length;
  const status = async () => (await ask("GET", "init")) as { nonce: string; started: boolean; progress: number };

  describe.each(refusals)("after %s", (_, refusal) => {
    test.each([
      ["PUT", "init", 1],
      ["PUT", "update", 3],
      ["DELETE", "verify", 1],
      ["PUT", "verify", 2],
    ])("%s %s is waited for, and sent again after a look at the status", async (method, path, times) => {
      fail(method, path, { ...refusal, times: 2 });
      const stack = new RekeyStack(config());
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
      const stack = new RekeyStack(config());
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

    test("the holders' command line waits, reads the status, and retries", async () => {
      const { url, token, shares } = sandbox.secrets;
      const variables = variablesFor(dialect, { url, token });
      await ask("PUT", "init", { secret_shares: 2, secret_threshold: 2, require_verification: true });
      const { nonce } = await status();
      const runs = [];
      for (const share of shares.slice(0, 3)) {
        fail("PUT", "update", refusal);
        runs.push(await steward(variables, ["rekey", "submit", "--nonce", nonce], share));
      }
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(of("PUT update")).toBe(6);
      const verification = String((await ask("GET", "verify")).nonce);
      const made = [...(runs[2]?.stdout ?? "").matchAll(/^share \d: (.*)$/gm)].map(([, share = ""]) => share);
      for (const share of made) {
        fail("PUT", "verify", refusal);
        expect((await steward(variables, ["rekey", "verify", "--nonce", verification], share)).code).toBe(0);
      }
      expect(await sandbox.secrets.opens(made)).toBe(true);
    });
  });

  test("a share that a standby redirects is sent again only to a service that refuses a repeated one", async () => {
    const [, standby] = inactive[0] as [string, Refusal];
    const { url, token, shares } = sandbox.secrets;
    const stack = new RekeyStack(config());
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
    const stack = new RekeyStack(config());
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
    const stack = new RekeyStack(config());
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

  test("nothing is sent again once Pulumi has ended", async () => {
    refuse("PUT", "init", { times: 9 });
    let looks = 0;
    const { secrets } = config()["steward:default"] as { secrets: object };
    const operation = connectTo("secrets", secrets, {
      engine: {
        ...noEngine,
        assertAlive: async () => {
          if (++looks > 1) throw new Error("Pulumi has ended");
        },
      },
    });
    const given = new RekeyStack(config()).attemptInputs(inputs());
    await expect(rekeyAttempt.create({ operation, inputs: given as never })).rejects.toThrow("Pulumi has ended");
    expect(of("PUT init")).toBe(1);
  });

  test("all waits of a run together have one deadline", async () => {
    limits.deadline = 60_000;
    const stack = new RekeyStack(config());
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
