import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { Sandbox } from "../../../sandbox/index";
import { exitCodes, Job, nightly, pipelines, Workflow } from "../../support/pages";
import { startSandbox } from "../../support/sandbox";
import { newStory, Story } from "../../support/story";

const folder = join(__dirname, "../../../examples/company");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

describe("examples/company", () => {
  let sandbox: Sandbox;
  let project: Story;
  beforeEach(async () => {
    sandbox = await startSandbox();
    const { secrets, platform, scheduler } = sandbox;
    const tokens = { VAULT_TOKEN: secrets.token, TFE_TOKEN: platform.token, NOMAD_TOKEN: scheduler.token };
    project = newStory({ ...tokens, NOMAD_MANAGEMENT_TOKEN: "a-management-token", SMTP_PASSWORD: "a-password" }).example("company");
  });

  /** The configuration of a stack, with the sandbox as its servers. */
  function use(stack: "dev" | "prod"): void {
    const { config } = parse(read(`Pulumi.${stack}.yaml`)) as { config: Record<string, Record<string, object>> };
    const entries = Object.entries(config).map(([key, value]) => [key.replace(/^company:/, "story:"), value]);
    const servers = Object.entries(config["steward:default"] ?? {}).map(([system, server]) => [
      system,
      {
        ...server,
        address: sandbox[system as "secrets" | "platform" | "scheduler"].url,
        // test/real/guides/state.test.ts logs in as the pipeline does.
        ...(system === "secrets" && { login: undefined, tokenEnv: "VAULT_TOKEN" }),
      },
    ]);
    project.config({ ...Object.fromEntries(entries), "steward:default": Object.fromEntries(servers) });
  }

  test.each([
    ["dev", ["payments", "playground", "search"], false],
    ["prod", ["payments", "search"], true],
  ] as const)(
    "the stack %s deploys its teams and settings, changes nothing a second time, and leaves no secret",
    async (stack, teams, mail) => {
      use(stack);
      await project.up();
      expect(await project.outputs()).toMatchObject({ teamRoles: teams, down: expect.any(Array) });
      const written = sandbox.requests().flatMap(({ method, path }) => (method === "PATCH" ? [path.replace("/api/v2/admin/", "")] : []));
      expect(written.sort()).toEqual(["customization-settings", "general-settings", ...(mail ? ["smtp-settings"] : [])]);
      expect(project.stored()).not.toMatch(/a-(management-token|password)/);
      await project.expectConverged();
      await project.destroy();
    },
  );

  test("the pipeline is that of the guide, for two stacks and with the secrets of three servers", () => {
    const { actionText, github } = pipelines();
    expect(read(".github/actions/prepare/action.yml")).toBe(actionText);
    const { jobs, ...workflow } = parse(read(".github/workflows/operations.yml").replace(/\$\{\{ matrix.stack \}\}/g, "prod")) as Workflow;
    const { jobs: guides, env: shared, ...guide } = github;
    expect(workflow).toEqual(guide);
    expect(Object.keys(jobs)).toEqual(Object.keys(guides));
    for (const [name, theirs] of Object.entries(guides)) {
      const { strategy, env, ...job } = jobs[name as keyof typeof jobs] as Job & { strategy: { matrix: { include: object[] } } };
      const { env: environment, ...expected } = theirs;
      expect(job).toEqual(expected);
      expect(env).toEqual(expect.objectContaining(environment));
      const server = name === "preview" ? {} : { vault: shared?.VAULT_ADDR };
      expect(strategy.matrix.include).toMatchObject([{ stack: "dev" }, { stack: "prod", ...server }]);
    }
    expect(Object.keys(jobs.preview.env)).toEqual(["PULUMI_ACCESS_TOKEN", "NOMAD_TOKEN"]);
  });

  test("the preview needs only the token of Nomad that reads, and the nightly refresh no secret of the program", async () => {
    use("prod");
    const { VAULT_TOKEN, TFE_TOKEN, ...none } = { VAULT_TOKEN: "", TFE_TOKEN: "", NOMAD_MANAGEMENT_TOKEN: "", SMTP_PASSWORD: "" };
    await project.with({ VAULT_TOKEN, TFE_TOKEN, ...none }).preview();
    project.with({ VAULT_TOKEN: sandbox.secrets.token, TFE_TOKEN: sandbox.platform.token });
    await project.with({ NOMAD_MANAGEMENT_TOKEN: "a-management-token", SMTP_PASSWORD: "a-password" }).up();
    const refreshed = await project.with({ ...none, NOMAD_TOKEN: "" }).pulumi(...nightly("docs/getting-started/vault.md"));
    expect(refreshed.code).toBe(exitCodes.none);
    project.with({ VAULT_TOKEN, TFE_TOKEN, NOMAD_TOKEN: sandbox.scheduler.token });
    await project.preview();
  });
});
