import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { secrets } from "../../../provider";
import { isObject } from "../../../provider/text/json";
import { sandboxOfTest } from "../../sandbox/sandbox";
import { invalidInputs, refusal } from "../../support/refusal";
import { onEachTarget, targets } from "../../support/target";
import { seen, serveAt } from "../http/exchange";

const { getSpecification } = secrets;

/** The configuration of the stack in which the functions run. */
const configure = (config: Record<string, object>): void =>
  setAllConfig(Object.fromEntries(Object.entries(config).map(([key, value]) => [key, JSON.stringify(value)])));
afterAll(() => setAllConfig({}));

const request = { method: "GET", path: "/v1/sys/internal/specs/openapi" };
const named = ({ method, path }: secrets.ApiOperation): string => `${method} ${path}`;

// OpenBao's document changes from request to request: `GET /sys/namespaces` is either its list or its scan.
const stable = targets.filter(({ name }) => name !== "real OpenBao");
const onEachStable: typeof onEachTarget = (what, suite) => onEachTarget(what, suite, stable);

onEachStable("getSpecification", (current) => {
  beforeEach(() => configure(current().config()));

  async function ask(method: string, path: string, body?: object, token = current().token): Promise<Record<string, unknown>> {
    const { address, dialect } = current();
    const header = dialect === "standard" ? "X-Secrets-Token" : "X-Vault-Token";
    const response = await fetch(`${address}/v1/${path}`, { method, headers: { [header]: token }, body: body && JSON.stringify(body) });
    return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
  }
  /** Creates a token that sees only the paths below this one: on a real service, the mounts of other suites come and go. */
  async function seeingOnly(below: string): Promise<string> {
    const policy = `see-${below.replaceAll("/", "-")}`;
    const capabilities = '["create", "read", "update", "delete", "list", "sudo"]';
    await ask("PUT", `sys/policies/acl/${policy}`, { policy: `path "${below}/*" { capabilities = ${capabilities} }` });
    const { auth } = await ask("POST", "auth/token/create", { policies: [policy] });
    return (auth as { client_token: string }).client_token;
  }

  test("returns every operation, filters by path and method, and keeps the original document", async () => {
    const token = await seeingOnly("sys");
    configure(current().config({ token }));
    const sent = await ask("GET", "sys/internal/specs/openapi", undefined, token);
    const all = await getSpecification();
    expect(all.document).toEqual(sent);
    expect(all).toMatchObject({ openapi: expect.stringMatching(/^3\.0\./), info: sent.info });
    const verbs = Object.entries(sent.paths as object).flatMap(([path, item]) =>
      ["get", "post", "put", "patch", "delete"].flatMap((key) => (key in item ? [`${key.toUpperCase()} ${path}`] : [])),
    );
    expect(verbs.length).toBeGreaterThan(10);
    expect(all.operations.map(named).sort()).toEqual(verbs.sort());

    const rekey = await getSpecification({ pathPrefix: "/sys/rekey/" });
    expect(rekey.operations).toEqual(all.operations.filter(({ path }) => path.startsWith("/sys/rekey/")));
    expect(rekey.operations.map(named)).toEqual(expect.arrayContaining(["GET /sys/rekey/init", "DELETE /sys/rekey/init"]));
    expect(rekey.document).toEqual(all.document);
    expect((await getSpecification({ pathPrefix: "sys/rekey/" })).operations).toEqual(rekey.operations);
    expect((await getSpecification({ pathPrefix: "/init" })).operations).toEqual([]);

    const { operations } = await getSpecification({ pathPrefix: "/sys/rekey/init", method: "Delete" });
    expect(operations.map(named)).toEqual(["DELETE /sys/rekey/init"]);
    expect(operations[0]?.summary).toEqual(expect.any(String));
    expect(Object.values(operations[0]?.responses ?? {})).toEqual([expect.objectContaining({ description: expect.any(String) })]);
    expect((await getSpecification({ method: "GET" })).operations).toEqual(all.operations.filter(({ method }) => method === "GET"));
    expect((await getSpecification({ method: "trace" })).operations).toEqual([]);
    const [own] = (await getSpecification({ pathPrefix: "/sys/internal/specs/openapi", method: "get" })).operations;
    expect(own).toMatchObject({ unauthenticated: true, sudo: false });
  });

  test("finds an engine at its mount, with the server's details of each operation", async () => {
    const mount = await current().newMount();
    const { operations } = await getSpecification({ pathPrefix: `/${mount}/` });
    const find = (wanted: string): secrets.ApiOperation | undefined => operations.find((operation) => named(operation) === wanted);
    expect(operations.every(({ path }) => path.startsWith(`/${mount}/`))).toBe(true);
    const role = { path: `/${mount}/role/{name}`, tags: ["secrets"], sudo: false, unauthenticated: false, createSupported: true };
    for (const method of ["GET", "POST", "DELETE"]) expect(find(`${method} ${role.path}`)).toMatchObject({ method, ...role });
    expect(find(`GET /${mount}/config/lease`)).toMatchObject({ createSupported: false });
  });

  test("returns the operations that the token can see, and none without a token", async () => {
    const [mine, other] = [await current().newMount(), await current().newMount()];
    configure(current().config({ token: await seeingOnly(mine) }));
    const paths = (await getSpecification({ pathPrefix: "/test/" })).operations.map(({ path }) => path);
    expect(paths).toContain(`/${mine}/role/{name}`);
    expect(paths.filter((path) => !path.startsWith(`/${mine}/`))).toEqual([]);
    expect((await getSpecification({ pathPrefix: other })).operations).toEqual([]);

    configure(current().config({ token: undefined }));
    expect(await getSpecification()).toMatchObject({ operations: [], document: { paths: {} } });
  });

  test("documents the responses as Vault does", async () => {
    const mount = await current().newMount();
    const real = current().dialect === "hashicorp";
    const responses: Record<string, Record<string, string>> = {
      "DELETE /sys/rekey/init": real ? { 200: "OK" } : { 204: "OK" },
      "DELETE /sys/rekey/verify": { 200: "OK" },
      "DELETE /sys/rekey/backup": { 204: "OK" },
      "DELETE /sys/mounts/{path}": real ? { 200: "OK" } : { 204: "OK" },
      "POST /sys/mounts/{path}": { 204: "OK" },
      "DELETE /sys/policies/acl/{name}": { 204: "OK" },
      "POST /sys/policies/acl/{name}": { 204: "OK" },
      "GET /sys/policies/acl/{name}": { 200: "OK" },
      ...(real && { "POST /sys/leases/revoke": { 204: "OK" }, "POST /sys/leases/lookup": { 200: "OK" } }),
      [`DELETE /${mount}/role/{name}`]: { 204: "empty body" },
      [`DELETE /${mount}/config/lease`]: { 204: "empty body" },
      [`POST /${mount}/config/lease`]: { 200: "OK" },
    };
    const { operations } = await getSpecification();
    const shown = operations.filter((operation) => responses[named(operation)]);
    const described = (operation: secrets.ApiOperation): Record<string, string> =>
      Object.fromEntries(Object.entries(operation.responses).map(([status, { description }]) => [status, description]));
    expect(Object.fromEntries(shown.map((operation) => [named(operation), described(operation)]))).toEqual(responses);
  });

  test("fails for an unknown token", async () => {
    configure(current().config({ token: "canary-token" }));
    const refused = getSpecification();
    await expect(refused).rejects.toThrow(refusal("ERR_FORBIDDEN", { ...request, status: 403 }));
    await expect(refused).rejects.toThrow(/permission denied.* secrets .*"default"/);
  });
});

describe("another server", () => {
  async function respond(body: string): Promise<void> {
    const address = await serveAt((_, response) => response.end(body));
    configure({ "steward:default": { secrets: { address, token: "canary-token", dialect: "standard" } } });
  }
  const info = { title: "Secrets", version: "1" };
  const serveDocument = (paths: unknown): Promise<void> => respond(JSON.stringify({ openapi: "3.0.3", info, paths }));

  test("reads flags on a path and on an operation, in either spelling", async () => {
    await serveDocument({
      "/on-path": { "x-secrets-sudo": true, "x-secrets-unauthenticated": true, "x-secrets-create-supported": true, get: {} },
      "/on-operation": { get: {}, post: { "x-secrets-sudo": true, "x-secrets-unauthenticated": true, "x-secrets-create-supported": true } },
      "/real-path": { "x-vault-sudo": true, "x-vault-unauthenticated": true, "x-vault-createSupported": true, get: {} },
      "/real-operation": { get: {}, post: { "x-vault-sudo": true, "x-vault-unauthenticated": true, "x-vault-createSupported": true } },
      "/nearer": { "x-secrets-sudo": true, get: {}, post: { "x-secrets-sudo": false, "x-secrets-unauthenticated": "yes" } },
    });
    const { operations } = await getSpecification();
    const flags = operations.map((operation) => [
      named(operation),
      ...(["sudo", "unauthenticated", "createSupported"] as const).filter((flag) => operation[flag]),
    ]);
    expect(flags).toEqual([
      ["GET /on-path", "sudo", "unauthenticated", "createSupported"],
      ["GET /on-operation"],
      ["POST /on-operation", "sudo", "unauthenticated", "createSupported"],
      ["GET /real-path", "sudo", "unauthenticated", "createSupported"],
      ["GET /real-operation"],
      ["POST /real-operation", "sudo", "unauthenticated", "createSupported"],
      ["GET /nearer", "sudo"],
      ["POST /nearer"],
    ]);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /v1/sys/internal/specs/openapi"]);
  });

  test("reads only methods as operations, and omits missing details", async () => {
    const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    const get = { summary: "Reads", tags: ["a", "b"], description: "of this", responses: { "200": { description: "fine" } } };
    const item = {
      summary: "a path",
      description: "of everything",
      servers: [{ url: "/" }],
      parameters: [{ name: "id", in: "path" }],
      "x-get": {},
      ...Object.fromEntries(methods.map((method) => [method, method === "get" ? get : { tags: null }])),
    };
    await serveDocument({ "/all": item, "/none": null });
    const { responses, description } = get;
    const { operations, document } = await getSpecification();
    const none = { sudo: false, unauthenticated: false, createSupported: false };
    expect(operations).toEqual(
      methods.map((method) => ({
        path: "/all",
        method: method.toUpperCase(),
        ...(method === "get"
          ? { summary: "Reads", tags: ["a", "b"], description, responses }
          : { tags: [], description: "of everything", responses: {} }),
        ...none,
      })),
    );
    expect(document).toEqual({ openapi: "3.0.3", info, paths: { "/all": item, "/none": null } });
  });

  test("reads a document with null in any place, or rejects it", async () => {
    const operation = { summary: "s", description: "d", tags: ["t"], responses: { 200: { description: "r" } }, "x-secrets-sudo": true };
    const document = { openapi: "3.0.3", info: { ...info, license: { name: "l" } }, paths: { "/a": { description: "d", get: operation } } };
    const places = (value: unknown): string[][] =>
      isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [[key], ...places(inner).map((path) => [key, ...path])]) : [];
    const required = [["openapi"], ["info"], ["info", "title"], ["info", "version"], ["paths"]].map(String);
    for (const place of places(document)) {
      const changed = structuredClone(document);
      const parent = place.slice(0, -1).reduce<Record<string, unknown>>((inner, key) => inner[key] as Record<string, unknown>, changed);
      parent[place.at(-1) as string] = null;
      await respond(JSON.stringify(changed));
      if (required.includes(String(place))) {
        await expect(getSpecification()).rejects.toThrow(refusal("ERR_UNEXPECTED_RESPONSE", request));
        continue;
      }
      for (const { summary = "", description = "", tags, responses, sudo } of (await getSpecification()).operations)
        expect([summary, description, ...tags, ...Object.values(responses).map((each) => each.description), sudo]).not.toContain(null);
    }
  });

  test("reads ten megabytes", async () => {
    const description = "x".repeat(1000);
    const paths = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`/mount-${index}/thing`, { description, get: {} }]));
    await serveDocument(paths);
    const { operations, document } = await getSpecification({ pathPrefix: "/mount-9999/" });
    expect(operations.map(named)).toEqual(["GET /mount-9999/thing"]);
    expect(JSON.stringify(document).length).toBeGreaterThan(10_000_000);
  });

  test("rejects a response that is not an OpenAPI document", async () => {
    for (const answer of [{}, [], null, { openapi: "3.0.3", info }, { info, paths: {} }, { openapi: "3.0.3", info, paths: [] }]) {
      await respond(JSON.stringify(answer));
      await expect(getSpecification()).rejects.toThrow(refusal("ERR_UNEXPECTED_RESPONSE", request));
    }
  });

  test("rejects an invalid option by name and sends nothing", async () => {
    await serveDocument({});
    const cases: [object, string][] = [
      [{ prefix: "/sys" }, "unrecognized-keys"],
      [{ pathPrefix: 1 }, "pathPrefix: invalid-type"],
      [{ method: "" }, "method: method"],
      [{ method: "FETCH" }, "method: method"],
    ];
    for (const [options, problem] of cases) await expect(getSpecification(options)).rejects.toThrow(invalidInputs(problem));
    await expect(getSpecification({ method: "FETCH" })).rejects.toThrow("GET, PUT, POST, DELETE, OPTIONS, HEAD, PATCH, TRACE");
    expect(seen).toEqual([]);
  });
});

const begin = sandboxOfTest();
test("finds the requests of a rekey in OpenBao, which demand a token", async () => {
  const { REAL_OPENBAO_ADDRESS: real, REAL_OPENBAO_TOKEN = "" } = process.env;
  const { url, token } = real ? { url: real, token: REAL_OPENBAO_TOKEN } : (await begin({ dialect: "openbao" })).secrets;
  configure({ "steward:default": { secrets: { address: url, token, dialect: "openbao" } } });
  const { info, operations } = await getSpecification({ pathPrefix: "/sys/rotate/root/" });
  expect(info.title).toBe("OpenBao API");
  const ends = ["init", "update", "verify", "backup"];
  expect([...new Set(operations.map(({ path }) => path))].sort()).toEqual(ends.map((end) => `/sys/rotate/root/${end}`).sort());
  expect(operations.map(named)).toEqual(expect.arrayContaining(["GET /sys/rotate/root/init", "POST /sys/rotate/root/update"]));
  expect(operations.every(({ unauthenticated }) => !unauthenticated)).toBe(true);
});
