import { keptBySeal, noShares } from "../../provider/secrets/rekey/stops";
import { Sandbox, start } from "../../sandbox/index";
import { call } from "../support/call";
import { rekeyDialects, variablesFor, wireOf } from "../support/rekey-wire";
import { steward } from "./holder";

describe.each(rekeyDialects)("sandbox, %s", (dialect) => {
  const wire = wireOf(dialect);
  let sandbox: Sandbox;
  afterEach(() => sandbox.close());

  async function submitAll(body: object): Promise<{ code: number; stdout: string; stderr: string }> {
    const { url, token, shares } = sandbox.secrets;
    const ask = async (method: string, body?: object): Promise<Record<string, unknown>> =>
      wire.fields((await call(sandbox.secrets, ...wire.sent(method, "/v1/sys/rekey/init"), body)).json);
    await ask("PUT", body);
    const nonce = String((await ask("GET")).nonce);
    const variables = variablesFor(dialect, { url, token });
    const ended = [];
    for (const share of shares.slice(0, 3)) ended.push(await steward(variables, ["rekey", "submit", "--nonce", nonce], share));
    return ended[2] as { code: number; stdout: string; stderr: string };
  }

  test("a seal that keeps its key completes the rekey without shares in the standard dialect, and fails it in Vault's", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    const last = await submitAll({ secret_shares: 1, secret_threshold: 1 });
    expect(last.stdout).toBe("");
    if (dialect !== "standard") {
      expect(last.code).toBe(1);
      expect(last.stderr).toContain(noShares.reason);
      return;
    }
    expect(last.code).toBe(0);
    expect(last.stderr).toContain(keptBySeal);
    expect(last.stderr).not.toContain("live");
  });

  test("a response without shares is an error if several were requested", async () => {
    sandbox = await start({ dialect });
    const body = JSON.stringify(wire.wrapped({ complete: true, keys: [], keys_base64: [] }, { data: {} }));
    sandbox.faults.add({ system: "secrets", path: /update/, nth: 3, action: "respond", status: 200, body });
    const last = await submitAll({ secret_shares: 3, secret_threshold: 2 });
    expect(last.code).toBe(1);
    expect(last.stderr).toContain(noShares.reason);
  });
});
