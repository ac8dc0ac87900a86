import { RekeyInputs } from "../../../../provider/secrets";
import { Sandbox, start } from "../../../../sandbox/index";
import "../../../support/printed";
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
    const refused = await stackOn().stops(inputs({ requireVerification: false, acceptLossRisk: true }));
    expect(refused).toContain("this service unseals itself");
    expect(writes().filter((each) => each.includes("update"))).toEqual([]);
    if (dialect === "hashicorp") expect(writes()).toEqual([]);
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
