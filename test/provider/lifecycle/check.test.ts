import { unknown } from "../../../provider/contract/inputs";
import { certificate, privateKey } from "../../support/certificates";
import { configOf } from "../../support/context";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { expectRefused, failure, invalidInputs } from "../../support/refusal";
import { engine, sandbox, sent } from "./two-sandboxes";

const engineOf = (token: string): Engine => new Engine(token, configOf({ sandbox, dialect: "hashicorp" }));

describe("check", () => {
  test.each([
    [
      "secrets:SchedulerRole",
      { name: "", policies: ["ok", "a,b", "c d", ""], type: "admin", global: "yes", color: 1 },
      [
        ...[1, 2, 3].map((index) => `policies[${index}]: invalid-format`),
        "global: invalid-type",
        "type: invalid-value",
        "unrecognized-keys",
        "name: role-name",
      ],
    ],
    ["secrets:SchedulerRole", { policies: "read" }, ["name: missing", "policies: invalid-type"]],
    ["secrets:SchedulerRole", { name: "a", type: "management", policies: ["x"] }, ["policies: management-with-policies"]],
    ["secrets:SchedulerRole", { name: "a", policies: ["x"], mount: "a//b", connection: 1 }, ["mount: mount", "connection: invalid-type"]],
    ["secrets:SchedulerLease", { ttl: "soon", maxTtl: -1 }, ["ttl: duration", "maxTtl: duration"]],
    ["secrets:SchedulerLease", {}, ["empty"]],
    [
      "secrets:SchedulerAccess",
      { address: "host:4646", token: "", maxTokenNameLength: -1, clientCert: certificate, caCert: "/etc/ca.pem" },
      ["address: url", "token: too-small", "maxTokenNameLength: too-small", "caCert: invalid-format", "clientKey: needed-with-certificate"],
    ],
    ["secrets:SchedulerAccess", {}, ["token: missing"]],
    ["secrets:SchedulerAccess", { address: "http://h:1", token: "t", clientKey: privateKey }, ["clientCert: needed-with-key"]],
    [
      "secrets:SchedulerRoles",
      { roles: { web: { policies: ["ok", "a b"], kind: 1 }, "x/y": { policies: ["ok"] } } },
      ["roles.web.policies[1]: invalid-format", "roles.web: unrecognized-keys"],
    ],
    [
      "secrets:SchedulerRoles",
      { roles: { "x/y": { policies: ["ok"] }, none: {} } },
      ["roles.none.policies: client-without-policies", 'roles["x/y"]: role-name'],
    ],
    ["secrets:SchedulerRoles", { roles: ["web"] }, ["roles: invalid-type"]],
    [
      "platform:GeneralSettings",
      { apiRateLimit: 29, apiRateLimitingEnabled: 1, onDelete: "keep" },
      ["apiRateLimitingEnabled: invalid-type", "apiRateLimit: too-small", "onDelete: invalid-value"],
    ],
    ["platform:GeneralSettings", { applyTimeout: "24" }, ["applyTimeout: duration"]],
    ["platform:GeneralSettings", { applyTimeout: "1 day" }, ["applyTimeout: duration"]],
    ["platform:GeneralSettings", { applyTimeout: "-1h" }, ["applyTimeout: duration"]],
    ["platform:SmtpSettings", { port: 0, auth: "digest" }, ["port: too-small", "auth: invalid-value"]],
    [
      "platform:SamlSettings",
      { ssoEndpointUrl: "http://idp", sloEndpointUrl: "idp" },
      ["sloEndpointUrl: https-url", "ssoEndpointUrl: https-url"],
    ],
    ["platform:CostEstimationSettings", { cloudBCredentials: "{" }, ["cloudBCredentials: json"]],
    ["platform:CostEstimationSettings", { cloudBCredentials: '"text"' }, ["cloudBCredentials: json"]],
    ["platform:SmsVerification", { testNumber: "", triggers: "x" }, ["testNumber: too-small", "triggers: invalid-type"]],
    ["platform:AdminWorkspace", { workspaceId: "../organizations" }, ["workspaceId: invalid-format"]],
    [
      "platform:ModuleVersionDeprecation",
      { organizationName: "a/b", moduleName: "", moduleProvider: "..", moduleVersion: "1 0", reason: "", link: "" },
      [
        ...["organizationName: invalid-format", "moduleName: too-small", "moduleProvider: invalid-format"],
        ...["moduleVersion: invalid-format", "reason: too-small", "link: too-small"],
      ],
    ],
  ])("%s %#: reports all problems at once and sends nothing", async (token, inputs, problems) => {
    expect(await engineOf(token).problems(inputs)).toEqual(problems);
    expect(sent()).toEqual([]);
  });

  test("prints no input value", async () => {
    const canary = "canary-value";
    const others = Object.fromEntries(["address", "clientKey", "maxTokenNameLength", "caCert", "adopt"].map((name) => [name, canary]));
    const inputs = { ...others, token: { [canary]: 1 } };
    const { details, message } = await failure(engine("SchedulerAccess").preview(inputs));
    expect(details.failures?.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    expect(message).not.toContain(canary);
  });

  test("rejects an address with credentials and does not print them", async () => {
    const canary = "canary-password";
    for (const [rule, ...addresses] of [
      ["credentials", `https://user:${canary}@h:4646`, `https://${canary}@h:4646`, `http://:${canary}@h`],
      ["query", `https://h:4646?token=${canary}`, `https://h:4646/#${canary}`],
    ])
      for (const address of addresses) {
        const preview = engine("SchedulerAccess").preview({ token: "t", address });
        expect(await failure(preview)).toEqual(invalidInputs(`address: ${rule}`));
      }
    expect(await engine("SchedulerAccess").problems({ token: "t", address: "https://h:4646/base" })).toEqual([]);
  });

  const later = { secretShares: 2, secretThreshold: 2, shareReferences: unknown, shareFindings: unknown, pgpKeys: unknown };
  test.each([
    ["SchedulerRole", { name: unknown, policies: [unknown, "ok"], type: unknown, global: unknown }],
    ["SchedulerRole", { name: "web", policies: unknown, type: "management", mount: unknown }],
    ["SchedulerLease", { ttl: unknown }],
    ["SchedulerAccess", { address: unknown, token: unknown, clientCert: certificate, clientKey: unknown }],
    ["SchedulerRoles", { roles: unknown, exclusive: unknown }],
    ["SchedulerRoles", { roles: { web: unknown, site: { policies: unknown } }, connection: unknown }],
    ["RekeyAttempt", later],
  ])("%s %#: accepts values that a preview does not know yet", async (type, inputs) =>
    expect(await engine(type).problems(inputs)).toEqual([]),
  );

  test("checks known values next to unknown ones, and keeps the unknown ones", async () => {
    expect(await engine("SchedulerRole").problems({ name: "web", policies: [unknown, "a b"] })).toHaveLength(1);
    const { operation, inputs } = await engine("SchedulerLease").preview({ ttl: unknown, maxTtl: "1h" });
    expect([operation, inputs]).toEqual(["create", expect.objectContaining({ ttl: unknown, maxTtl: 3600, mount: "nomad" })]);
  });

  test("rejects plain HTTP to another host for shares", async () => {
    const rekey = { secretShares: 1, secretThreshold: 1, shareReferences: [], shareFindings: [], keepSharesInState: true };
    const problemsAt = (address: string, more: object = {}): Promise<string[]> =>
      engine("RekeyAttempt", { "steward:default": { secrets: { address, dialect: "standard" } } }).problems({ ...rekey, ...more });
    expect(await problemsAt("http://vault.example.com:8200")).toEqual(["clear-text"]);
    expect(await problemsAt("http://vault.example.com:8200", { allowHttp: true })).toEqual([]);
    expect(await problemsAt("https://vault.example.com:8200")).toEqual([]);
    expect(await problemsAt("http://127.0.0.1:8200")).toEqual([]);
  });

  test("warns about inputs that the server will reject later", async () => {
    const inputs = { address: "http://h:1", token: "t", caCert: certificate, clientKey: privateKey };
    const broken = "-----BEGIN CERTIFICATE-----\nx\n";
    expect(await engine("SchedulerAccess").problems({ ...inputs, clientCert: broken })).toEqual([]);
    expect(await engine("SchedulerLease").problems({ ttl: "2h", maxTtl: "1h" })).toEqual([]);
    expect(await engine("SchedulerAccess").problems({ ...inputs, caCert: certificate, clientCert: certificate })).toEqual([]);
    const bundle = `${certificate}\n${broken}`;
    expect(await engine("SchedulerAccess").problems({ address: "http://h:1", token: "t", caCert: bundle })).toEqual([]);
    const lines = [
      'access configuration "nomad": clientCert: .*X\\.509',
      'lease configuration "nomad": ttl: .*maxTtl',
      'access configuration "nomad": caCert: .*X\\.509',
    ];
    expect(printed).toEqual(lines.map((line) => expect.stringMatching(`^warning: Nomad ${line}`)));
  });

  test("rejects a connection that is missing from the configuration", async () => {
    expect(await engine("SchedulerLease").problems({ ttl: "1h", connection: "other" })).toEqual(["ERR_NO_CONNECTION"]);
  });
});

test("a preview with an unknown connection plans an update, not a replacement", async () => {
  const resource = engine("SchedulerLease");
  await resource.up({ ttl: "1h" });
  expect(await resource.preview({ ttl: "1h", connection: unknown })).toMatchObject({ operation: "update", replaces: [] });
});

test.each([
  ["secrets:SchedulerLease", { ttl: 1, max_ttl: 2 }, '"max_ttl" is not a known property; expected one of ttl, maxTtl, '],
  ["platform:GeneralSettings", { a: 1, b: 2 }, '"a", "b" are not known properties; expected one of '],
])("%s: an unknown input names the known ones (%j)", async (token, inputs, suggestion) => {
  await expectRefused(engineOf(token).preview(inputs), invalidInputs("unrecognized-keys"), suggestion);
});
