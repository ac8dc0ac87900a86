import { join } from "node:path";
import { Sandbox } from "../../sandbox/index";
import { certificate, privateKey } from "../support/certificates";
import { configOf, contextOf } from "../support/context";
import { loudly } from "../support/loud";
import { nativeProject, Project } from "../support/project";
import { startSandbox } from "../support/sandbox";

// Secrets by reference with the real command line: no place that Pulumi writes contains a value. docs/guides/secrets.md says so.

const key = `${privateKey.trim()}\ncanary-key`;
const secrets: Record<string, string> = {
  CANARY_TOKEN: "canary-token",
  CANARY_KEY: key,
  CANARY_MAIL: "canary-mail",
  CANARY_SMS: "canary-sms",
  CANARY_COST: "canary-cost",
  CANARY_SAML: "canary-saml",
};
const program = `\
const clientCert = ${JSON.stringify(certificate)};
new secrets.SchedulerAccess("access", {
  address: "https://nomad.example.com:4646", token: { env: "CANARY_TOKEN" }, clientCert, clientKey: { env: "CANARY_KEY" },
});
new platform.SmtpSettings("mail", { password: { env: "CANARY_MAIL" } });
new platform.SmsSettings("sms", { authToken: { env: "CANARY_SMS" } });
new platform.CostEstimationSettings("costs", { cloudASecretKey: { env: "CANARY_COST" } });
new platform.SamlSettings("saml", { privateKey: { env: "CANARY_SAML" } });
`;

describe.each([false, true])("secrets by reference, with the native plugin: %s", (native) => {
  const dialect = "hashicorp";
  let sandbox: Sandbox;
  let project: Project;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect });
    project = new Project()
      .files({ "Pulumi.yaml": nativeProject() })
      .config({ ...configOf(contextOf(sandbox, dialect)), "steward:native": native as never })
      .program(program);
  });

  /** Runs the command line, and searches all that it wrote. */
  async function run(...args: string[]): Promise<string> {
    const { code, output, written } = await loudly(project, current, ...args);
    expect(written.filter(([, text]) => text.includes("canary")).map(([place]) => place)).toEqual([]);
    expect({ code, output: code === 0 ? "" : output.slice(-2000) }).toEqual({ code: 0, output: "" });
    return output;
  }
  let current = secrets;
  const writes = (): string[] => sandbox.requests().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`]));

  test("from create to destroy", async () => {
    const plan = join(project.folder, "plan.json");
    await run("preview", "--save-plan", plan);
    await run("up", "--yes", "--skip-preview", "--plan", plan);
    expect(writes()).toHaveLength(5);
    await run("up", "--yes", "--skip-preview", "--expect-no-changes");
    await run("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    expect(writes()).toHaveLength(5);
    current = { ...secrets, CANARY_MAIL: "canary-post", CANARY_COST: "canary-price" };
    expect(await run("up", "--yes", "--skip-preview")).toMatch(/2 updated/);
    expect(writes()).toHaveLength(7);
    current = { ...current, CANARY_SMS: "" };
    expect(await run("up", "--yes", "--skip-preview", "--expect-no-changes")).toContain("the variable CANARY_SMS is not set");
    current = {};
    await run("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    await run("destroy", "--yes", "--skip-preview");
  });
});
