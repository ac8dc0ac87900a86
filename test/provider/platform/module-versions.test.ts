import { text } from "node:stream/consumers";
import { platform } from "../../../provider";
import { moduleVersionDeprecation } from "../../../provider/platform/module-version-deprecation";
import { Engine } from "../../support/engine";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { invalidInputs, refusal } from "../../support/refusal";
import { serveAt } from "../http/exchange";

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
const inputs = { ...version, reason: "Use 2.0.0.", link: "https://wiki.example.com/2" };
/** The requests of a deprecation of this version. */
const read = "GET /api/registry/v1/modules/acme/network/aws/versions";
const path = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
const write = `PATCH ${path}`;

onEachPlatform("the deprecation of a module version", (current) => {
  /** The deprecation that the registry shows. */
  const shown = async (of = "1.0.0"): Promise<unknown> => {
    const { body } = await current().outOfBand("GET", `/api/registry/v1/modules/acme/network/aws/${encodeURIComponent(of)}`);
    return (body as unknown as { deprecation: unknown }).deprecation;
  };
  const created = async (): Promise<Engine> => {
    const deprecation = current().engine("ModuleVersionDeprecation");
    await deprecation.up(inputs);
    return deprecation;
  };
  /** A write outside Pulumi. */
  const deprecate = async (deprecation: object): Promise<void> => {
    const { status } = await current().outOfBand("PATCH", path, { data: { type: "module-versions", attributes: { deprecation } } });
    expect(status).toBe(200);
  };

  test("an omitted link is cleared, and up with --refresh deprecates a version again if the deprecation is replaced", async () => {
    const deprecation = await created();
    expect(await shown()).toEqual({ reason: inputs.reason, link: inputs.link });
    const silent = { ...version, reason: inputs.reason };
    await deprecation.up(silent);
    expect(await shown()).toEqual({ reason: inputs.reason, link: null });
    expect(deprecation.outputs().link).toBeUndefined();
    expect(await deprecation.refresh()).toEqual([]);
    await deprecation.replace(silent, { refresh: true });
    expect(await shown()).toEqual({ reason: inputs.reason, link: null });
    await deprecate({ "deprecated-status": "Deprecated", reason: inputs.reason, link: inputs.link });
    await deprecation.refresh();
    expect(deprecation.outputs().link).toBe(inputs.link);
  });

  test("a suffix that the platform appends is in the published reason and is no drift", async () => {
    const { service } = current();
    service.appendToReasons(" Contact the platform team.");
    const deprecation = await created();
    expect(deprecation.outputs()).toMatchObject({ reason: "Use 2.0.0.", publishedReason: "Use 2.0.0. Contact the platform team." });
    expect(await deprecation.refresh()).toEqual([]);
    expect(await deprecation.up(inputs)).toBe("same");
    // A shorter reason is different, although the published one begins with it.
    expect(await deprecation.up({ ...inputs, reason: "Use 2" })).toBe("update");
    expect(deprecation.outputs().publishedReason).toBe("Use 2 Contact the platform team.");
  });

  test("adoption of a different deprecation fails, or prints the changes", async () => {
    const { engine, requests } = current();
    await deprecate({ "deprecated-status": "Deprecated", reason: "Theirs." });
    const deprecation = engine("ModuleVersionDeprecation");
    const changes = ['reason: "Theirs." -> "Use 2.0.0."', 'link: nothing -> "https://wiki.example.com/2"'];
    const failure = { code: "ERR_ALREADY_EXISTS", message: expect.stringContaining(changes.join("; ")) };
    const unchanged = await requests(() => expect(deprecation.up({ ...inputs, adopt: "unchanged" })).rejects.toMatchObject(failure));
    expect(unchanged).toEqual([read]);
    expect(printed).toEqual([]);
    expect(await requests(() => deprecation.up({ ...inputs, adopt: true }))).toEqual([read, write]);
    expect(printed).toEqual(changes.map((change) => expect.stringContaining(change)));
    expect(await deprecation.up(inputs)).toBe("same");
  });

  test.each([
    ["another reason", inputs, { reason: "Theirs.", link: inputs.link }],
    ["a reason that begins with the declared one", inputs, { reason: "Use 2.0.0. Or else.", link: inputs.link }],
    ["another link", inputs, { reason: inputs.reason, link: "https://other.example.com" }],
    ["no link", inputs, { reason: inputs.reason }],
    ["a link that the program does not declare", { ...inputs, link: undefined }, { reason: inputs.reason, link: inputs.link }],
  ])("a deprecation outside Pulumi with %s is not adopted silently", async (_, declared, theirs) => {
    const { engine, requests } = current();
    await deprecate({ "deprecated-status": "Deprecated", ...theirs });
    const deprecation = engine("ModuleVersionDeprecation");
    expect(await requests(() => expect(deprecation.up(declared)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS")))).toEqual([read]);
    expect(deprecation.state).toBeUndefined();
    expect(await shown()).toMatchObject(theirs);
  });

  test("a suffix of a reason that was never sent is drift, and no longer once the reason is sent", async () => {
    const { engine, service, requests } = current();
    await deprecate({ "deprecated-status": "Deprecated", reason: inputs.reason, link: inputs.link });
    const deprecation = engine("ModuleVersionDeprecation");
    expect(await requests(() => deprecation.up(inputs))).toEqual([read]);
    expect(await deprecation.refresh()).toEqual([]);
    await deprecate({ "deprecated-status": "Deprecated", reason: `${inputs.reason} Or else.`, link: inputs.link });
    expect(await deprecation.refresh()).toEqual(["reason"]);
    service.appendToReasons(" Contact the platform team.");
    expect(await requests(() => deprecation.up(inputs))).toEqual([write]);
    expect(await deprecation.refresh()).toEqual([]);
    service.appendToReasons(" Contact us.");
    await deprecate({ "deprecated-status": "Deprecated", reason: inputs.reason, link: inputs.link });
    expect(await deprecation.refresh()).toEqual([]);
  });

  test.each(["2.0.0-rc.1", "1.0.0+build.5"])("%s: a version with special characters is encoded in the path", async (moduleVersion) => {
    const { engine, requests } = current();
    const deprecation = engine("ModuleVersionDeprecation");
    const sent = await requests(() => deprecation.up({ ...inputs, moduleVersion }));
    expect(sent[1]).toBe(write.replace("1.0.0", moduleVersion.replace("+", "%2B")));
    expect(await shown(moduleVersion)).toMatchObject({ reason: "Use 2.0.0." });
    expect(await shown("1.0.0")).toBeNull();
    expect(await deprecation.refresh()).toEqual([]);
    await deprecation.destroy();
    expect(await shown(moduleVersion)).toBeNull();
  });

  test("refresh and destroy treat a removed version or module as deleted", async () => {
    const { engine, service, requests } = current();
    const seed = (...versions: string[]): void =>
      service.seed({ modules: [{ namespace: "acme", name: "gone", provider: "aws", versions }] });
    seed("1.0.0", "1.1.0");
    const [a, b] = [engine("ModuleVersionDeprecation"), engine("ModuleVersionDeprecation")];
    const gone = { ...inputs, moduleName: "gone" };
    await a.up(gone);
    await b.up({ ...gone, moduleVersion: "1.1.0" });
    seed("1.1.0");
    expect(await requests(() => a.destroy())).toEqual([read, write].map((request) => request.replace("network", "gone")));
    seed();
    expect(await b.refresh()).toBe("gone");
    const missing = engine("ModuleVersionDeprecation").up({ ...inputs, moduleVersion: "9.9.9" });
    await expect(missing).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "version-missing" }));
  });

  test("a registry that the token may not read does not count as a missing module", async () => {
    const { sandbox, service, config, fault } = current();
    const deprecation = await created();
    deprecation.configure(config({ token: service.memberToken }));
    fault(/network/, { status: 404, body: { errors: ["not found"] }, times: 9 });
    for (const operation of [() => deprecation.refresh(), () => deprecation.destroy()])
      await expect(operation()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "module-not-shown" }));
    sandbox.faults.clear();
    expect(await shown()).not.toBeNull();
  });

  test("a site administrator outside the organization does not prove that a module is missing", async () => {
    const { service, dialect } = current();
    if (dialect === "standard") return;
    const deprecation = await created();
    service.seed({ organizations: [{ name: "acme", owners: ["member"] }] });
    for (const operation of [() => deprecation.refresh(), () => deprecation.destroy()])
      await expect(operation()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "module-not-shown" }));
    service.seed({ organizations: [{ name: "acme" }] });
    expect(await shown()).not.toBeNull();
  });

  test("an empty list of modules is an answer only where no document shows another", async () => {
    const { requests, fault, dialect } = current();
    const deprecation = await created();
    fault(/versions/, { method: "GET", status: 200, body: { modules: [] }, times: 9 });
    if (dialect === "standard") expect(await deprecation.refresh()).toBe("gone");
    else {
      const invalid = refusal("ERR_UNEXPECTED_RESPONSE", { method: "GET" });
      expect(await requests(() => expect(deprecation.refresh()).rejects.toThrow(invalid))).toEqual([read]);
    }
  });

  test.each([
    { modules: [null] },
    { modules: [{ source: "acme/network/aws" }] },
    { modules: [{ versions: null }] },
    { modules: [{ versions: [{ version: "1.0.0" }] }, {}] },
  ])("a registry that responds with %j does not count as one without the version", async (body) => {
    const { requests, fault } = current();
    const deprecation = await created();
    fault(/versions/, { method: "GET", status: 200, body, times: 9 });
    const sent = await requests(() => expect(deprecation.refresh()).rejects.toThrow(refusal("ERR_UNEXPECTED_RESPONSE", { method: "GET" })));
    expect(sent).toEqual([read]);
    expect(deprecation.state).toBeDefined();
  });

  test("values that the platform normalized are no drift until they change outside Pulumi", async () => {
    const { engine, requests, fault } = current();
    const registry = (deprecation: object): void =>
      fault(/versions/, { method: "GET", status: 200, body: { modules: [{ versions: [{ version: "1.0.0", deprecation }] }] } });
    const kept = { reason: "USE 2.0.0.", link: "https://wiki.example.com/2/" };
    const deprecation = engine("ModuleVersionDeprecation");
    registry({ reason: "Theirs.", link: null });
    const included = [null, { id: "2", type: "deprecations", attributes: kept }];
    fault(/private/, { method: "PATCH", status: 200, body: { data: { id: "1", type: "module-versions" }, included } });
    await deprecation.up({ ...inputs, adopt: true });
    expect(deprecation.outputs()).toMatchObject({ reason: inputs.reason, publishedReason: kept.reason, link: inputs.link });
    registry(kept);
    expect(await deprecation.refresh()).toEqual([]);
    expect(await requests(() => deprecation.up({ ...inputs, adopt: true }))).toEqual([]);
    registry({ reason: "Theirs.", link: "https://theirs.example.com" });
    expect(await deprecation.refresh()).toEqual(["link", "reason"]);
  });

  test("a 404 of an existing version is reported as a missing permission", async () => {
    const { fault } = current();
    const deprecation = await created();
    fault(/private/, { method: "PATCH", status: 404, body: { errors: [] } });
    await expect(deprecation.destroy()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "not-manager", method: "PATCH" }));
    expect(deprecation.state).toBeDefined();
    // Another client has reinstated it.
    fault(/private/, { method: "PATCH", status: 404, body: { errors: [] } });
    fault(/versions/, { method: "GET", status: 200, body: { modules: [{ versions: [{ version: "1.0.0" }] }] } });
    await deprecation.destroy();
    expect(deprecation.state).toBeUndefined();
  });
});

onEachPlatform("the functions for module versions", (current) => {
  beforeEach(() => current().configureProgram());

  test("return one version, all versions, and their deprecations", async () => {
    await current().engine("ModuleVersionDeprecation").up(inputs);
    const module = { organizationName: "acme", moduleName: "network", moduleProvider: "aws" };
    expect(await platform.getModuleVersion({ ...module, moduleVersion: "1.0.0" })).toMatchObject({
      ...module,
      moduleVersion: "1.0.0",
      deprecation: { reason: "Use 2.0.0.", link: "https://wiki.example.com/2" },
    });
    expect((await platform.getModuleVersion({ ...module, moduleVersion: "1.0.0+build.5" })).deprecation).toBeUndefined();
    const all = await platform.listModuleVersions(module);
    for (const each of all) expect(each).toMatchObject({ ...module, source: "acme/network/aws" });
    expect(all.map(({ moduleVersion }) => moduleVersion).sort()).toEqual(["1.0.0", "1.0.0+build.5", "1.1.0", "2.0.0", "2.0.0-rc.1"]);
    expect(all.filter(({ deprecation }) => deprecation).map(({ moduleVersion }) => moduleVersion)).toEqual(["1.0.0"]);
    await expect(platform.listModuleVersions({ ...module, moduleName: "none" })).rejects.toThrow(
      refusal("ERR_NOT_FOUND", { rule: "module-missing", status: 404 }),
    );
    await expect(platform.getModuleVersion({ ...module, moduleVersion: "0" })).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
    await expect(platform.getModuleVersion({ ...module, moduleVersion: "0", version: "1" } as never)).rejects.toThrow(
      invalidInputs("unrecognized-keys"),
    );
  });
});

test("the published link, which may be a secret, is a secret output", () =>
  expect(moduleVersionDeprecation.fields.publishedLink.secretOutput).toBe(true));

test("a link is cleared although the outcome of its write is unknown and nothing has read it", async () => {
  const links: unknown[] = [];
  let silent = false;
  const address = await serveAt(async (request, response) => {
    if (silent) return request.socket.destroy();
    if (request.method === "GET")
      return void response.end(JSON.stringify({ modules: [{ versions: [{ version: inputs.moduleVersion }] }] }));
    links.push(JSON.parse(await text(request)).data.attributes.deprecation.link);
    // Neither the response nor the registry shows if it was applied.
    silent = links.length === 1;
    if (silent) request.socket.destroy();
    else response.end("{}");
  });
  const deprecation = new Engine("platform:ModuleVersionDeprecation", {
    "steward:default": { platform: { address, dialect: "standard" } },
  });
  await expect(deprecation.up(inputs)).rejects.toMatchObject({ method: "PATCH" });
  silent = false;
  await deprecation.up({ ...version, reason: inputs.reason });
  expect(links).toEqual([inputs.link, ""]);
});
