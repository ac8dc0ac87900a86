import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import * as fc from "fast-check";
import { scheduler as schedulerFunctions, secrets } from "../../provider";
import { call } from "../support/call";
import { Engine } from "../support/engine";
import { call as callFunction, functionNames, optionsOf } from "../support/functions";
import { holders, readAll } from "../support/pgp";
import { printed } from "../support/printed";
import { inputsFrom, RekeyStack } from "../support/rekey";
import { startSandbox } from "../support/sandbox";
import { draws, seed } from "../support/scope";
import { errorBodies, Form, furtherFields, Place, pathOf, platformPlaces, schedulerPlaces, secretsPlaces, startForms } from "./not-shown";

// A service that follows the API documents, and answers what they do not show in any form: each form of each place, then random ones.

const { registerJob } = schedulerFunctions;

type Forms = Awaited<ReturnType<typeof startForms>>;
let service: Forms;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let config: Record<string, object>;

beforeAll(async () => {
  sandbox = await startSandbox({ dialect: "standard" });
  service = await startForms(sandbox.secrets.url);
  config = { "steward:default": { secrets: { address: service.url, token: sandbox.secrets.token } } };
  setAllConfig({ "steward:default": JSON.stringify(config["steward:default"]) });
});
beforeEach(() => sandbox.reset());
afterEach(() => service.chosen.clear());
afterAll(() => setAllConfig({}));

const engine = (type: string): Engine => new Engine(`secrets:${type}`, config);
const outside = (method: string, path: string, body?: object) => call(sandbox.secrets, method, pathOf(path), body);
const sentBy = async (run: () => Promise<unknown>): Promise<string[]> => {
  const before = service.sent.length;
  await run();
  return service.sent.slice(before);
};
/** Chooses the form with this number at each place. */
const choose = (places: readonly Place[], number: (place: number) => number): void => {
  for (const [index, place] of places.entries()) service.chosen.set(place, place.forms[number(index) % place.forms.length] as Form);
};
/** True if the form of the response at one of these places requires a read back. */
const isReadBack = (sections: readonly string[]): boolean =>
  [...service.chosen].some(([{ section, known }, { body = "" }]) => sections.includes(section) && known?.test(body) === false);

const most = (places: readonly Place[]): number => Math.max(...places.map(({ forms }) => forms.length));
const numbers = (places: readonly Place[]): number[] => Array.from({ length: most(places) }, (_, index) => index);
const drawn = (places: readonly Place[], count: number): number[][] =>
  fc.sample(fc.array(fc.nat(999), { minLength: places.length, maxLength: places.length }), { seed, numRuns: draws(count) });

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
  const isNeutral = [...service.chosen.values()].some(({ body }) => body?.includes("max_ttl"));
  expect(await lease.refresh()).toEqual(isNeutral ? ["ttl"] : "gone");
  expect(await role.up({ ...inputs.SchedulerRole })).toBe("create");
  expect(await lease.up({ ttl: "1h" })).toBe(isNeutral ? "update" : "create");
  for (const { resource } of stack.reverse()) await resource.destroy();
  expect(
    await Promise.all(["role/web", "role/one", "role/three", "config/lease"].map(async (path) => (await outside("GET", path)).status)),
  ).toEqual([404, 404, 404, 404]);
  expect((await outside("GET", "config/access")).json.data.address).toBe("");
}

const engineLife = secretsPlaces.filter(({ request }) => !request.source.includes("rekey"));

test.each(numbers(engineLife))("resources live on a service with the forms %i", async (number) => {
  choose(engineLife, () => number);
  await live();
});

test("resources live on services with random forms", async () => {
  for (const each of drawn(engineLife, 100)) {
    await sandbox.reset();
    choose(engineLife, (place) => each[place] as number);
    await live();
  }
});

const rekeyLife = secretsPlaces.filter(({ request }) => request.source.includes("rekey"));

/** A rekey for holders, with a backup that is removed, and an attempt that is canceled. */
async function rekey(): Promise<void> {
  const all = await holders(2);
  const { shares } = sandbox.secrets;
  const stack = new RekeyStack(config);
  const given = inputsFrom(shares, {
    ...{ secretShares: 2, keepSharesInState: false, backup: true, removeBackup: true },
    pgpKeys: all.map(({ publicKey }) => publicKey),
  });
  await stack.up(given, "attempt");
  await stack.destroy();
  const status = async () => (await call(sandbox.secrets, "GET", "/v1/sys/rekey/init")).json;
  expect((await status()).started).toBe(false);
  // A wrong share is rejected, and costs nothing.
  const wrong = Buffer.alloc(5, 1).toString("base64");
  await stack.fails({ ...given, currentShares: [wrong] });
  expect((await status()).progress).toBe(0);
  expect(await stack.stops(given)).toBe("rekey/new-shares-missing");
  const newShares = await readAll(all, stack.candidate.encrypted);
  await stack.up({ ...given, newShares });
  expect(await sandbox.secrets.opens(newShares.map((share) => Buffer.from(share, "hex").toString("base64")))).toBe(true);
  expect((await call(sandbox.secrets, "GET", "/v1/sys/rekey/backup")).status).toBe(404);
  await stack.refresh();
}

test.each(numbers(rekeyLife))("a rekey loses no key on a service with the forms %i", async (number) => {
  choose(rekeyLife, () => number);
  await rekey();
});

test("a rekey loses no key on services with random forms", async () => {
  for (const each of drawn(rekeyLife, 50)) {
    await sandbox.reset();
    choose(rekeyLife, (place) => each[place] as number);
    await rekey();
  }
});

test.each(errorBodies)("the reason of an error is shown: %s", async (body) => {
  sandbox.faults.add({ system: "secrets", path: /role/, method: "POST", action: "respond", status: 400, body });
  const error = await engine("SchedulerRole")
    .up({ name: "web", policies: ["a"] })
    .catch(String);
  const isBlank = /^(|\{\}|null|\[\]|\{"errors":\[\]\})$/.test(body);
  expect(error).toContain(isBlank ? "the server returned no reason" : body.includes("code") ? '{"code":7}' : "not as you wish");
});

test("a write-only part counts with JSON, and with a text its outcome is unknown", async () => {
  const rotate = (body: string): Promise<unknown> => {
    const [place] = secretsPlaces.filter(({ section }) => section === "4.3 write access") as [Place];
    service.chosen.set(place, { status: 200, body });
    return access.up({ ...inputs.SchedulerAccess, token: `token for ${body}` });
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

test("an access configuration with a token but no address is overwritten with a line", async () => {
  const access = engine("SchedulerAccess");
  await outside("POST", "config/access", { token: "theirs" });
  await access.up({ ...inputs.SchedulerAccess });
  expect(printed).toEqual([expect.stringMatching(/: adoption overwrites token, clientKey, which the server does not return\.$/)]);
});

describe("the platform and the scheduler, with the reads of all three", () => {
  let [platform, scheduler]: Forms[] = [];
  beforeAll(async () => {
    platform = await startForms(sandbox.platform.url);
    scheduler = await startForms(sandbox.scheduler.url);
    const at = (forms: Forms | undefined, { token }: { token: string }): object => ({ address: forms?.url, token });
    Object.assign(config["steward:default"] as object, {
      platform: at(platform, sandbox.platform),
      scheduler: at(scheduler, sandbox.scheduler),
    });
    setAllConfig({ "steward:default": JSON.stringify(config["steward:default"]) });
  });
  const choosePlatform = (number: number): void => {
    for (const place of platformPlaces) platform?.chosen.set(place, place.forms[number % place.forms.length] as Form);
  };
  const modules = (...versions: string[]): void =>
    sandbox.platform.seed({ modules: [{ namespace: "acme", name: "old", provider: "aws", versions }] });
  const version = { organizationName: "acme", moduleName: "old", moduleProvider: "aws", moduleVersion: "1.0.0" };

  test.each(numbers(platformPlaces))("what is gone leaves the state on a platform with the forms %i", async (number) => {
    choosePlatform(number);
    const workspaces = [new Engine("platform:AdminWorkspace", config), new Engine("platform:AdminWorkspace", config)] as const;
    for (const each of workspaces) await each.up({ workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true });
    await call(sandbox.platform, "DELETE", "/api/v2/admin/workspaces/ws-acmeNetworkTest");
    expect(await workspaces[0].refresh()).toBe("gone");
    await workspaces[1].destroy();
    modules("1.0.0", "2.0.0");
    const deprecations = [
      new Engine("platform:ModuleVersionDeprecation", config),
      new Engine("platform:ModuleVersionDeprecation", config),
    ] as const;
    for (const each of deprecations) await each.up({ ...version, reason: "Old.", link: "https://example.com" });
    modules("2.0.0");
    expect(await deprecations[0].refresh()).toBe("gone");
    await deprecations[1].destroy();
    expect(await new Engine("platform:SamlCertificateRevocation", config).up({})).toBe("create");
  });

  test.each(functionNames.filter((name) => !name.includes("registerJob")))("%s accepts further fields", async (name) => {
    await outside("POST", "role/web", { policies: "a" });
    const plain = await callFunction(name, optionsOf(name), 1);
    for (const forms of [service, platform, scheduler]) for (const place of furtherFields) forms?.chosen.set(place, place.forms[0] as Form);
    const further = await callFunction(name, optionsOf(name), 1);
    expect(typeof further === "object" ? further : {}).toMatchObject(typeof plain === "object" && plain !== null ? plain : {});
    for (const forms of [platform, scheduler]) forms?.chosen.clear();
  });

  test.each(schedulerPlaces.flatMap((place) => place.forms.map((form) => [place, form] as const)))(
    "a registration %# is known by its list",
    async (place, form) => {
      const job = {
        ID: "new",
        Name: "new",
        Type: "batch",
        TaskGroups: [{ Name: "a", Tasks: [{ Name: "t", Driver: "exec", Config: { command: "x" } }] }],
      };
      scheduler?.chosen.set(place, form);
      await registerJob({ job });
      expect((await call(sandbox.scheduler, "GET", "/v1/jobs")).json.map(({ ID }: { ID: string }) => ID)).toContain("new");
      scheduler?.chosen.clear();
      sandbox.faults.add({ system: "scheduler", method: "PUT", path: /jobs/, action: "respond", status: 200, body: "queued" });
      await expect(registerJob({ job: { ...job, ID: "lost" } })).rejects.toMatchObject({
        details: { rule: "not-json", outcomeUnknown: true },
      });
    },
  );
});
