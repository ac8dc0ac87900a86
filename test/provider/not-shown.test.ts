import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import * as fc from "fast-check";
import { scheduler as schedulerFunctions, secrets } from "../../provider";
import { functions } from "../../provider/registry/functions";
import { call } from "../support/call";
import { Engine } from "../support/engine";
import { call as callFunction, functionNames, optionsOf } from "../support/functions";
import { holders, readAll } from "../support/pgp";
import { printed } from "../support/printed";
import { inputsFrom, RekeyStack } from "../support/rekey";
import { startSandbox } from "../support/sandbox";
import { draws, seed } from "../support/scope";
import {
  choose,
  enginePlaces,
  errorBodies,
  furtherFields,
  Place,
  platformPlaces,
  rekeyPlaces,
  schedulerPlaces,
  startForms,
} from "./not-shown";

// A service that follows the API documents, and answers what they do not show in any form: each form of each place, then random ones.

const { registerJob } = schedulerFunctions;

type Served = Awaited<ReturnType<typeof startForms>>;
type Forms = [Served, Served, Served];
let [service, platform, scheduler] = [] as unknown as Forms;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let config: Record<string, object>;

beforeAll(async () => {
  sandbox = await startSandbox({ dialect: "standard" });
  const systems = ["secrets", "platform", "scheduler"] as const;
  [service, platform, scheduler] = (await Promise.all(systems.map((system) => startForms(sandbox[system].url)))) as Forms;
  const at = ({ url: address }: Forms[0], { token }: { token: string }): object => ({ address, token, dialect: "standard" });
  const servers = {
    secrets: at(service, sandbox.secrets),
    platform: at(platform, sandbox.platform),
    scheduler: at(scheduler, sandbox.scheduler),
  };
  config = { "steward:default": servers };
  setAllConfig({ "steward:default": JSON.stringify(servers) });
});
beforeEach(() => sandbox.reset());
afterEach(() => {
  for (const { chosen } of [service, platform, scheduler]) chosen.clear();
});
afterAll(() => setAllConfig({}));

const engine = (type: string): Engine => new Engine(`secrets:${type}`, config);
const outside = (method: string, path: string, body?: object) => call(sandbox.secrets, method, `/v1/scheduler/${path}`, body);
const sentBy = async (run: () => Promise<unknown>): Promise<string[]> => {
  const before = service.sent.length;
  await run();
  return service.sent.slice(before);
};
/** True if the form of the response at one of these places requires a read back. */
const isReadBack = (sections: readonly string[]): boolean =>
  [...service.chosen].some(([{ section, known }, { body = "" }]) => sections.includes(section) && known?.test(body) === false);

/** Runs a story with each form of each place, and with random ones. */
function withForms(title: string, places: readonly Place[], count: number, story: () => Promise<void>): void {
  const most = Math.max(...places.map(({ forms }) => forms.length));
  const numbers = fc.array(fc.nat(999), { minLength: places.length, maxLength: places.length });
  const drawn = fc.sample(numbers, { seed, numRuns: draws(count) });
  const each = Array.from({ length: most }, (_, index) => places.map(() => index));
  test.each([...each, ...drawn].map((chosen) => [chosen]))(`${title} %j`, async (chosen) => {
    choose(service, places, (place) => chosen[place] as number);
    await story();
  });
}

const inputs: Record<string, object> = {
  SchedulerAccess: { address: "http://127.0.0.1:4646", token: "management" },
  SchedulerLease: { ttl: "1h", maxTtl: "8h" },
  SchedulerRole: { name: "web", policies: ["a"] },
  SchedulerRoles: { roles: { one: { policies: ["a"] }, two: { type: "management" } } },
};

/** The life of all resources of the secrets engine. */
async function live(): Promise<void> {
  expect(await secrets.listSchedulerRoles()).toEqual([]);
  const stack = Object.entries(inputs).map(([type, given]) => ({ type, resource: engine(type), given }));
  for (const { type, resource, given } of stack) {
    const sent = await sentBy(async () => expect(await resource.up({ ...given })).toBe("create"));
    const sections: Record<string, string[]> = {
      SchedulerAccess: ["2.6 no access", "4.3 write access"],
      SchedulerLease: ["2.6 no lease", "4.3 write lease"],
      SchedulerRole: ["7 error body", "4.3 write role"],
    };
    if (sections[type]) expect(sent).toHaveLength(isReadBack(sections[type]) ? 3 : 2);
  }
  for (const { resource, given } of stack) {
    expect(await resource.refresh()).toEqual([]);
    expect(await sentBy(async () => expect(await resource.up({ ...given })).toBe("same"))).toEqual([]);
  }
  const [, lease, role, roles] = stack.map(({ resource }) => resource) as [Engine, Engine, Engine, Engine];
  await outside("POST", "role/web", { policies: "theirs", type: "client" });
  expect(await role.refresh()).toEqual(["policies"]);
  expect(await role.up({ ...inputs.SchedulerRole })).toBe("update");
  expect((await outside("GET", "role/web")).json.data.policies).toEqual(["a"]);
  expect(await lease.up({ ttl: "2h" })).toBe("update");
  expect(await roles.up({ roles: { one: { policies: ["b"] }, three: {} } })).toBe("update");
  expect(await secrets.listSchedulerRoles()).toEqual(expect.arrayContaining(["web", "one", "three"]));
  await outside("DELETE", "role/web");
  expect(await sentBy(async () => expect(await role.refresh()).toBe("gone"))).toHaveLength(2);
  await outside("DELETE", "config/lease");
  expect(await lease.refresh()).toBe("gone");
  expect(await role.up({ ...inputs.SchedulerRole })).toBe("create");
  expect(await lease.up({ ttl: "1h" })).toBe("create");
  for (const { resource } of stack.reverse()) await resource.destroy();
  expect(
    await Promise.all(["role/web", "role/one", "role/three", "config/lease"].map(async (path) => (await outside("GET", path)).status)),
  ).toEqual([404, 404, 404, 404]);
  expect((await outside("GET", "config/access")).json.data.address).toBe("");
}

withForms("resources live on a service with the forms", enginePlaces, 100, live);

/** A rekey for holders, with a backup that is removed, and an attempt that is canceled. */
async function rekey(): Promise<void> {
  const all = await holders(2);
  const { shares } = sandbox.secrets;
  const stack = new RekeyStack(config);
  const given = inputsFrom(shares, {
    ...{ secretShares: 2, backup: true, removeBackup: true },
    pgpKeys: all.map(({ publicKey }) => publicKey),
  });
  await stack.up(given, "attempt");
  await stack.destroy();
  const status = async () => (await call(sandbox.secrets, "GET", "/v1/sys/rekey/init")).json;
  // Another client may have started the attempt if a message answers the start.
  const isMessage = [...service.chosen].some(([{ section }, { body = "" }]) => section === "4.2 start" && /^"?(done|ok)/.test(body));
  expect((await status()).started).toBe(isMessage);
  // A wrong share is rejected, and costs nothing.
  const wrong = Buffer.alloc(5, 1).toString("base64");
  await stack.fails({ ...given, currentShares: [wrong] });
  expect((await status()).progress).toBe(0);
  expect(await stack.stops(given)).toBe("rekey/new-shares-missing");
  // Not from the backup: without one, they would be lost.
  expect(stack.submission.source).toBe("reply");
  const newShares = await readAll(all, stack.candidate.encrypted);
  await stack.up({ ...given, newShares });
  expect(await sandbox.secrets.opens(newShares.map((share) => Buffer.from(share, "hex").toString("base64")))).toBe(true);
  expect((await call(sandbox.secrets, "GET", "/v1/sys/rekey/backup")).status).toBe(404);
  await stack.refresh();
}

withForms("a rekey loses no key on a service with the forms", rekeyPlaces, 50, rekey);

test.each(errorBodies)("the reason of an error is shown: %s", async (body) => {
  sandbox.faults.add({ system: "secrets", path: /role/, method: "POST", action: "respond", status: 400, body });
  const error = await engine("SchedulerRole")
    .up({ name: "web", policies: ["a"] })
    .catch(String);
  const isBlank = /^(|\{\}|null|\[\]|\{"errors":\[\]\})$/.test(body);
  expect(error).toContain(isBlank ? "the server returned no reason" : body.includes("code") ? '{"code":7}' : "not as you wish");
});

test("a write-only part counts with JSON, and with a message its outcome is unknown", async () => {
  const rotate = (body: string): Promise<unknown> => {
    const [place] = enginePlaces.filter(({ section }) => section === "4.3 write access") as [Place];
    service.chosen.set(place, { status: 200, body });
    return access.up({ ...inputs.SchedulerAccess, token: `token-for-${body}` });
  };
  const access = engine("SchedulerAccess");
  await rotate("[]");
  await expect(rotate("done")).rejects.toMatchObject({ details: { rule: "not-json", outcomeUnknown: true } });
  expect(await rotate('{"ok":true}')).toBe("update");
  await expect(rotate('{"message":"maintenance"}')).rejects.toMatchObject({ details: { rule: "foreign-response" } });
  // A read back that shows other values is no success, and neither is a web page.
  sandbox.faults.add({ system: "secrets", method: "POST", path: /access/, action: "respond", status: 200, body: '{"ok":true}' });
  await expect(access.up({ address: "http://elsewhere:1" })).rejects.toMatchObject({
    details: { rule: "foreign-response", outcomeUnknown: true },
  });
  await expect(rotate("<html>done</html>")).rejects.toMatchObject({ details: { rule: "web-page" } });
});

test("an access configuration that the server does not show is adopted as one that is not known to differ", async () => {
  sandbox.faults.add({ system: "secrets", path: /config.access/, method: "GET", action: "respond", status: 200, body: '{"data":{}}' });
  expect(await engine("SchedulerAccess").up({ ...inputs.SchedulerAccess, adopt: "unchanged" })).toBe("create");
});

test("an access configuration with a token but no address is overwritten with a line", async () => {
  const access = engine("SchedulerAccess");
  await outside("POST", "config/access", { token: "theirs" });
  await access.up({ ...inputs.SchedulerAccess });
  expect(printed).toEqual([expect.stringMatching(/: adoption overwrites token, clientKey, which the server does not return\.$/)]);
});

test.each([...errorBodies.keys()])("what is gone leaves the state on a platform with the forms %i", async (number) => {
  choose(platform, platformPlaces, () => number);
  const two = (type: string): [Engine, Engine] => [new Engine(`platform:${type}`, config), new Engine(`platform:${type}`, config)];
  const goes = async (resources: [Engine, Engine], inputs: object, leave: () => unknown): Promise<void> => {
    for (const each of resources) await each.up({ ...inputs });
    await leave();
    expect(await resources[0].refresh()).toBe("gone");
    await resources[1].destroy();
  };
  const workspace = { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true };
  await goes(two("AdminWorkspace"), workspace, () => call(sandbox.platform, "DELETE", "/api/v2/admin/workspaces/ws-acmeNetworkTest"));
  const modules = (...versions: string[]): void =>
    sandbox.platform.seed({ modules: [{ namespace: "acme", name: "old", provider: "aws", versions }] });
  modules("1.0.0", "2.0.0");
  const version = { organizationName: "acme", moduleName: "old", moduleProvider: "aws", moduleVersion: "1.0.0" };
  await goes(two("ModuleVersionDeprecation"), { ...version, reason: "Old.", link: "https://example.com" }, () => modules("2.0.0"));
  expect(await new Engine("platform:SamlCertificateRevocation", config).up({})).toBe("create");
});

/** The functions that the dialect does not have. */
const others = functions.filter(({ dialects }) => dialects?.includes("standard") === false).map(({ token }) => token.replace(":", "."));

test.each(functionNames.filter((name) => !name.includes("registerJob") && !others.includes(name)))(
  "%s accepts further fields",
  async (name) => {
    await outside("POST", "role/web", { policies: "a" });
    const plain = await callFunction(name, optionsOf(name), 1);
    for (const each of [service, platform, scheduler]) choose(each, furtherFields, () => 0);
    const further = await callFunction(name, optionsOf(name), 1);
    expect({ further }).toMatchObject(plain === undefined ? {} : { further: plain });
  },
);

test.each([...schedulerPlaces[0].forms.keys()])("a registration is known by its list, with the form %i", async (number) => {
  const { job } = optionsOf("scheduler.registerJob") as { job: object };
  choose(scheduler, schedulerPlaces, () => number);
  await registerJob({ job: { ...job, ID: "new" } });
  expect((await call(sandbox.scheduler, "GET", "/v1/jobs")).json.map(({ ID }: { ID: string }) => ID)).toContain("new");
  scheduler.chosen.clear();
  sandbox.faults.add({ system: "scheduler", method: "PUT", path: /jobs/, action: "respond", status: 200, body: "queued" });
  const lost = registerJob({ job: { ...job, ID: "lost" } });
  await expect(lost).rejects.toMatchObject({ details: { rule: "not-json", outcomeUnknown: true } });
});
