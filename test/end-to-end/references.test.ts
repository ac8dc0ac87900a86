import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "../../sandbox/index";
import { certificate, privateKey } from "../support/certificates";
import { configOf, contextOf } from "../support/context";
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
    project = new Project({ PULUMI_DEBUG_COMMANDS: "true" })
      .files({ "Pulumi.yaml": nativeProject() })
      .config({ ...configOf(contextOf(sandbox, dialect)), "steward:native": native as never })
      .program(program);
  });

  /** Runs the command line, and searches all that it wrote. */
  async function run(...args: string[]): Promise<string> {
    const [events, calls, traces] = ["events", "calls", "traces"].map((file) => join(project.folder, file)) as [string, string, string];
    rmSync(join(project.folder, "home/logs"), { recursive: true, force: true });
    project.with({ ...current, PULUMI_DEBUG_GRPC: calls });
    const { code, output } = await project.pulumi(
      ...args,
      "--event-log",
      events,
      "-v=11",
      "--logtostderr",
      "--otel-traces",
      `file://${traces}`,
    );
    const logs = project.logs();
    expect(logs).toHaveLength(1);
    const decrypted = await project.pulumi("logs", "decrypt", logs[0]?.file ?? "");
    const written = {
      output,
      events: readFileSync(events, "utf8"),
      calls: readFileSync(calls, "utf8"),
      traces: readFileSync(traces, "utf8"),
      stored: project.stored(),
      log: decrypted.output,
    };
    expect(decrypted.output.length).toBeGreaterThan(1000);
    for (const [place, text] of Object.entries(written)) expect({ place, lines: linesWith("canary", text) }).toEqual({ place, lines: [] });
    expect(written.traces).toContain("Span");
    for (const file of [events, calls, traces]) rmSync(file);
    expect({ code, output: code === 0 ? "" : output.slice(-2000) }).toEqual({ code: 0, output: "" });
    return output;
  }
  const linesWith = (word: string, text: string): string[] => text.split("\n").filter((line) => line.includes(word));
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
