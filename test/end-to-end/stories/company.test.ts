import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { Sandbox, start } from "../../../sandbox/index";
import { pipelineCommands } from "../../support/pages";
import { newStory, Story } from "../../support/story";

const folder = join(__dirname, "../../../examples/company");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

describe("examples/company", () => {
  let sandbox: Sandbox;
  let project: Story;
  beforeEach(async () => {
    sandbox = await start({ dialect: "hashicorp" });
    const { secrets, platform, scheduler } = sandbox;
    const tokens = { VAULT_TOKEN: secrets.token, TFE_TOKEN: platform.token, NOMAD_TOKEN: scheduler.token };
    project = newStory({ ...tokens, NOMAD_MANAGEMENT_TOKEN: "a-management-token", SMTP_PASSWORD: "a-password" }).example("company");
  });
  afterEach(async () => {
    project.remove();
    await sandbox.close();
  });

  /** The configuration of a stack, with the sandbox as its servers. */
  function use(stack: "dev" | "prod"): void {
    const { config } = parse(read(`Pulumi.${stack}.yaml`)) as { config: Record<string, Record<string, object>> };
    const entries = Object.entries(config).map(([key, value]) => [key.replace(/^company:/, "story:"), value]);
    const servers = Object.entries(config["steward:default"] ?? {}).map(([system, server]) => [
      system,
      { ...server, address: sandbox[system as "secrets" | "platform" | "scheduler"].url },
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

  test("the pipeline runs the commands of the guide for each stack", () => {
    const { jobs } = parse(read(".github/workflows/operations.yml"));
    const { steps, strategy } = jobs.operations as { steps: { if?: string; run?: string }[]; strategy: { matrix: { include: object[] } } };
    expect(steps.flatMap((step) => (step.if ? [step.run?.replace(/\$\{\{ matrix.stack \}\}/, "prod")] : []))).toEqual(pipelineCommands());
    expect(strategy.matrix.include).toMatchObject([{ stack: "dev" }, { stack: "prod" }]);
  });
});
