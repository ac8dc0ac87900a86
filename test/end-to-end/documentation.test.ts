import { start } from "../../sandbox/index";
import { call } from "../support/call";
import { blocks, exitCodes, nightly } from "../support/pages";
import { Project, Run } from "../support/project";

// Only the real command line returns exit codes. test/stories/documentation.test.ts covers the rest of the pages.
test("the exit code of the pipeline in docs/getting-started-vault.md reports drift and failures", async () => {
  const page = "docs/getting-started-vault.md";
  const { none, drift, unasked, noStack } = exitCodes;
  const sandbox = await start({ dialect: "hashicorp" });
  const project = new Project({ VAULT_TOKEN: sandbox.secrets.token });
  const { url: address } = sandbox.secrets;
  const outside = (body: object): Promise<unknown> => call(sandbox.secrets, "POST", "/v1/nomad/role/web", body);
  const code = async (run: Promise<Run>): Promise<number> => (await run).code;
  try {
    const [, adopt = ""] = blocks(page, "ts");
    const [, reader = ""] = blocks(page, "hcl");
    expect((await call(sandbox.secrets, "PUT", "/v1/sys/policies/acl/steward-nightly", { policy: reader })).status).toBe(204);
    const { json } = await call(sandbox.secrets, "POST", "/v1/auth/token/create", { policies: ["steward-nightly"], ttl: "1h" });
    const NIGHTLY = { VAULT_TOKEN: json.auth.client_token };
    project.config({ "steward:default": { secrets: { address, dialect: "hashicorp", mount: "nomad", tokenEnv: "VAULT_TOKEN" } } });
    await project.typescript(adopt).set("managementToken", "a-management-token", "--secret");
    await project.up();

    project.with(NIGHTLY);
    expect(await code(project.pulumi(...nightly(page)))).toBe(none);
    await outside({ policies: "stranger", type: "client" });
    const found = await project.pulumi(...nightly(page));
    expect(found.code).toBe(drift);
    expect(found.changes).toContain('~ [0]: "deploy" => "stranger"');
    const refused = await project.pulumi("up", "--yes", "--skip-preview", "--refresh");
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("403");

    project.with({ VAULT_TOKEN: "wrong" });
    expect(await code(project.pulumi(...nightly(page)))).toBe(unasked);
    expect(await code(project.pulumi(...nightly(page), "--stack", "none"))).toBe(noStack);

    project.with({});
    await project.up("--refresh");
    expect(await code(project.pulumi(...nightly(page)))).toBe(none);
  } finally {
    project.remove();
    await sandbox.close();
  }
});
