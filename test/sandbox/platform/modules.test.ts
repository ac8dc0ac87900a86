import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

describe.each(["standard", "hashicorp"] as const)("modules of the private registry, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const registry = "/api/registry/v1/modules";
  const module = "acme/network/aws";
  const at = (version: string, organization = "acme"): string =>
    `/api/v2/organizations/${organization}/registry-modules/private/${module}/${version}`;
  // The clients' `data.type` is optional.
  const send = (path: string, deprecation: unknown, token?: string) =>
    call(sandbox().platform, "PATCH", path, { data: { attributes: { deprecation } } }, token);
  const deprecate = (version: string, reason: string, link?: string | null) =>
    send(at(version), { "deprecated-status": "Deprecated", reason, link });
  const read = (path: string) => call(sandbox().platform, "GET", `${registry}/${path}`);
  const deprecations = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await read(`${module}/versions`)).json.modules[0].versions.map((each: { version: string; deprecation: unknown }) => [
        each.version,
        each.deprecation,
      ]),
    );

  test("reads return one version or all versions as plain JSON", async () => {
    const one = await read(`${module}/1.0.0`);
    expect([one.status, one.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(one.json).toEqual({
      id: "acme/network/aws/1.0.0",
      owner: "admin",
      namespace: "acme",
      name: "network",
      version: "1.0.0",
      provider: "aws",
      description: "Networks as acme builds them.",
      deprecation: null,
    });
    const all = await read(`${module}/versions`);
    expect([all.status, all.headers.get("content-type"), all.json.modules.length, all.json.modules[0].source]).toEqual([
      200,
      "application/json",
      1,
      module,
    ]);
    expect(all.json.modules[0].versions[0]).toEqual({
      version: "1.0.0",
      submodules: [],
      root: { dependencies: [], providers: [{ name: "aws", version: "" }] },
      deprecation: null,
    });
    expect(Object.keys(await deprecations())).toEqual(["1.0.0", "1.0.0+build.5", "1.1.0", "2.0.0-rc.1", "2.0.0"]);
  });

  test("an unknown module or version is not found", async () => {
    for (const path of [`${module}/9.9.9`, "acme/network/gcp/1.0.0", "acme/nothing/aws/versions", "globex/network/aws/versions"]) {
      const answer = await read(path);
      expect([answer.status, answer.json, answer.headers.get("content-type")]).toEqual([
        404,
        { errors: ["not found"] },
        "application/json",
      ]);
    }
  });

  test("a deprecation appears in its response and in the registry", async () => {
    const attributes = { deprecation: { "deprecated-status": "Deprecated", reason: "Use 1.1.", link: "https://example.com/why" } };
    const { status, json } = await call(sandbox().platform, "PATCH", at("1.0.0"), { data: { type: "module-versions", attributes } });
    expect(status).toBe(200);
    const { id } = json.data;
    const deprecation = { id: json.included[0].id, type: "deprecations" };
    expect(json).toEqual({
      data: { type: "module-versions", id, relationships: { deprecation: { data: deprecation } } },
      included: [{ ...deprecation, attributes: { link: "https://example.com/why", reason: "Use 1.1." } }],
    });
    const shown = { reason: "Use 1.1.", link: "https://example.com/why" };
    expect((await read(`${module}/1.0.0`)).json.deprecation).toEqual(shown);
    expect(await deprecations()).toEqual({ "1.0.0": shown, "1.0.0+build.5": null, "1.1.0": null, "2.0.0-rc.1": null, "2.0.0": null });
  });

  test("another deprecation replaces reason and link, and a revert requires no deprecation", async () => {
    const first = (await deprecate("1.1.0", "A", "https://a")).json;
    const second = (await deprecate("1.1.0", "B")).json;
    expect([second.data, second.included[0].attributes]).toEqual([first.data, { link: null, reason: "B" }]);
    for (const link of [null, ""]) expect((await deprecate("1.1.0", "B", link)).json.included[0].attributes.link).toBeNull();
    for (const _ of [1, 2]) {
      const reverted = await send(at("1.1.0"), { "deprecated-status": "Undeprecated" });
      expect([reverted.status, reverted.json]).toEqual([200, { data: { type: "module-versions", id: first.data.id } }]);
    }
    expect((await read(`${module}/1.1.0`)).json.deprecation).toBeNull();
  });

  test("a suffix of reasons applies to later deprecations", async () => {
    await deprecate("1.0.0", "Old.");
    sandbox().platform.appendToReasons(" Applies will be blocked.");
    expect((await deprecate("1.1.0", "Older.")).json.included[0].attributes.reason).toBe("Older. Applies will be blocked.");
    expect(await deprecations()).toMatchObject({ "1.0.0": { reason: "Old." }, "1.1.0": { reason: "Older. Applies will be blocked." } });
  });

  test("a version may contain a hyphen and an encoded or plain plus sign", async () => {
    expect((await deprecate("1.0.0%2Bbuild.5", "A")).status).toBe(200);
    expect((await deprecate("2.0.0-rc.1", "B")).status).toBe(200);
    expect(await deprecations()).toMatchObject({ "1.0.0": null, "1.0.0+build.5": { reason: "A" }, "2.0.0-rc.1": { reason: "B" } });
    expect((await send(at("1.0.0+build.5"), { "deprecated-status": "Undeprecated" })).status).toBe(200);
    for (const version of ["1.0.0+build.5", "1.0.0%2Bbuild.5"])
      expect((await read(`${module}/${version}`)).json).toMatchObject({ version: "1.0.0+build.5", deprecation: null });
  });

  test("an unknown version or organization, and one of another owner, are not found", async () => {
    const body = { "deprecated-status": "Deprecated", reason: "A" };
    const { memberToken } = sandbox().platform;
    const own = "/api/v2/organizations/globex/registry-modules/private/globex/website/google/0.1.0";
    for (const [path, token] of [
      [at("9.9.9"), undefined],
      [at("1.0.0", "globex"), undefined],
      [at("1.0.0", "nobody"), undefined],
      [at("1.0.0").replace("network", "nothing"), undefined],
      [at("1.0.0"), memberToken],
    ] as const)
      expect(await send(path, body, token)).toMatchObject({ status: 404, json: { errors: [{ title: "not found" }] } });
    expect((await send(own, body, memberToken)).status).toBe(200);
    expect((await deprecations())["1.0.0"]).toBeNull();
  });

  test.each([
    ["a missing deprecation", undefined],
    ["a string", "Deprecated"],
    ["no status", { reason: "A" }],
    ["an unknown status", { "deprecated-status": "deprecated", reason: "A" }],
    ["no reason", { "deprecated-status": "Deprecated", link: "https://a" }],
    ["an empty reason", { "deprecated-status": "Deprecated", reason: "" }],
    ["an invalid reason", { "deprecated-status": "Deprecated", reason: 5 }],
    ["an invalid link", { "deprecated-status": "Deprecated", reason: "A", link: 5 }],
  ])("%s is rejected as malformed and changes nothing", async (_, deprecation) => {
    await deprecate("2.0.0", "Before");
    expect(await send(at("2.0.0"), deprecation)).toMatchObject({ status: 422, json: { errors: [{ status: "422" }] } });
    expect((await read(`${module}/2.0.0`)).json.deprecation).toEqual({ reason: "Before", link: null });
  });

  test("seeding a module again removes versions and keeps the deprecations of the others", async () => {
    await deprecate("1.0.0", "Old.");
    await deprecate("1.1.0", "Old.");
    sandbox().platform.seed({ modules: [{ namespace: "acme", name: "network", provider: "aws", versions: ["1.1.0", "3.0.0"] }] });
    expect(await deprecations()).toEqual({ "1.1.0": { reason: "Old.", link: null }, "3.0.0": null });
    expect((await send(at("1.0.0"), { "deprecated-status": "Undeprecated" })).status).toBe(404);
    expect((await read(`${module}/3.0.0`)).json.description).toBe("");
  });
});
