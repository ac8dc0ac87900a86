import { onEachDialect } from "../sandbox";

onEachDialect("modules of the private registry", ({ sandbox, to: { platform } }) => {
  const module = "acme/network/aws";
  const at = (version: string, organization = "acme"): string =>
    `/api/v2/organizations/${organization}/registry-modules/private/${module}/${version}`;
  // The clients' `data.type` is optional.
  const send = (path: string, deprecation: unknown, token?: string) =>
    platform("PATCH", path, { data: { attributes: { deprecation } } }, token);
  const deprecate = (version: string, reason: string, link?: string | null) =>
    send(at(version), { "deprecated-status": "Deprecated", reason, link });
  const revert = (version: string) => send(at(version), { "deprecated-status": "Undeprecated" });
  const read = (path: string) => platform("GET", `/api/registry/v1/modules/${path}`);
  const deprecationOf = async (version: string) => (await read(`${module}/${version}`)).json.deprecation;
  const deprecations = async (): Promise<Record<string, unknown>> => {
    const { versions } = (await read(`${module}/versions`)).json.modules[0];
    return Object.fromEntries(versions.map((each: { version: string; deprecation: unknown }) => [each.version, each.deprecation]));
  };
  const none = { "1.0.0": null, "1.0.0+build.5": null, "1.1.0": null, "2.0.0-rc.1": null, "2.0.0": null };

  test("reads return one version or all versions as plain JSON", async () => {
    const one = await read(`${module}/1.0.0`);
    expect([one.status, one.headers.get("content-type")]).toEqual([200, "application/json"]);
    const names = { namespace: "acme", name: "network", version: "1.0.0", provider: "aws" };
    const description = "Networks as acme builds them.";
    expect(one.json).toEqual({ id: "acme/network/aws/1.0.0", owner: "admin", ...names, description, deprecation: null });
    const all = await read(`${module}/versions`);
    expect([all.status, all.headers.get("content-type")]).toEqual([200, "application/json"]);
    const root = { dependencies: [], providers: [{ name: "aws", version: "" }] };
    expect(all.json.modules).toMatchObject([{ source: module, versions: { length: 5 } }]);
    expect(all.json.modules[0].versions[0]).toEqual({ version: "1.0.0", submodules: [], root, deprecation: null });
    expect(await deprecations()).toEqual(none);
    expect(Object.keys(await deprecations())).toEqual(Object.keys(none));
  });

  test.each([`${module}/9.9.9`, "acme/network/gcp/1.0.0", "acme/nothing/aws/versions", "globex/network/aws/versions"])(
    "%s is not found",
    async (path) => {
      const { status, json, headers } = await read(path);
      expect([status, json, headers.get("content-type")]).toEqual([404, { errors: ["not found"] }, "application/json"]);
    },
  );

  test("a deprecation appears in its response and in the registry", async () => {
    const link = "https://example.com/why";
    const { status, json } = await deprecate("1.0.0", "Use 1.1.", link);
    const deprecation = { id: json.included[0].id, type: "deprecations" };
    expect([status, json]).toEqual([
      200,
      {
        data: { type: "module-versions", id: json.data.id, relationships: { deprecation: { data: deprecation } } },
        included: [{ ...deprecation, attributes: { link, reason: "Use 1.1." } }],
      },
    ]);
    expect(await deprecationOf("1.0.0")).toEqual({ reason: "Use 1.1.", link });
    expect(await deprecations()).toEqual({ ...none, "1.0.0": { reason: "Use 1.1.", link } });
  });

  test("another deprecation replaces reason and link, and a revert requires no deprecation", async () => {
    const first = (await deprecate("1.1.0", "A", "https://a")).json;
    for (const link of [undefined, null, ""]) {
      const { data, included } = (await deprecate("1.1.0", "B", link)).json;
      expect([data, included[0].attributes]).toEqual([first.data, { link: null, reason: "B" }]);
    }
    for (const _ of [1, 2]) {
      const { status, json } = await revert("1.1.0");
      expect([status, json]).toEqual([200, { data: { type: "module-versions", id: first.data.id } }]);
    }
    expect(await deprecationOf("1.1.0")).toBeNull();
    // The plus sign may also be sent without encoding.
    expect((await deprecate("1.0.0+build.5", "A")).status).toBe(200);
    expect((await read(`${module}/1.0.0+build.5`)).json).toMatchObject({ version: "1.0.0+build.5", deprecation: { reason: "A" } });
  });

  test("an unknown version or organization, and one of another owner, are not found", async () => {
    const body = { "deprecated-status": "Deprecated", reason: "A" };
    const { memberToken } = sandbox().platform;
    const ofOther = at("1.0.0");
    for (const path of [at("9.9.9"), at("1.0.0", "globex"), at("1.0.0", "nobody"), ofOther.replace("network", "nothing"), ofOther])
      expect(await send(path, body, path === ofOther ? memberToken : undefined)).toMatchObject({
        status: 404,
        json: { errors: [{ title: "not found" }] },
      });
    const theirs = "/api/v2/organizations/globex/registry-modules/private/globex/website/google/0.1.0";
    expect((await send(theirs, body, memberToken)).status).toBe(200);
    expect(await deprecationOf("1.0.0")).toBeNull();
  });

  test("a malformed deprecation is rejected and changes nothing", async () => {
    await deprecate("2.0.0", "Before");
    const deprecated = { "deprecated-status": "Deprecated", reason: "A" };
    const noReason = [undefined, "", 5].map((reason) => ({ ...deprecated, reason }));
    const noStatus = [undefined, "deprecated"].map((status) => ({ ...deprecated, "deprecated-status": status }));
    for (const deprecation of [undefined, "Deprecated", ...noStatus, ...noReason, { ...deprecated, link: 5 }])
      expect(await send(at("2.0.0"), deprecation)).toMatchObject({ status: 422, json: { errors: [{ status: "422" }] } });
    expect(await deprecationOf("2.0.0")).toEqual({ reason: "Before", link: null });
  });

  test("seeding a module again removes versions and keeps the deprecations of the others", async () => {
    for (const version of ["1.0.0", "1.1.0"]) await deprecate(version, "Old.");
    sandbox().platform.seed({ modules: [{ namespace: "acme", name: "network", provider: "aws", versions: ["1.1.0", "3.0.0"] }] });
    expect(await deprecations()).toEqual({ "1.1.0": { reason: "Old.", link: null }, "3.0.0": null });
    expect((await revert("1.0.0")).status).toBe(404);
    expect((await read(`${module}/3.0.0`)).json.description).toBe("");
  });
});
