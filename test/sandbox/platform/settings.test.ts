import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

describe.each(["standard", "hashicorp"] as const)("settings, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const real = dialect === "hashicorp";
  const path = (noun: string) => `/api/v2/admin/${noun}-settings`;
  const get = (noun: string) => call(sandbox().platform, "GET", path(noun));
  const patch = (noun: string, attributes: object) => call(sandbox().platform, "PATCH", path(noun), { data: { type: "", attributes } });
  const held = async (noun: string): Promise<Record<string, unknown>> => (await get(noun)).json.data.attributes;

  const generalDefaults = {
    "limit-user-organization-creation": true,
    "api-rate-limiting-enabled": true,
    "api-rate-limit": 30,
    "send-passing-statuses-for-untriggered-speculative-plans": false,
    "allow-speculative-plans-on-pull-requests-from-forks": false,
    "default-remote-state-access": true,
    ...(real && {
      "require-two-factor-for-admins": false,
      "fair-run-queuing-enabled": false,
      "limit-organizations-per-user": false,
      "default-organizations-per-user-ceiling": null,
      "limit-workspaces-per-organization": false,
      "default-workspaces-per-organization-ceiling": null,
      "apply-timeout": "24h",
      "plan-timeout": "2h",
      "terraform-build-worker-apply-timeout": "24h",
      "terraform-build-worker-plan-timeout": "2h",
    }),
  };
  const [a, b, c] = real ? ["aws", "gcp", "azure"] : ["cloud-a", "cloud-b", "cloud-c"];
  const [keyId, key, document] = [`${a}-access-key-id`, `${a}-secret-key`, `${b}-credentials`];
  const client = ["client-id", "client-secret", "subscription-id", "tenant-id"].map((name) => `${c}-${name}`);
  const costDefaults = {
    enabled: false,
    ...Object.fromEntries([keyId, key, document, ...client].map((name) => [name, null])),
    ...(real && { "aws-enabled": false, "aws-instance-profile-enabled": false, "gcp-enabled": false, "azure-enabled": false }),
  };

  test("each kind starts with the documented defaults under its fixed ID", async () => {
    expect(await get("general")).toMatchObject({ status: 200, json: { data: { id: "general", type: "general-settings" } } });
    expect(await held("general")).toEqual(generalDefaults);
    expect((await get("cost-estimation")).json.data).toEqual({
      id: "cost-estimation",
      type: "cost-estimation-settings",
      attributes: costDefaults,
    });
    expect((await get("customization")).json.data).toEqual({
      id: "customization",
      type: "customization-settings",
      attributes: {
        "support-email-address": real ? "support@hashicorp.com" : "support@example.com",
        "login-help": "",
        footer: "",
        error: "",
        "new-user": "",
      },
    });
  });

  test("a change keeps omitted attributes, ignores unknown ones and returns the whole document", async () => {
    const changed = await patch("general", { "api-rate-limit": 50, unknown: { deep: 1 }, constructor: 5 });
    expect(changed).toMatchObject({ status: 200, json: { data: { attributes: { ...generalDefaults, "api-rate-limit": 50 } } } });
    await patch("general", { "default-remote-state-access": false });
    expect(await held("general")).toEqual({ ...generalDefaults, "api-rate-limit": 50, "default-remote-state-access": false });
    expect((await patch("general", {})).json).toEqual((await get("general")).json);
  });

  test("null restores a default, or clears an attribute without one", async () => {
    await patch("general", { "api-rate-limit": 50 });
    await patch("general", { "api-rate-limit": null });
    expect(await held("general")).toEqual(generalDefaults);
    await patch("customization", { footer: "<b>f</b>", "support-email-address": "us@example.com" });
    expect(await held("customization")).toMatchObject({ footer: "<b>f</b>", "support-email-address": "us@example.com" });
    await patch("customization", { footer: null, "support-email-address": null });
    expect(await held("customization")).toMatchObject({ footer: "", "support-email-address": expect.stringMatching(/^support@/) });
    await patch("cost-estimation", { [keyId]: "AKIA" });
    expect(await held("cost-estimation")).toMatchObject({ [keyId]: "AKIA" });
    await patch("cost-estimation", { [keyId]: null });
    expect(await held("cost-estimation")).toEqual(costDefaults);
  });

  test.each([
    ["general", { "api-rate-limit": "50" }, "an integer"],
    ["general", { "api-rate-limit": 50.5 }, "an integer"],
    ["general", { "api-rate-limiting-enabled": "secret" }, "a boolean"],
    ["customization", { footer: 4711 }, "a string"],
    ["customization", { footer: ["secret"] }, "a string"],
  ])("%s: %j is rejected without its value in the error, and nothing is stored", async (noun, attributes, type) => {
    const before = (await get(noun)).json;
    const other = noun === "general" ? { "default-remote-state-access": false } : { error: "stored" };
    const answer = await patch(noun, { ...other, ...attributes });
    const [name] = Object.keys(attributes) as [string];
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toEqual([
      {
        status: "422",
        title: "invalid attribute",
        detail: `${name} has to be ${type}.`,
        source: { pointer: `/data/attributes/${name}` },
      },
    ]);
    expect(answer.text).not.toMatch(/secret|4711/);
    expect((await get(noun)).json).toEqual(before);
  });

  test("an error names all invalid attributes", async () => {
    const { json } = await patch("general", { "api-rate-limit": true, "default-remote-state-access": 1 });
    expect(json.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)).toEqual([
      "/data/attributes/api-rate-limit",
      "/data/attributes/default-remote-state-access",
    ]);
  });

  test("the rate limit is at least 30, even while it is disabled", async () => {
    for (const limit of [29, 0, -1])
      expect(await patch("general", { "api-rate-limiting-enabled": false, "api-rate-limit": limit })).toMatchObject({
        status: 422,
        json: { errors: [{ detail: "api-rate-limit cannot be less than 30." }] },
      });
    expect(await held("general")).toEqual(generalDefaults);
  });

  test("cost estimation can be enabled with one complete set of credentials, old or new", async () => {
    const enable = async (attributes: object): Promise<number> => (await patch("cost-estimation", { enabled: true, ...attributes })).status;
    const half = client.slice(1).map((name) => [name, "c"]);
    expect(await enable({})).toBe(422);
    expect(await enable({ [keyId]: "AKIA" })).toBe(422);
    expect(await enable({ [keyId]: "AKIA", [key]: "", [document]: "no JSON", ...Object.fromEntries(half) })).toBe(422);
    expect(await held("cost-estimation")).toEqual(costDefaults);

    await patch("cost-estimation", { [keyId]: "AKIA" });
    expect(await enable({ [key]: "s3cret" })).toBe(200);
    // According to the documentation, responses contain these secrets.
    expect(await held("cost-estimation")).toMatchObject({
      enabled: true,
      [keyId]: "AKIA",
      [key]: "s3cret",
      ...(real && { "aws-enabled": true }),
    });
    expect((await patch("cost-estimation", { [key]: null })).status).toBe(422);
    expect(await held("cost-estimation")).toMatchObject({ [key]: "s3cret" });
    expect((await patch("cost-estimation", { enabled: false, [keyId]: null, [key]: null })).status).toBe(200);
    expect(await enable({ [document]: '{"private_key_id":"k"}' })).toBe(200);
    expect(await enable({ [document]: null, [client[0]!]: "c", ...Object.fromEntries(half) })).toBe(200);
    if (real) expect(await held("cost-estimation")).toMatchObject({ "aws-enabled": false, "gcp-enabled": false, "azure-enabled": true });
  });

  test("the hashicorp dialect has timeouts, which its client sends with every change, and read-only attributes", async () => {
    const answer = await patch("general", { "apply-timeout": "3h", "plan-timeout": null, "fair-run-queuing-enabled": true });
    expect(answer.status).toBe(200);
    const changed = { "apply-timeout": "3h", "terraform-build-worker-apply-timeout": "3h" };
    expect(await held("general")).toEqual(real ? { ...generalDefaults, ...changed } : generalDefaults);
  });
});
