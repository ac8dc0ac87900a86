import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { secrets } from "../../../../provider";
import { RekeyInputs } from "../../../../provider/secrets";
import { Sandbox, start } from "../../../../sandbox/index";
import { ends, steward } from "../../../command/holder";
import { configOf } from "../../../support/context";
import { Engine, NativeEngine } from "../../../support/engine";
import { Gateway, keepsUncombined, startGateway } from "../../../support/gateway";
import "../../../support/printed";
import { refusal } from "../../../support/refusal";
import { inputsFrom, RekeyStack, spoiled } from "../../../support/rekey";
import { RekeyDialect, variablesFor, wireOf } from "../../../support/rekey-wire";

// The suites beside this one tell each story in each dialect, in the names of the API document. This one is about the dialects themselves.

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const config = (dialect: RekeyDialect): Record<string, object> => configOf({ sandbox, dialect });
const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => inputsFrom(sandbox.secrets.shares, more);
const requests = (): string[] => sandbox.requests().map(({ method, path }) => `${method} ${path.replace("/v1/", "")}`);
const writes = (): string[] => requests().filter((each) => !each.startsWith("GET"));

test.each([
  ["the dynamic provider", Engine],
  ["the native plugin", NativeEngine],
])(
  "another dialect or address in the connection is no change of a rekey, neither of a running nor of a finished one (%s)",
  async (_, Mechanism) => {
    sandbox = await start({ dialect: "openbao" });
    const stack = new RekeyStack(config("openbao"), Mechanism);
    const change = (dialect: RekeyDialect, more: object = {}): void => {
      const { secrets } = config(dialect)["steward:default"] as { secrets: object };
      for (const each of [stack.attempt, stack.shares, stack.commit])
        each.configure({ "steward:default": { secrets: { ...secrets, ...more } } });
    };
    await stack.up(inputs(), "shares");
    const before = requests().length;
    change("hashicorp");
    expect(await stack.up(inputs(), "shares")).toEqual(["same", "same"]);
    expect(requests().slice(before)).toEqual([]);
    // The step that is left asks for the status in the wrong dialect, and sends nothing else.
    await expect(stack.up(inputs())).rejects.toThrow("[rekey/wrong-dialect]");
    expect(requests().slice(before)).toEqual(["GET sys/rekey/init"]);
    change("openbao");
    await stack.up(inputs());
    expect(writes().filter((each) => each.endsWith("init"))).toEqual(["POST sys/rotate/root/init"]);
    const after = requests().length;
    for (const dialect of ["hashicorp", "standard"] as const) {
      change(dialect);
      expect(await stack.up(inputs())).toEqual(["same", "same", "same"]);
    }
    expect(requests().slice(after)).toEqual([]);
    // Its status shows that it is the same server.
    change("openbao", { address: sandbox.secrets.url.replace("127.0.0.1", "localhost"), allowAddressChange: true });
    const { shares } = stack.outputs;
    await stack.up(inputs());
    expect(requests().slice(after)).toEqual(["GET sys/rotate/root/init", "GET sys/health"]);
    expect(stack.outputs.shares).toEqual(shares);
    expect(await stack.up(inputs())).toEqual(["same", "same", "same"]);
  },
);

describe.each([
  ["openbao", "hashicorp", 405, "OpenBao", ['"openbao"', "BAO_ADDR", "BAO_TOKEN"]],
  ["openbao", "standard", 405, "OpenBao", ['"openbao"', "BAO_ADDR", "BAO_TOKEN"]],
  ["hashicorp", "openbao", 404, "2.4", ['"hashicorp"', "VAULT_ADDR", "VAULT_TOKEN"]],
] as const)("a service of the dialect %s under the dialect %s", (own, dialect, status, cause, names) => {
  test("is answered with one message that names the dialect to use, and nothing is sent to it", async () => {
    sandbox = await start({ dialect: own });
    const error = await new RekeyStack(config(dialect)).fails(inputs());
    expect(error).toEqual(refusal("ERR_REJECTED", { rule: "rekey/wrong-dialect", method: "GET", status }));
    expect(error.details.reason).toContain(cause);
    for (const name of names) expect(error.details.hint).toContain(name);
    setAllConfig(Object.fromEntries(Object.entries(config(dialect)).map(([key, value]) => [key, JSON.stringify(value)])));
    await expect(secrets.getRekeyStatus()).rejects.toThrow(refusal("ERR_REJECTED", { rule: "rekey/wrong-dialect" }));
    setAllConfig({});
    const { code, stderr } = await steward(variablesFor(dialect, sandbox.secrets), ["rekey", "status"]);
    expect([code, stderr.trim().split("\n").length]).toEqual([1, 1]);
    for (const name of names) expect(stderr).toContain(name);
    expect(writes()).toEqual([]);
  });
});

test("a cancel that Vault refuses, since the connection has no dialect, is answered with the dialect to use", async () => {
  sandbox = await start({ dialect: "hashicorp" });
  const stack = new RekeyStack(config("standard"));
  await stack.up(inputs(), "attempt");
  const { details } = await stack.fails(inputs({ triggers: ["2"] }));
  expect(details).toMatchObject({ rule: "rekey/wrong-dialect", hint: expect.stringContaining('"hashicorp"') });
});

const inNamespace = (dialect: RekeyDialect): Record<string, object> => ({
  "steward:default": { secrets: { address: sandbox.secrets.url, token: sandbox.secrets.token, dialect, namespace: "team" } },
});

test.each(["standard", "hashicorp"] as const)(
  "%s has no keys of a namespace: nothing at all is sent, since Vault ignores the namespace",
  async (dialect) => {
    sandbox = await start({ dialect });
    const { details } = await new RekeyStack(inNamespace(dialect)).fails(inputs());
    expect(details).toMatchObject({ rule: "rekey/wrong-namespace", hint: expect.stringContaining("without a namespace") });
    const variables = { ...variablesFor(dialect, sandbox.secrets), SECRETS_NAMESPACE: "team", VAULT_NAMESPACE: "team" };
    for (const command of [["status"], ["submit", "--nonce", "x"], ["cancel", "--nonce", "x"], ["backup"]])
      expect((await steward(variables, ["rekey", ...command], inputs().currentShares[0] as string)).stderr).toContain(
        "[rekey/wrong-namespace]",
      );
    expect(sandbox.requests()).toEqual([]);
  },
);

test("a namespace of OpenBao without unseal keys of its own is named, and nothing is sent to it", async () => {
  sandbox = await start({ dialect: "openbao" });
  // The response of OpenBao 2.7.2.
  const body = JSON.stringify({ errors: ["namespace is not sealable"] });
  sandbox.faults.add({ system: "secrets", path: "/v1/sys/rotate/root/init", action: "respond", status: 400, body, times: 2 });
  const { details } = await new RekeyStack(inNamespace("openbao")).fails(inputs());
  expect(details).toMatchObject({ rule: "rekey/wrong-namespace", reason: expect.stringContaining("the namespace team") });
  const holder = await steward({ ...variablesFor("openbao", sandbox.secrets), BAO_NAMESPACE: "team" }, ["rekey", "status"]);
  expect(holder).toMatchObject(ends(1, "the namespace team"));
  expect(writes()).toEqual([]);
});

test("the commands of a holder name the namespace whose keys they are about", async () => {
  sandbox = await start({ dialect: "openbao" });
  const stack = new RekeyStack(inNamespace("openbao"));
  const variables = { ...variablesFor("openbao", sandbox.secrets), BAO_NAMESPACE: "team" };
  const holder = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await steward(variables, ["rekey", ...args], inputs().currentShares[0] as string);
    return stdout + stderr;
  };
  for (const args of [["status"], ["submit", "--nonce", "x"], ["backup"]]) expect(await holder(...args)).toContain(", namespace team");
  await stack.up(inputs(), "attempt");
  expect(await holder("status")).toMatch(/^server .*, namespace team$/m);
});

test("the health of OpenBao is read without the namespace, which does not serve it", async () => {
  sandbox = await start({ dialect: "openbao" });
  gateway = await startGateway(sandbox.secrets.url);
  const secrets = { address: gateway.url, token: sandbox.secrets.token, dialect: "openbao", namespace: "team" };
  await new RekeyStack({ "steward:default": { secrets } }).up(inputs(), "attempt");
  const sent = gateway.requests.map(({ path, namespace }) => [path, namespace]);
  expect(sent).toContainEqual(["/v1/sys/health", undefined]);
  expect(sent.filter(([path]) => path !== "/v1/sys/health")).toEqual(Array(3).fill(["/v1/sys/rotate/root/init", "team"]));
});

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** The sandbox behind a gateway that makes it an OpenBao before 2.6. */
async function beforeVersion26(): Promise<{ stack: RekeyStack; url: string }> {
  sandbox = await start({ dialect: "openbao" });
  gateway = await startGateway(sandbox.secrets.url, wireOf("openbao"));
  keepsUncombined(gateway);
  const { url } = gateway;
  return {
    stack: new RekeyStack({ "steward:default": { secrets: { address: url, token: sandbox.secrets.token, dialect: "openbao" } } }),
    url,
  };
}

test("shares that OpenBao before 2.6 cannot combine stay in its attempt, which the rekey cancels, and the corrected run completes", async () => {
  const { stack } = await beforeVersion26();
  const [first = "", second = ""] = sandbox.secrets.shares;
  expect(await stack.stops(inputs({ currentShares: [first, second, spoiled(first)] }))).toBe("rekey/shares-not-combined");
  await stack.up(inputs());
  expect(await sandbox.secrets.opens(stack.outputs.shares.slice(1))).toBe(true);
});

test("a share that cannot be combined with the valid set in the state: the error says how to submit that set alone", async () => {
  const { stack } = await beforeVersion26();
  const path = "/v1/sys/rotate/root/verify";
  sandbox.faults.add({ system: "secrets", method: "POST", path, nth: 2, action: "drop-after" });
  expect(await stack.stops(inputs())).toBe("rekey/outcome-unknown");
  const again = inputs({ triggers: ["2"], currentShares: [spoiled(stack.candidate.shares[0])] });
  const { details } = await stack.fails(again);
  expect(details).toMatchObject({ rule: "rekey/shares-not-combined", hint: expect.stringContaining("currentShares: []") });
  await stack.up({ ...again, currentShares: [] });
  expect(await sandbox.secrets.opens(stack.outputs.shares.slice(1))).toBe(true);
});

test("a holder is told of shares that cannot be combined, and the next run of the stack cancels their attempt", async () => {
  const { stack, url } = await beforeVersion26();
  const [first = "", second = ""] = sandbox.secrets.shares;
  expect(await stack.stops(inputs({ currentShares: [first, second] }))).toBe("rekey/shares-missing");
  const environment = variablesFor("openbao", { ...sandbox.secrets, url });
  const { code, stderr } = await steward(environment, ["rekey", "submit", "--nonce", stack.submission.nonce as string], spoiled(second));
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/the 3 current shares .*duplicate part detected.*`pulumi-steward rekey cancel`/),
  ]);
  expect(await stack.stops(inputs())).toBe("rekey/shares-not-combined");
  await stack.up(inputs());
});

test("the holders' command line without BAO_TOKEN asks for it in one message, and sends no token of Vault", async () => {
  sandbox = await start({ dialect: "openbao" });
  const environment = { BAO_ADDR: sandbox.secrets.url, VAULT_TOKEN: sandbox.secrets.token };
  const { code, stderr } = await steward(environment, ["rekey", "status"]);
  const [warning = "", error = "", ...more] = stderr.trim().split("\n");
  expect([code, more]).toEqual([1, []]);
  expect(warning).toMatch(/^warning: VAULT_TOKEN .*BAO_ADDR/);
  expect(error).toMatch(
    /permission denied \(GET \/v1\/sys\/rotate\/root\/init, 403\)\. .*BAO_TOKEN.*BAO_ADDR.*`read` on sys\/rotate\/root\/init\./,
  );
  // Both sets: OpenBao's.
  const both = { ...environment, BAO_TOKEN: sandbox.secrets.token, VAULT_ADDR: "http://127.0.0.1:1" };
  expect((await steward(both, ["rekey", "status"])).stdout).toContain("no rekey of the unseal keys");
});

test("reads how many shares OpenBao 2.4.0 asks for, which names them otherwise", async () => {
  sandbox = await start({ dialect: "openbao" });
  const data = { started: false, t: 0, n: 0, seal_threshold: 3 };
  const path = "/v1/sys/rotate/root/init";
  sandbox.faults.add({ system: "secrets", method: "GET", path, action: "respond", status: 200, body: JSON.stringify({ data }) });
  setAllConfig(Object.fromEntries(Object.entries(config("openbao")).map(([key, value]) => [key, JSON.stringify(value)])));
  expect(await secrets.getRekeyStatus()).toMatchObject({ started: false, required: 3, backup: false, pgpFingerprints: [] });
  setAllConfig({});
});

test("a response of OpenBao without data is not one of a rekey", async () => {
  sandbox = await start({ dialect: "openbao" });
  const body = JSON.stringify({ started: false, t: 0, n: 0, required: 3 });
  sandbox.faults.add({ system: "secrets", path: /init/, action: "respond", status: 200, body });
  expect(await new RekeyStack(config("openbao")).stops(inputs())).toBe("rekey/unexpected-response");
});
