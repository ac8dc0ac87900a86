import { call } from "../../support/call";
import { allRekeyTargets } from "../../support/rekey";
import { tokenServices } from "../../support/rekey-ceremony";
import { anyNonce, hexOf, refused } from "./rekey-service";

// HashiCorp's tests of a rekey of Vault 2.x, function by function: http/sys_rekey_test.go, and what sys_rekey_config_reload_test.go asserts before a
// reload. docs/reference/compatibility.md links them. A real Vault here is 1.21, behind a proxy.

interface Known {
  nonce: string;
  shares: string[];
}
type Step = [request: string, body: object | ((known: Known) => object) | undefined, response: object];

const fiveOfThree = { secret_shares: 5, secret_threshold: 3 };
const always = { pgp_fingerprints: null, backup: false, verification_required: false };
const idle = { status: 200, json: { ...always, started: false, t: 0, n: 0, progress: 0, required: 3, nonce: "" } };
const started = (progress: number) => ({
  status: 200,
  json: { ...always, started: true, t: 3, n: 5, progress, required: 3, nonce: anyNonce },
});
const five = Array(5).fill(expect.any(String));
const complete = { status: 200, json: { ...always, complete: true, nonce: anyNonce, keys: five, keys_base64: five } };
const denied = refused(403, /permission denied/);

const init: Step = ["PUT init", fiveOfThree, started(0)];
const cancel: Step = ["DELETE init", ({ nonce }) => ({ nonce }), { status: 204, text: "" }];
const submit = (index: number, response: object): Step => [
  "PUT update",
  ({ nonce, shares }) => ({ nonce, key: hexOf(shares[index] as string) }),
  response,
];
const short = refused(400, "key is shorter than minimum 16 bytes");
const badKey: Step = ["PUT update", ({ nonce }) => ({ nonce, key: Buffer.from("badkey").toString("hex") }), short];
const rekey = [init, badKey, submit(0, started(1)), submit(1, started(2)), submit(2, complete)];
const noNonce: Step = ["PUT update", ({ shares }) => ({ key: hexOf(shares[0] as string) }), { status: 400 }];
const pgpKeys = { ...fiveOfThree, pgp_keys: ["pgpkey1"] };

const [open, closed] = ["with enable_unauthenticated_access", "by default"] as const;
const rows: [test: string, access: typeof open | typeof closed, token: "a token" | "no token", steps: Step[]][] = [
  ["Init_pgpKeysEntriesForRekey", closed, "a token", [["PUT init", pgpKeys, { status: 400 }]]],
  ["Init_Status", open, "no token", [["GET init", undefined, idle]]],
  ["Init_Status", open, "a token", [["GET init", undefined, idle]]],
  ["Init_Status and ConfigReload", closed, "no token", [["GET init", undefined, denied]]],
  ["Init_Status and ConfigReload", closed, "a token", [["GET init", undefined, idle]]],
  ["Init_Setup", closed, "a token", [init, ["GET init", undefined, started(0)]]],
  ["Init_Cancel", closed, "a token", [init, cancel, ["GET init", undefined, idle]]],
  ["badKey", closed, "a token", [["PUT update", { key: "0123" }, { status: 400 }]]],
  ["Update", open, "no token", rekey],
  ["Update", open, "a token", rekey],
  ["Update", closed, "a token", rekey],
  ["Update", closed, "no token", [["PUT init", fiveOfThree, denied]]],
  ["ReInitUpdate", closed, "a token", [init, cancel, init, noNonce]],
];

const [vault] = allRekeyTargets.filter(({ dialect, keys }) => dialect === "hashicorp" && keys === "unseal");
const [withTokens] = tokenServices.filter(({ dialect }) => dialect === "hashicorp");

test.each(rows)("Vault 2.x: TestSysRekey_%s, %s, with %s", async (_, access, token, steps) => {
  const { url, token: root, shares, stop } = access === open ? await openVault() : await withTokens!.start();
  try {
    const known = { nonce: "", shares };
    for (const [request, body, response] of steps) {
      const [method = "", path] = request.split(" ");
      const sent = typeof body === "function" ? body(known) : body;
      const answer = await call({ url, token: root }, method, `/v1/sys/rekey/${path}`, sent, token === "a token" ? root : "");
      expect({ request, ...answer }).toMatchObject({ request, ...response });
      // No other fields.
      if ("json" in response) expect(answer.json).toEqual(response.json);
      known.nonce = answer.json?.nonce ?? known.nonce;
    }
  } finally {
    await stop();
  }
});

async function openVault() {
  const { gateway, token, first, stop } = await vault!.start();
  return { url: gateway.url, token, shares: first, stop };
}
