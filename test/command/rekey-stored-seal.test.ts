import { keptBySeal, noShares } from "../../provider/secrets/rekey/stops";
import { Sandbox, start } from "../../sandbox/index";
import { call } from "../support/call";
import { steward } from "./holder";

describe.each(["standard", "hashicorp"] as const)("sandbox, %s", (dialect) => {
  let sandbox: Sandbox;
  afterEach(() => sandbox.close());

  async function submitAll(body: object): Promise<{ code: number; stdout: string; stderr: string }> {
    const { url, token, shares } = sandbox.secrets;
    await call(sandbox.secrets, "PUT", "/v1/sys/rekey/init", body);
    const { nonce } = (await call(sandbox.secrets, "GET", "/v1/sys/rekey/init")).json as { nonce: string };
    const variables: Record<string, string> =
      dialect === "standard" ? { SECRETS_ADDR: url, SECRETS_TOKEN: token } : { VAULT_ADDR: url, VAULT_TOKEN: token };
    const ended = [];
    for (const share of shares.slice(0, 3)) ended.push(await steward(variables, ["rekey", "submit", "--nonce", nonce], share));
    return ended[2] as { code: number; stdout: string; stderr: string };
  }

  test("the last share for a seal that keeps its key: done without a share in the API document's dialect, an error in Vault's", async () => {
    sandbox = await start({ dialect, seal: "stored" });
    const last = await submitAll({ secret_shares: 1, secret_threshold: 1 });
    expect(last.stdout).toBe("");
    if (dialect === "hashicorp") {
      expect(last.code).toBe(1);
      expect(last.stderr).toContain(noShares.reason);
      return;
    }
    expect(last.code).toBe(0);
    expect(last.stderr).toContain(keptBySeal);
    expect(last.stderr).not.toContain("live");
  });

  test("an answer without shares where several were asked for is an error", async () => {
    sandbox = await start({ dialect });
    const body = '{"complete":true,"keys":[],"keys_base64":[]}';
    sandbox.faults.add({ system: "secrets", path: /update/, nth: 3, action: "respond", status: 200, body });
    const last = await submitAll({ secret_shares: 3, secret_threshold: 2 });
    expect(last.code).toBe(1);
    expect(last.stderr).toContain(noShares.reason);
  });
});
