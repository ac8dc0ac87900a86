import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { certificate } from "../../support/certificates";
import { onEachDialect, settingsOf } from "../sandbox";

onEachDialect("settings", ({ dialect, real, sandbox }) => {
  const sms = real ? "twilio" : "sms";
  const [a, b, c] = real ? ["aws", "gcp", "azure"] : ["cloud-a", "cloud-b", "cloud-c"];
  const { get, patch, attributesOf } = settingsOf(sandbox);
  const [keyId, key, document] = [`${a}-access-key-id`, `${a}-secret-key`, `${b}-credentials`];
  const client = ["client-id", "client-secret", "subscription-id", "tenant-id"].map((name) => `${c}-${name}`);
  const defaults: Record<string, Record<string, unknown>> = parse(readFileSync(join(__dirname, "defaults.yaml"), "utf8"))[dialect];
  const server = { host: "mail.example.com", port: 25, sender: "platform@example.com" };
  const login = { ...server, auth: "login", username: "u" };
  const account = { "account-sid": "AC1", "from-number": "+15550100" };
  const endpoints = { "slo-endpoint-url": "https://idp.example.com/slo", "sso-endpoint-url": "https://idp.example.com/sso" };
  const signing = { certificate: "c", "signature-digest-method": "SHA1", "provider-type": "okta" };

  test.each(Object.keys(defaults))("%s settings start with the documented defaults under their fixed ID", async (noun) => {
    const { status, text } = await get(noun);
    const { data } = JSON.parse(text.replaceAll(sandbox().platform.url, "<own>"));
    expect([status, data]).toEqual([200, { id: noun, type: `${noun}-settings`, attributes: defaults[noun] }]);
  });

  test.each<[noun: string, stored: object, shown: object, secrets: object]>([
    ["smtp", login, login, { password: "canary", "test-email-address": "canary@example.com" }],
    [sms, account, account, { "auth-token": "canary" }],
    // Only Terraform Enterprise signs requests.
    ["saml", signing, real ? signing : {}, { "private-key": "canary" }],
  ])("%s settings never return a secret", async (noun, stored, shown, secrets) => {
    const before = await attributesOf(noun);
    const { status, text, json } = await patch(noun, { ...stored, ...secrets });
    expect([status, json.data.attributes]).toEqual([200, { ...before, ...shown }]);
    expect(text + (await get(noun)).text).not.toMatch(/canary|password|test-email|auth-token|private-key/);
  });

  test.each<[noun: string, attributes: object, missing: string[]]>([
    ["smtp", {}, ["host", "port", "sender"]],
    ["smtp", { ...server, auth: "plain" }, ["username", "password"]],
    ["smtp", login, ["password"]],
    [sms, { "account-sid": "AC1" }, ["auth-token", "from-number"]],
    ["saml", { "attr-groups": "" }, ["idp-cert", "slo-endpoint-url", "sso-endpoint-url", ...(real ? [] : ["attr-groups"])]],
  ])("enabled %s settings with %j lack %j, which the error lists", async (noun, attributes, missing) => {
    const before = await attributesOf(noun);
    const errors = missing.map((name) => ({ detail: `${name} is required when enabled.` }));
    const answer = await patch(noun, { enabled: true, ...attributes });
    expect([answer.status, answer.json.errors.length]).toEqual([422, missing.length]);
    expect(answer.json.errors).toMatchObject(errors);
    expect(await attributesOf(noun)).toEqual(before);
  });

  test.each<[noun: string, complete: object, name: string]>([
    ["smtp", { ...login, password: "p" }, "password"],
    [sms, { ...account, "auth-token": "t" }, "auth-token"],
    ["saml", { "idp-cert": certificate, ...endpoints }, "sso-endpoint-url"],
  ])("%s settings are enabled when %j are stored, and keep %s until they are disabled", async (noun, complete, name) => {
    await patch(noun, complete);
    const { status, json } = await patch(noun, { enabled: true });
    expect(status).toBe(200);
    expect((await patch(noun, { [name]: null })).status).toBe(422);
    expect(await attributesOf(noun)).toEqual(json.data.attributes);
    expect((await patch(noun, { enabled: false, [name]: null })).status).toBe(200);
  });

  test("a change keeps omitted attributes, ignores unknown ones and returns the whole document", async () => {
    const changed = { ...defaults.general, "api-rate-limit": 50 };
    const { status, json } = await patch("general", { "api-rate-limit": 50, unknown: { deep: 1 }, constructor: 5 });
    expect([status, json.data.attributes]).toEqual([200, changed]);
    await patch("general", { "default-remote-state-access": false });
    expect(await attributesOf("general")).toEqual({ ...changed, "default-remote-state-access": false });
    expect((await patch("general", {})).json).toEqual((await get("general")).json);
  });

  test.each([
    ["general", { "api-rate-limit": 50 }],
    ["customization", { footer: "<b>f</b>", "support-email-address": "us@example.com" }],
    ["cost-estimation", { [keyId]: "AKIA" }],
  ])("%s: null restores a default, or clears an attribute without one", async (noun, attributes) => {
    await patch(noun, attributes);
    expect(await attributesOf(noun)).toEqual({ ...defaults[noun], ...attributes });
    await patch(noun, Object.fromEntries(Object.keys(attributes).map((name) => [name, null])));
    expect(await attributesOf(noun)).toEqual(defaults[noun]);
  });

  const minimum = ["cannot be less than 30."] as const;
  test.each([
    ["general", { "api-rate-limit": "50" }, ["has to be an integer."]],
    ["general", { "api-rate-limit": 50.5 }, ["has to be an integer."]],
    ["general", { "api-rate-limiting-enabled": "secret" }, ["has to be a boolean."]],
    ["general", { "api-rate-limit": true, "default-remote-state-access": 1 }, ["has to be an integer.", "has to be a boolean."]],
    ["general", { "api-rate-limit": 29, "api-rate-limiting-enabled": false }, minimum],
    ["general", { "api-rate-limit": 0, "api-rate-limiting-enabled": false }, minimum],
    ["general", { "api-rate-limit": -1, "api-rate-limiting-enabled": false }, minimum],
    ["customization", { footer: 4711 }, ["has to be a string."]],
    ["customization", { footer: ["secret"] }, ["has to be a string."]],
    ["smtp", { port: "25" }, ["has to be an integer."]],
    ["smtp", { auth: "plained" }, ["has to be one of: none, plain, login."]],
  ])("%s: %j is rejected without its value in the error, and nothing is stored", async (noun, attributes, details) => {
    const others: Record<string, object> = {
      general: { "limit-user-organization-creation": false },
      customization: { error: "stored" },
      smtp: { sender: "a@example.com" },
    };
    const answer = await patch(noun, { ...others[noun], ...attributes });
    const names = Object.keys(attributes);
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toMatchObject(
      details.map((detail, index) => ({
        status: "422",
        detail: `${names[index]} ${detail}`,
        source: { pointer: `/data/attributes/${names[index]}` },
      })),
    );
    expect(answer.text).not.toMatch(/secret|4711/);
    expect(await attributesOf(noun)).toEqual(defaults[noun]);
  });

  test("cost estimation can be enabled with one complete set of credentials, old or new", async () => {
    const enable = async (attributes: object): Promise<number> => (await patch("cost-estimation", { enabled: true, ...attributes })).status;
    const half = Object.fromEntries(client.slice(1).map((name) => [name, "c"]));
    for (const incomplete of [{}, { [keyId]: "AKIA" }, { [keyId]: "AKIA", [key]: "", [document]: "no JSON", ...half }])
      expect(await enable(incomplete)).toBe(422);
    expect(await attributesOf("cost-estimation")).toEqual(defaults["cost-estimation"]);

    await patch("cost-estimation", { [keyId]: "AKIA" });
    expect(await enable({ [key]: "s3cret" })).toBe(200);
    // According to the documentation, responses contain these secrets.
    const enabled = { enabled: true, [keyId]: "AKIA", [key]: "s3cret", ...(real && { "aws-enabled": true }) };
    expect(await attributesOf("cost-estimation")).toMatchObject(enabled);
    expect((await patch("cost-estimation", { [key]: null })).status).toBe(422);
    expect(await attributesOf("cost-estimation")).toMatchObject(enabled);
    expect((await patch("cost-estimation", { enabled: false, [keyId]: null, [key]: null })).status).toBe(200);
    expect(await enable({ [document]: '{"private_key_id":"k"}' })).toBe(200);
    expect(await enable({ [document]: null, [client[0]!]: "c", ...half })).toBe(200);
    if (real)
      expect(await attributesOf("cost-estimation")).toMatchObject({ "aws-enabled": false, "gcp-enabled": false, "azure-enabled": true });
  });

  test("the hashicorp dialect has timeouts, which its client sends with every change, and read-only attributes", async () => {
    const answer = await patch("general", { "apply-timeout": "3h", "plan-timeout": null, "fair-run-queuing-enabled": true });
    expect(answer.status).toBe(200);
    const changed = real && { "apply-timeout": "3h", "terraform-build-worker-apply-timeout": "3h" };
    expect(await attributesOf("general")).toEqual({ ...defaults.general, ...changed });
  });
});
