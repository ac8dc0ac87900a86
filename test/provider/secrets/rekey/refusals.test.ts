import { RekeyInputs } from "../../../../provider/secrets";
import { Sandbox, start } from "../../../../sandbox/index";
import { printed } from "../../../support/printed";
import { RekeyStack } from "../../../support/rekey";

// States that only the sandbox can produce on demand: an auto-unseal seal, a standby node, a sealed server.

describe.each(["standard", "hashicorp"] as const)("sandbox, %s", (dialect) => {
  let sandbox: Sandbox;
  afterEach(() => sandbox.close());
  const stackOn = (): RekeyStack =>
    new RekeyStack({ "steward:default": { secrets: { address: sandbox.secrets.url, token: sandbox.secrets.token, dialect } } });
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => ({
    secretShares: 3,
    secretThreshold: 2,
    currentShares: sandbox.secrets.shares.slice(0, 3),
    keepSharesInState: true,
    ...more,
  });
  const writes = (): string[] => sandbox.requests().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`]));

  test("an auto-unseal seal rejects verification, and the error explains it", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    expect(await stackOn().stops(inputs())).toContain(
      dialect === "hashicorp"
        ? "this service unseals itself: its seal keeps the key, and a rekey would make one share, which it does not give out. Its recovery keys have an API of their own"
        : "requiring verification not supported when rekeying the barrier key with recovery keys",
    );
  });

  test("no share is submitted to an auto-unseal seal without verification", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    const refused = await stackOn().stops(inputs({ requireVerification: false, allowUnverified: true }));
    expect(refused).toContain(
      dialect === "hashicorp" ? "this service unseals itself" : "secret_shares and secret_threshold must be 1: the seal keeps the key",
    );
    expect(writes().filter((each) => each.includes("update"))).toEqual([]);
    if (dialect === "hashicorp") expect(writes()).toEqual([]);
  });

  const oneOfOne = { secretShares: 1, secretThreshold: 1, requireVerification: false, allowUnverified: true };
  const updates = (): number => writes().filter((each) => each === "PUT /v1/sys/rekey/update").length;

  test("a seal that keeps its key: one share of one is a success without a share in the API document's dialect, and never repeated", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    const stack = stackOn();
    if (dialect === "hashicorp") {
      expect(await stack.stops(inputs(oneOfOne))).toContain("this service unseals itself");
      expect(updates()).toBe(0);
      return;
    }
    await stack.up(inputs(oneOfOne));
    expect(stack.outputs).toMatchObject({ complete: true, shares: [], encryptedShares: [], fingerprints: [] });
    expect(printed.join("\n")).toContain(
      "warning: rekey: the service rotated its key and gave out no share: its seal must hold the key. If shares unseal it, keep it unsealed",
    );
    expect(printed.join("\n")).not.toContain("live");
    for (let run = 0; run < 4; run++) expect(await stack.up(inputs(oneOfOne))).toEqual(["same", "same", "same"]);
    expect(updates()).toBe(3);
    await stack.refresh();
    expect(printed.join("\n")).not.toContain("somebody has rekeyed it");
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
    const body = '{"complete":true,"keys":[],"keys_base64":[]}';
    sandbox.faults.add({ system: "secrets", path: /update/, nth: 3, action: "respond", status: 200, body });
    const stack = stackOn();
    if (isSuccess) return void (await stack.up(inputs(asked)));
    for (let run = 0; run < 4; run++)
      expect(await stack.stops(inputs(asked))).toContain(
        "the service rotated its key and gave out no shares: its seal keeps the key itself. There is nothing to keep: remove this resource",
      );
    expect(updates()).toBe(3);
    await stack.destroy();
    expect([stack.attempt.state, stack.shares.state]).toEqual([undefined, undefined]);
  });

  test("a seal that keeps its key and makes one share of several is explained", async () => {
    sandbox = await start({ dialect });
    const forced = JSON.stringify({ started: true, nonce: "forced", t: 1, n: 1, progress: 0, required: 3 });
    sandbox.faults.add({ system: "secrets", method: "GET", path: /init/, nth: 2, action: "respond", status: 200, body: forced });
    expect(await stackOn().stops(inputs({ requireVerification: false, allowUnverified: true }))).toMatch(
      /this service unseals itself: .*, which it does not give out; the attempt forced that it made of it stands until it is cancelled\./,
    );
  });

  test("a redirect of a standby node names the active node, and nothing is sent there", async () => {
    sandbox = await start({ dialect });
    const headers = { location: "https://active.example:8200/v1/sys/rekey/init" };
    sandbox.faults.add({ system: "secrets", path: /rekey/, action: "redirect", headers });
    expect(await stackOn().stops(inputs())).toContain("If https://active.example:8200 is the active node of this installation");
    expect(writes()).toEqual([]);
  });

  test("a sealed server is retried and then reported as sealed", async () => {
    sandbox = await start({ dialect });
    await sandbox.secrets.seal();
    expect(await stackOn().stops(inputs())).toMatch(/The server is sealed, starting or overloaded: try again when it serves requests\.$/);
    await sandbox.secrets.unseal(sandbox.secrets.shares);
    await stackOn().up(inputs());
  });

  test("an attempt lost in a failover is started again and completes", async () => {
    sandbox = await start({ dialect });
    const stack = stackOn();
    await stack.up(inputs(), "attempt");
    await sandbox.secrets.failover();
    expect(await stack.stops(inputs())).toContain("nothing was committed, and a new one was started");
    await stack.up(inputs());
    expect(await sandbox.secrets.opens(stack.outputs.shares.slice(1))).toBe(true);
  });
});
