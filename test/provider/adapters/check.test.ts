import { certificate, privateKey, sha1Certificate } from "../../support/certificates";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { engine, sent } from "./two-sandboxes";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("check", () => {
  test.each([
    [
      "SchedulerRole",
      { name: "", policies: ["ok", "a,b", "c d", ""], type: "admin", global: "yes", color: 1 },
      [
        "policies[1]: must be the name of one policy, without commas or blanks",
        "policies[2]: must be the name of one policy, without commas or blanks",
        "policies[3]: must be the name of one policy, without commas or blanks",
        "global: must be true or false",
        'type: must be "client" or "management"',
        '"color" is not known here; known are name, policies, global, type, mount, adopt, connection',
        'name: must be letters, digits, _, - and ., without "..", and begin and end with a letter, a digit or _',
      ],
    ],
    ["SchedulerRole", { policies: "read" }, ["name: is missing; must be the role's name", "policies: must be a list of policy names"]],
    [
      "SchedulerRole",
      { name: "a", type: "management", policies: ["x"] },
      ["policies: a management role has no policies: its tokens may do everything"],
    ],
    [
      "SchedulerRole",
      { name: "a", policies: ["x"], mount: "a//b", connection: 1 },
      ["mount: must be a path such as team/scheduler, without empty parts", "connection: must be the name of a connection"],
    ],
    [
      "SchedulerLease",
      { ttl: "soon", maxTtl: -1 },
      [
        'ttl: must be whole seconds, at least 0: "30s", "1h30m", "1d" or a number',
        'maxTtl: must be whole seconds, at least 0: "30s", "1h30m", "1d" or a number',
      ],
    ],
    ["SchedulerLease", {}, ["at least one of ttl and maxTtl is needed"]],
    [
      "SchedulerAccess",
      { address: "host:4646", token: "", maxTokenNameLength: -1, clientCert: certificate, caCert: "/etc/ca.pem" },
      [
        "address: must be a URL such as https://host:4646",
        "token: must not be empty: the first write without a token would bootstrap the scheduler's access control",
        "maxTokenNameLength: must not be negative",
        "caCert: must be a certificate in PEM form, not a path",
        "clientKey: is needed with clientCert",
      ],
    ],
    [
      "SchedulerAccess",
      {},
      [
        "token: is missing; the first write without a token makes Vault bootstrap the scheduler's ACLs and keep the only management token, which cannot be undone",
      ],
    ],
    ["SchedulerAccess", { address: "http://h:1", token: "t", clientKey: privateKey }, ["clientCert: is needed with clientKey"]],
    [
      "SchedulerRoles",
      { roles: { web: { policies: ["ok", "a b"], kind: 1 }, "x/y": { policies: ["ok"] } } },
      [
        "roles.web.policies[1]: must be the name of one policy, without commas or blanks",
        'roles.web: "kind" is not known here; known are policies, global, type',
      ],
    ],
    [
      "SchedulerRoles",
      { roles: { "x/y": { policies: ["ok"] }, none: {} } },
      [
        "roles.none.policies: a client role needs at least one policy",
        'roles.x/y: must be letters, digits, _, - and ., without "..", and begin and end with a letter, a digit or _',
      ],
    ],
    ["SchedulerRoles", { roles: ["web"] }, ["roles: must be an object of roles by name"]],
  ])("%s %#: reports all problems at once and sends nothing", async (type, inputs, reasons) => {
    expect(await engine(type).problems(inputs)).toEqual(reasons);
    expect(sent()).toEqual([]);
  });

  test("prints no input value", async () => {
    const canary = "canary-value";
    const inputs = {
      address: canary,
      token: { [canary]: 1 },
      clientKey: canary,
      maxTokenNameLength: canary,
      caCert: canary,
      adopt: canary,
    };
    const problems = await engine("SchedulerAccess").problems(inputs);
    expect(problems.length).toBeGreaterThanOrEqual(6);
    expect(problems.join()).not.toContain(canary);
  });

  test("rejects an address with credentials and does not print them", async () => {
    const canary = "canary-password";
    const credentials = "must not hold a user or a password, which the state would keep in clear text";
    const rest = { token: "t" };
    for (const address of [`https://user:${canary}@h:4646`, `https://${canary}@h:4646`, `http://:${canary}@h`])
      expect(await engine("SchedulerAccess").problems({ ...rest, address })).toEqual([`address: ${credentials}`]);
    for (const address of [`https://h:4646?token=${canary}`, `https://h:4646/#${canary}`])
      expect(await engine("SchedulerAccess").problems({ ...rest, address })).toEqual(["address: must not hold a query or a fragment"]);
    expect(await engine("SchedulerAccess").problems({ ...rest, address: "https://h:4646/base" })).toEqual([]);
  });

  test("accepts values that a preview does not know yet", async () => {
    expect(await engine("SchedulerRole").problems({ name: unknown, policies: [unknown, "ok"], type: unknown, global: unknown })).toEqual(
      [],
    );
    expect(await engine("SchedulerRole").problems({ name: "web", policies: unknown, type: "management", mount: unknown })).toEqual([]);
    expect(await engine("SchedulerRole").problems({ name: "web", policies: [unknown, "a b"] })).toHaveLength(1);
    expect(await engine("SchedulerLease").problems({ ttl: unknown })).toEqual([]);
    expect(
      await engine("SchedulerAccess").problems({ address: unknown, token: unknown, clientCert: certificate, clientKey: unknown }),
    ).toEqual([]);
    expect(await engine("SchedulerRoles").problems({ roles: unknown, exclusive: unknown })).toEqual([]);
    expect(
      await engine("RekeyAttempt").problems({
        secretShares: 2,
        secretThreshold: 2,
        shareReferences: unknown,
        shareFindings: unknown,
        pgpKeys: unknown,
      }),
    ).toEqual([]);
    expect(await engine("SchedulerRoles").problems({ roles: { web: unknown, site: { policies: unknown } }, connection: unknown })).toEqual(
      [],
    );
    const { operation, inputs } = await engine("SchedulerLease").preview({ ttl: unknown, maxTtl: "1h" });
    expect([operation, inputs]).toEqual(["create", expect.objectContaining({ ttl: unknown, maxTtl: 3600, mount: "nomad" })]);
  });

  test("rejects plain HTTP to another host for shares", async () => {
    const rekey = { secretShares: 1, secretThreshold: 1, shareReferences: [], shareFindings: [], keepSharesInState: true };
    const problemsAt = (address: string, more: object = {}): Promise<string[]> =>
      engine("RekeyAttempt", { "steward:default": { secrets: { address } } }).problems({ ...rekey, ...more });
    expect(await problemsAt("http://vault.example.com:8200")).toEqual([expect.stringContaining("in clear text")]);
    expect(await problemsAt("http://vault.example.com:8200", { allowHttp: true })).toEqual([]);
    expect(await problemsAt("https://vault.example.com:8200")).toEqual([]);
    expect(await problemsAt("http://127.0.0.1:8200")).toEqual([]);
  });

  test("warns about inputs that the server will reject later", async () => {
    const inputs = { address: "http://h:1", token: "t", caCert: sha1Certificate, clientKey: privateKey };
    expect(await engine("SchedulerAccess").problems({ ...inputs, clientCert: "-----BEGIN CERTIFICATE-----\nx\n" })).toEqual([]);
    expect(await engine("SchedulerLease").problems({ ttl: "2h", maxTtl: "1h" })).toEqual([]);
    expect(await engine("SchedulerAccess").problems({ ...inputs, caCert: certificate, clientCert: certificate })).toEqual([]);
    const bundle = `${certificate}\n${sha1Certificate}`;
    expect(await engine("SchedulerAccess").problems({ address: "http://h:1", token: "t", caCert: bundle })).toEqual([]);
    expect(printed).toEqual([
      'warning: scheduler access configuration "nomad": caCert: is signed with SHA-1, which the service refuses from its release 1.12 on',
      'warning: scheduler access configuration "nomad": clientCert: cannot be parsed as an x509 certificate, so that the service will not reach the scheduler with it',
      'warning: scheduler lease configuration "nomad": ttl: is longer than maxTtl, which will cut it',
      'warning: scheduler access configuration "nomad": caCert: certificate 2 of 2 is signed with SHA-1, which the service refuses from its release 1.12 on',
    ]);
  });

  test("rejects a connection that is missing from the configuration", async () => {
    expect((await engine("SchedulerLease").problems({ ttl: "1h", connection: "other" }))[0]).toContain(
      'configured under the connection "other"',
    );
  });
});

test("a preview with an unknown connection plans an update, not a replacement", async () => {
  const resource = engine("SchedulerLease");
  await resource.up({ ttl: "1h" });
  expect(await resource.preview({ ttl: "1h", connection: unknown })).toMatchObject({ operation: "update", replaces: [] });
});

test.each([
  [
    "secrets:SchedulerRole",
    { name: "web", policies: ["a"], polices: [] },
    '"polices" (did you mean policies?) is not known here; known are name',
  ],
  ["secrets:SchedulerLease", { ttl: 1, max_ttl: 2 }, '"max_ttl" (did you mean maxTtl?) is not known here'],
  ["secrets:SchedulerLease", { ttl: 1, color: 2 }, '"color" is not known here'],
  ["platform:GeneralSettings", { "api-rate-limit": 40 }, '"api-rate-limit" (did you mean apiRateLimit?) is not known here'],
])("%s: an unknown input that is nearly a known one: %j", async (token, inputs, words) => {
  const config = { address: "http://127.0.0.1:1", dialect: "hashicorp" };
  const found = await new Engine(token, { "steward:default": { secrets: config, platform: config } }).problems(inputs);
  expect(found.join()).toContain(words);
});
