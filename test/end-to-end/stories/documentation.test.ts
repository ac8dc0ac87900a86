import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";
import { blocks, exitCodes, nightly } from "../../support/pages";
import { Run } from "../../support/project";
import { jobOf } from "../../support/scheduler";
import { newStory, Story, storyForEach } from "../../support/story";
import { onEachTarget, policyFor } from "../../support/target";

const code = async (run: Promise<Run>): Promise<number> => (await run).code;
const { none, drift, unasked } = exitCodes;

onEachTarget("docs/getting-started/vault.md", (current) => {
  const page = "docs/getting-started/vault.md";
  const stage = storyForEach(current);

  /** Creates a token with the page's policies at the mount of the test. */
  async function tokenWith(name: string, policy: string): Promise<string> {
    const { address, token, outOfBand } = current();
    expect((await outOfBand("PUT", `sys/policies/acl/${name}`, { policy })).status).toBe(204);
    const { json } = await call({ url: address, token }, "POST", "/v1/auth/token/create", { policies: [name], ttl: "1h" });
    return json.auth.client_token;
  }

  test("the policies are minimal, the programs adopt existing objects, and the pipeline finds drift", async () => {
    const { project, mount } = stage();
    const { address, dialect, outOfBand } = current();
    const [look = "", adopt = ""] = blocks(page, "ts");
    const [writer = "", reader = ""] = blocks(page, "hcl").map((text) => policyFor(current(), text.replaceAll('"nomad/', `"${mount}/`)));
    const VAULT_TOKEN = await tokenWith("steward", writer);
    const NIGHTLY = { VAULT_TOKEN: await tokenWith("steward-read", reader) };
    project.config({ "steward:default": { secrets: { address, dialect, mount, tokenEnv: "VAULT_TOKEN" } } });
    await outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:1", token: "theirs" });
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });

    project.with(NIGHTLY).typescript(look.replaceAll('"nomad/', `"${mount}/`));
    await project.up();
    const role = { policies: ["theirs"], type: "client" };
    expect(await project.outputs()).toMatchObject({ found: { roles: { web: role }, address: "http://127.0.0.1:1" } });
    await project.destroy();

    project.with({ VAULT_TOKEN, NOMAD_MANAGEMENT_TOKEN: "a-management-token" }).typescript(adopt);
    await project.up();
    expect(await project.outputs()).toEqual({ names: expect.arrayContaining(["operator", "web"]) });

    project.with(NIGHTLY);
    expect(await code(project.pulumi(...nightly(page)))).toBe(none);
    await outOfBand("POST", `${mount}/role/web`, { policies: "stranger", type: "client" });
    const found = await project.pulumi(...nightly(page));
    expect(found.code).toBe(drift);
    expect(found.changes).toContain('~ [0]: "deploy" => "stranger"');
    const refused = await project.pulumi("up", "--yes", "--skip-preview", "--refresh");
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("403");

    project.with({ VAULT_TOKEN: "wrong" });
    expect(await code(project.pulumi(...nightly(page)))).toBe(unasked);

    project.with({ VAULT_TOKEN, NOMAD_MANAGEMENT_TOKEN: "a-management-token" });
    await project.up("--refresh");
    expect(await code(project.pulumi(...nightly(page)))).toBe(none);
    await project.destroy();
  });
});

describe("on the sandbox in the hashicorp dialect", () => {
  let sandbox: Sandbox;
  let project: Story;
  beforeAll(async () => {
    sandbox = await start({ dialect: "hashicorp" });
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    await sandbox.reset();
    project = newStory(sandbox.env);
  });
  afterEach(() => project.remove());
  const writes = (): string[] => sandbox.requests().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`]));

  test("docs/getting-started/terraform-enterprise.md: the first program only reads, the second one adopts settings, and the pipeline finds drift", async () => {
    const page = "docs/getting-started/terraform-enterprise.md";
    const [look = "", adopt = ""] = blocks(page, "ts");
    await project.typescript(look).up();
    expect(await project.outputs()).toMatchObject({ general: { apiRateLimit: 30 }, mail: { enabled: false } });
    expect(writes()).toEqual([]);

    project.with({ SMTP_PASSWORD: "a-password" }).typescript(adopt);
    await project.up();
    const settings = ["customization", "general", "smtp"].map((name) => `PATCH /api/v2/admin/${name}-settings`);
    expect(writes().sort()).toEqual(settings);
    expect(await code(project.pulumi(...nightly(page)))).toBe(none);

    await call(sandbox.platform, "PATCH", "/api/v2/admin/general-settings", { data: { attributes: { "api-rate-limit": 50 } } });
    const found = await project.pulumi(...nightly(page));
    expect([found.code, found.changes]).toEqual([drift, ["~ apiRateLimit: 100 => 50"]]);
    await project.destroy();
  });

  test("docs/getting-started/nomad.md: refresh --run-program records the report and fails for a service that is not running, and registers jobs", async () => {
    const page = "docs/getting-started/nomad.md";
    const { scheduler } = sandbox;
    const [report = "", deploy = ""] = blocks(page, "ts");
    await project.typescript(report).up();
    const before = await project.outputs();
    expect(before).toMatchObject({ notRunning: [], running: expect.arrayContaining(["default/web"]) });
    await project.set("strict", "true");
    expect(await code(project.pulumi(...nightly(page)))).toBe(0);

    scheduler.seed({ jobs: [{ ID: "late", Namespace: "apps", Type: "service", Status: "pending" }] });
    const red = await project.pulumi(...nightly(page));
    expect(red.code).not.toBe(0);
    expect(red.output).toContain(" apps/late.");
    scheduler.jobs.change("late", { Status: "running" }, { namespace: "apps" });
    expect(await code(project.pulumi(...nightly(page)))).toBe(0);
    expect((await project.outputs()).running).toContain("apps/late");

    // The list of all namespaces would be empty, and the report complete.
    scheduler.seed({ policies: [{ name: "other", namespaces: { other: "read" } }] });
    const NOMAD_TOKEN = scheduler.tokens.mint({ policies: ["other"] }).secret;
    const small = await project.with({ NOMAD_TOKEN }).pulumi(...nightly(page));
    expect(small.code).not.toBe(0);
    expect(small.output).toContain("Permission denied");
    expect(small.output).toContain("list-jobs");
    project.with({ NOMAD_TOKEN: scheduler.token });

    project.typescript(deploy);
    writeFileSync(join(project.folder, "program/web.json"), JSON.stringify(jobOf("web", { Namespace: "apps" })));
    const preview = await project.pulumi("preview");
    expect(preview.output).toContain('job "web" ');
    expect(writes()).toEqual([]);
    expect(await code(project.pulumi(...nightly(page)))).toBe(0);
    expect(writes()).toContain("PUT /v1/jobs?namespace=apps");
    expect(await project.outputs()).toEqual({ deployed: "successful" });
  });
});
