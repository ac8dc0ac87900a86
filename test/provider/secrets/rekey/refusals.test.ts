import { RekeyInputs } from "../../../../provider/secrets";
import { keptBySeal } from "../../../../provider/secrets/rekey/stops";
import { Sandbox, start } from "../../../../sandbox/index";
import { configOf } from "../../../support/context";
import { limits } from "../../../support/limits";
import { printed } from "../../../support/printed";
import { refusal } from "../../../support/refusal";
import { inputsFrom, RekeyStack } from "../../../support/rekey";
import { rekeyDialects, wireOf } from "../../../support/rekey-wire";

// States that only the sandbox can produce on demand: an auto-unseal seal, a standby node, a sealed server.

describe.each(rekeyDialects)("sandbox, %s", (dialect) => {
  const wire = wireOf(dialect);
  let sandbox: Sandbox;
  const { initialBackoff } = limits;
  afterEach(() => {
    limits.initialBackoff = initialBackoff;
    return sandbox.close();
  });
  const stackOn = (): RekeyStack => new RekeyStack(configOf({ sandbox, dialect }));
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => inputsFrom(sandbox.secrets.shares, more);
  const writes = (): string[] =>
    sandbox.requests().flatMap(({ method, path }) => (method === "GET" ? [] : [wire.named(method, path).join(" ")]));

  test("an auto-unseal seal rejects verification, and the error explains it", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    const error = await stackOn().fails(inputs());
    expect(error).toEqual(
      dialect !== "standard"
        ? refusal("ERR_REJECTED", { rule: "rekey/wrong-target" })
        : refusal("ERR_REJECTED", { method: "PUT", path: "/v1/sys/rekey/init", status: 400 }),
    );
    // The server's own reason, where the provider has none.
    if (dialect === "standard") expect(error.details.reason).toContain("requiring verification not supported");
  });

  test("keys of the other kind stop the rekey before anything is sent, and the error names the target to set", async () => {
    if (dialect === "standard") {
      sandbox = await start({ dialect });
      expect(await stackOn().problems(inputs({ target: "recovery" }))).toEqual(["target: dialect"]);
      return;
    }
    for (const [seal, target, other] of [
      ["stored", "unseal", "recovery"],
      ["shamir", "recovery", "unseal"],
    ] as const) {
      sandbox = await start({ dialect, seal });
      for (const onConflict of ["fail", "cancel"] as const) {
        const { details } = await new RekeyStack(configOf({ sandbox, dialect }), undefined, target).fails(inputs({ onConflict }));
        expect(details).toMatchObject({ rule: "rekey/wrong-target", hint: expect.stringContaining(`target: "${other}"`) });
      }
      expect(writes()).toEqual([]);
      await sandbox.close();
    }
    sandbox = await start({ dialect });
  });

  test("sys/rekey of an OpenBao without recovery keys makes none, and the error names the dialect to set", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    if (dialect !== "hashicorp") return;
    // The response of OpenBao 2.7.2.
    const body = JSON.stringify({ started: false, nonce: "", t: 0, n: 0, progress: 0, required: 0 });
    sandbox.faults.add({ system: "secrets", path: "/v1/sys/rekey-recovery-key/init", action: "respond", status: 200, body });
    const { details } = await new RekeyStack(configOf({ sandbox, dialect }), undefined, "recovery").fails(inputs({ currentShares: [] }));
    expect(details).toMatchObject({ rule: "rekey/wrong-dialect", hint: expect.stringContaining('"openbao"') });
    expect(writes()).toEqual([]);
  });

  test("a changed target is rejected before the attempt in progress is canceled", async () => {
    sandbox = await start({ dialect });
    const stack = stackOn();
    await stack.up(inputs(), "shares");
    const before = sandbox.requests().length;
    const changed = await stack.problems(inputs({ target: "recovery" }));
    expect(changed).toEqual([dialect === "standard" ? "target: dialect" : "target: changed"]);
    expect(sandbox.requests()).toHaveLength(before);
    expect(await stack.up(inputs({ target: undefined }))).toEqual(["same", "same", "create"]);
  });

  test("no share is submitted to an auto-unseal seal without verification", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    expect(await stackOn().stops(inputs({ requireVerification: false, allowUnverified: true }))).toBe(
      dialect !== "standard" ? "rekey/wrong-target" : "ERR_REJECTED",
    );
    expect(writes().filter((each) => each.includes("update"))).toEqual([]);
    if (dialect !== "standard") expect(writes()).toEqual([]);
  });

  test("a commit that fails in the service leaves the outcome unknown, and the next run repeats it", async () => {
    sandbox = await start({ dialect });
    const [method, path] = wire.sent("PUT", "/v1/sys/rekey/verify");
    const status = dialect === "openbao" ? 400 : 500;
    const body = JSON.stringify({ errors: ["failed to perform barrier key rotation: failed to rekey barrier: no space left on device"] });
    sandbox.faults.add({ system: "secrets", method, path, nth: 2, action: "respond", status, body });
    const stack = stackOn();
    expect(await stack.stops(inputs())).toBe("rekey/outcome-unknown");
    await expect(stack.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/shares-unsettled" }));
    await stack.up(inputs());
    expect(stack.outputs.complete).toBe(true);
  });

  const oneOfOne = { secretShares: 1, secretThreshold: 1, requireVerification: false, allowUnverified: true };
  const updates = (): number => writes().filter((each) => each === "PUT /v1/sys/rekey/update").length;

  test("a seal that keeps its key: one share of one is a success without a share in the API document's dialect, and never repeated", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    const stack = stackOn();
    if (dialect !== "standard") {
      expect(await stack.stops(inputs(oneOfOne))).toBe("rekey/wrong-target");
      expect(updates()).toBe(0);
      return;
    }
    await stack.up(inputs(oneOfOne));
    expect(stack.outputs).toMatchObject({ complete: true, shares: [], encryptedShares: [], fingerprints: [] });
    expect(printed).toContain(`warning: rekey: ${keptBySeal}`);
    expect(printed.join("\n")).not.toContain("live");
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
    sandbox = await start({ dialect });
    const isSuccess = dialect === "standard" && asked.secretShares === 1;
    const body = JSON.stringify(wire.wrapped({ complete: true, keys: [], keys_base64: [] }, { data: {} }));
    sandbox.faults.add({ system: "secrets", path: /update/, nth: 3, action: "respond", status: 200, body });
    const stack = stackOn();
    if (isSuccess) return void (await stack.up(inputs(asked)));
    for (let run = 0; run < 4; run++) expect(await stack.stops(inputs(asked))).toBe("rekey/no-shares-returned");
    expect(updates()).toBe(3);
    await stack.destroy();
    expect([stack.attempt.state, stack.shares.state]).toEqual([undefined, undefined]);
  });

  test("a seal that keeps its key and makes one share of several is explained", async () => {
    sandbox = await start({ dialect });
    const status = { started: true, nonce: "forced", t: 1, n: 1, progress: 0, required: 3 };
    const forced = JSON.stringify(wire.wrapped(status, { data: {} }));
    sandbox.faults.add({ system: "secrets", method: "GET", path: /init/, nth: 2, action: "respond", status: 200, body: forced });
    const { details } = await stackOn().fails(inputs({ requireVerification: false, allowUnverified: true }));
    expect(details).toMatchObject({ rule: "rekey/wrong-target", reason: expect.stringContaining("the attempt forced") });
  });

  test("a standby that never reaches the active node is named at the deadline, and nothing is sent to the active node", async () => {
    sandbox = await start({ dialect });
    // The first wait would be longer than the deadline.
    limits.initialBackoff = 2 * limits.deadline;
    const headers = { location: "https://active.example:8200/v1/sys/rekey/init" };
    sandbox.faults.add({ system: "secrets", path: /init/, action: "redirect", headers });
    const error = await stackOn().fails(inputs());
    expect([error.code, error.message]).toEqual(["ERR_REDIRECTED", expect.stringContaining("https://active.example:8200")]);
    expect(writes()).toEqual([]);
  });

  test("a standby of OpenBao, which knows no attempt of the active node, gets no request", async () => {
    sandbox = await start({ dialect });
    const stack = stackOn();
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

  test("a sealed server is retried and then reported as sealed", async () => {
    sandbox = await start({ dialect });
    await sandbox.secrets.seal();
    expect(await stackOn().fails(inputs())).toEqual(refusal("ERR_UNAVAILABLE", { status: 503 }));
    await sandbox.secrets.unseal(sandbox.secrets.shares);
    await stackOn().up(inputs());
  });

  test("an attempt lost in a failover is started again and completes", async () => {
    sandbox = await start({ dialect });
    const stack = stackOn();
    await stack.up(inputs(), "attempt");
    await sandbox.secrets.failover();
    expect(await stack.stops(inputs())).toBe("rekey/attempt-restarted");
    await stack.up(inputs());
    expect(await sandbox.secrets.opens(stack.outputs.shares.slice(1))).toBe(true);
  });
});
