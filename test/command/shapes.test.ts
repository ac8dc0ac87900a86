import { expected } from "../../command/shapes/expected";
import { Sandbox, start } from "../../sandbox/index";
import { Answer, call } from "../support/call";
import { contextOf, resetAll } from "../support/context";
import { recordedShapes } from "../support/shapes";
import { onEachTarget } from "../support/target";
import { Ended, steward } from "./holder";
// Each test runs in a folder without a project.
import "./discover";

let sandbox: Sandbox;
const context = (): ReturnType<typeof contextOf> => contextOf(sandbox, "hashicorp");
beforeAll(async () => {
  sandbox = await start({ dialect: "hashicorp" });
});
beforeEach(async () => {
  await resetAll(context());
  await context().outOfBand("secrets", "POST", "/v1/nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  await context().outOfBand("secrets", "POST", "/v1/nomad/role/canary-role", { policies: "canary-policy", type: "client" });
});
afterAll(() => sandbox.close());

const shapes = (variables: Record<string, string> = sandbox.env, ...options: string[]): Promise<Ended> =>
  steward(variables, ["shapes", ...options]);

/** Replaces the next response to a GET request by what `change` makes of it. */
async function respond(system: "secrets" | "platform", path: string, change: (body: Answer["json"]) => object): Promise<void> {
  const { json } = await call(sandbox[system], "GET", path);
  const body = JSON.stringify(change(json));
  sandbox.faults.add({ system, method: "GET", path: new RegExp(`^${path}`), action: "respond", status: 200, body });
}

test("what the package reads from the sandbox is recorded in command/shapes/expected.ts", async () => {
  expect(expected).toEqual(await recordedShapes());
});

test("prints every attribute of the responses with its type, by GET requests that are sent once", async () => {
  const before = sandbox.requests().length;
  const run = await shapes();
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const sent = sandbox.requests().slice(before);
  expect(sent.map(({ method }) => method).filter((method) => method !== "GET")).toEqual([]);
  expect(new Set(sent.map(({ path, system }) => system + path)).size).toBe(sent.length);
  expect(run.stdout).toMatch(
    /^platform \(hashicorp\) GET \/api\/v2\/admin\/general-settings: 200\n( {2}.*\n)* {2}data\.attributes\.api-rate-limit: number\n/m,
  );
  expect(run.stdout).toMatch(/^secrets \(hashicorp\) GET \/v1\/<mount>\/role\/<name>: 200\n( {2}.*\n)* {2}data\.policies\[\]: string\n/m);
  expect(run.stdout).toMatch(/^secrets \(hashicorp\) GET \/v1\/<mount>\/config\/access: 404$/m);
  expect(run.stdout).toMatch(/^\d+ attributes: 0 missing, 0 changed, \d+ unknown\n$/m);
  expect(run.stdout).not.toContain("<another path>");
  expect((await shapes()).stdout).toBe(run.stdout);
});

test("reports an attribute that is missing, one of another type, and one that the package does not know", async () => {
  await respond("platform", "/api/v2/admin/general-settings", ({ data }) => {
    const { "api-rate-limit": limit, "plan-timeout": _, ...others } = data.attributes;
    return {
      data: { ...data, attributes: { ...others, "api-rate-limit": String(limit), "canary-added": ["canary"], "apply-timeout": null } },
    };
  });
  await respond("secrets", "/v1/nomad/role/canary-role", ({ data, ...others }) => ({
    ...others,
    data: { ...data, policies: [1], global: undefined },
  }));
  const run = await shapes();
  expect(run).toMatchObject({ code: 1, stderr: "pulumi-steward: not everything that the package reads is there.\n" });
  for (const line of [
    "data.attributes.api-rate-limit: string changed, expected number",
    "data.attributes.apply-timeout: null",
    "data.attributes.canary-added: list unknown",
    "data.attributes.plan-timeout: missing, expected string",
    "data.global: missing, expected boolean",
    "data.policies[]: number changed, expected string",
  ])
    expect(run.stdout).toContain(`\n  ${line}\n`);
  expect(run.stdout).toContain("2 missing, 2 changed");
  expect(run.stdout).toContain("cannot be read: secrets:SchedulerRole: ERR_UNEXPECTED_RESPONSE\n");
});

test("an unknown attribute alone is no failure", async () => {
  await respond("platform", "/api/v2/admin/smtp-settings", ({ data }) => ({
    data: { ...data, attributes: { ...data.attributes, added: 1 } },
  }));
  expect(await shapes()).toMatchObject({ code: 0, stdout: expect.stringContaining("  data.attributes.added: number unknown\n") });
});

test("an engine that is not mounted is no failure, and a refused read is one", async () => {
  const variables = { VAULT_ADDR: sandbox.secrets.url, VAULT_TOKEN: sandbox.secrets.token };
  await context().outOfBand("secrets", "DELETE", "/v1/sys/mounts/nomad");
  expect(await shapes(variables)).toMatchObject({ code: 0, stdout: expect.stringContaining("GET /v1/<mount>/role: 404\n") });
  const refused = await shapes({ ...variables, VAULT_TOKEN: "canary-wrong" });
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("cannot be read: secrets:SchedulerLease: ERR_FORBIDDEN 403\n"),
  });
});

test("no value, name, id, address or token is in the output, for any response", async () => {
  const { outOfBand } = context();
  sandbox.platform.seed({
    workspaces: [
      { id: "ws-canary", name: "canary-workspace", organization: "canary-organization", vcsRepoIdentifier: "canary/repository" },
    ],
    modules: [{ namespace: "canary-organization", name: "canary-module", provider: "canaryprovider", versions: ["1.0.0-canary"] }],
  });
  await outOfBand("secrets", "POST", "/v1/sys/mounts/canary/nested", { type: "nomad" });
  await outOfBand("secrets", "POST", "/v1/canary/nested/config/access", { address: "https://canary.example.com", token: "canary-token" });
  await outOfBand("secrets", "POST", "/v1/canary/nested/role/canary.role", { policies: "canary-policy", type: "client" });
  await outOfBand("platform", "PATCH", "/api/v2/admin/customization-settings", { data: { attributes: { footer: "canary-footer" } } });
  const banner = { title: "canary-title", body: "canary-body", style: "info", audience: "all_users" };
  await outOfBand("platform", "POST", "/api/v2/admin/banners", { data: { type: "banners", attributes: banner } });
  await respond("platform", "/api/v2/admin/smtp-settings", ({ data }) => ({
    data,
    "canary@example.com": { canary: "canary" },
    "ws-1/canary": [],
  }));
  const runs = [await shapes(), await shapes({ ...sandbox.env, TFE_TOKEN: "canary-wrong" })];
  sandbox.faults.add({
    system: "platform",
    method: "GET",
    path: "/api/v2/admin/saml-settings",
    action: "respond",
    status: 400,
    body: "canary-failure",
  });
  runs.push(await shapes(), await shapes({ TFE_ADDRESS: "http://canary.invalid", TFE_TOKEN: "canary-wrong" }));
  runs.push(await shapes({ TFE_ADDRESS: "canary:not a URL" }), await shapes({ VAULT_ADDR: "https://canary:canary@example.com/" }));
  const printed = runs.map(({ stdout, stderr }) => stdout + stderr).join();
  for (const leak of ["canary", "127.0.0.1", "nested", "globex", "ws-acme", sandbox.platform.token, sandbox.secrets.token])
    expect(printed.split("\n").filter((line) => line.includes(leak))).toEqual([]);
  expect(runs.map(({ code }) => code)).toEqual([0, 1, 1, 1, 1, 1]);
  expect(printed).toContain("cannot be read: platform:SamlSettings: ERR_REJECTED 400\n");
  expect(printed).toContain("the servers cannot be read (ERR_INVALID_INPUT). `pulumi-steward discover` prints the whole message.");
});

onEachTarget("pulumi-steward shapes on a server", (current) => {
  test("finds everything that the package reads", async () => {
    const { address, token, dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    expect((await outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:1", token: "canary-token" })).status).toBe(204);
    await outOfBand("POST", `${mount}/config/lease`, { ttl: "1h", max_ttl: "2h" });
    await outOfBand("POST", `${mount}/role/canary`, { policies: "canary-policy", type: "client" });
    const prefix = dialect === "standard" ? "SECRETS" : "VAULT";
    const run = await shapes({ [`${prefix}_ADDR`]: address, [`${prefix}_TOKEN`]: token });
    expect(run.stdout).not.toContain("canary");
    expect(run.stdout).toContain("GET /v1/<mount>/role/<name>: 200");
    expect(run.stdout.split("\n").filter((line) => /missing|changed|cannot/.test(line))).toEqual([
      expect.stringMatching(/^\d+ attributes: 0 missing, 0 changed, \d+ unknown$/),
    ]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
  });
});
