import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "../../sandbox/index";
import { configOf, contextOf } from "../support/context";
import { nativeProject, Project } from "../support/project";
import { startSandbox } from "../support/sandbox";

// The environment and the folder in which Pulumi starts a provider, which reads the references. docs/guides/secrets.md describes them.

/** The variables and files that a run did not find. */
const missing = (output: string): string[] =>
  [
    ...new Set([...output.matchAll(/warning: the (?:variable|file) (\S+) (?:is not set|does not exist)/g)].map(([, name = ""]) => name)),
  ].sort();

const program = `
  process.env.SET_IN_PROGRAM = "late";
  new platform.SmtpSettings("mail", { password: { file: "settings.txt" } });
  new platform.SmsSettings("sms", { authToken: { file: "main.txt" } });
  new platform.CostEstimationSettings("costs", { cloudASecretKey: { env: "SET_IN_PROGRAM" }, cloudCClientSecret: { env: "SET_FOR_PULUMI" } });
`;

describe.each([false, true])("the source of a reference, with the native plugin: %s", (native) => {
  let sandbox: Sandbox;
  let project: Project;
  beforeAll(async () => {
    sandbox = await startSandbox();
    project = new Project({ SET_FOR_PULUMI: "secret" })
      .files({ "Pulumi.yaml": nativeProject(), "settings.txt": "secret\n" })
      .config({ ...configOf(contextOf(sandbox, "hashicorp")), "steward:native": native as never })
      .program(program);
    mkdirSync(join(project.folder, "program/source"));
    writeFileSync(join(project.folder, "program/source/main.txt"), "secret\n");
  });

  test("a variable that the program sets is not found, and a path begins at the folder of Pulumi.yaml", async () => {
    const { output } = await project.preview("--cwd", "source");
    expect(missing(output)).toEqual(["SET_IN_PROGRAM", "main.txt"]);
  });

  test("a path begins at the folder of `main` in Pulumi.yaml", async () => {
    project.files({
      "Pulumi.yaml": `${nativeProject()}\nmain: source/\n`,
      "source/package.json": '{ "name": "story", "main": "index.js" }',
      "source/index.js": `const { platform } = require("pulumi-steward");\n${program}`,
    });
    const { output } = await project.preview();
    expect(missing(output)).toEqual(["SET_IN_PROGRAM", "settings.txt"]);
    project.files({ "Pulumi.yaml": nativeProject() });
  });

  /** Runs inline programs in a process in another folder, and returns what the run did not find. */
  async function missingInline(script: string, folder = "source"): Promise<string[]> {
    project.files({
      "inline.js": `
        const { LocalWorkspace } = require("@pulumi/pulumi/automation");
        const { platform } = require("pulumi-steward");
        process.chdir("${folder}");
        (async () => {${script}})();`,
    });
    const { code, output } = await project.node("inline.js");
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
    return missing(output);
  }

  test("an inline program has the variables of its workspace and of its process, and a path begins at the folder of Pulumi.yaml", async () => {
    const notFound = await missingInline(`
      const program = async () => {
        ${program}
        new platform.SamlSettings("saml", { privateKey: { env: "SET_BEFORE" } });
      };
      const options = { workDir: __dirname, envVars: { SET_IN_WORKSPACE: "secret" } };
      const stack = await LocalWorkspace.selectStack({ stackName: "dev", projectName: "story", program }, options);
      process.env.SET_BEFORE = "secret";
      await stack.preview({ onOutput: console.log });
      stack.workspace.program = async () => {
        new platform.SmtpSettings("mail", { password: { env: "SET_IN_WORKSPACE" } });
        new platform.SmsSettings("sms", { authToken: { file: "settings.txt" } });
      };
      await stack.up({ onOutput: console.log });`);
    expect(notFound).toEqual(["SET_IN_PROGRAM", "main.txt"]);
    expect(sandbox.requests().filter(({ method }) => method === "PATCH")).toHaveLength(2);
  });

  test.each([
    ["of its process", "source", "", "settings.txt"],
    ["`main` of its project", "/", `{ projectSettings: { name: "story", runtime: "nodejs", main: __dirname } }`, "main.txt"],
  ])("without a Pulumi.yaml, a path of an inline program begins at the folder %s", async (_, folder, options, file) => {
    // The native plugin must be listed in a Pulumi.yaml.
    if (native) return;
    const settings = Object.entries(configOf(contextOf(sandbox, "hashicorp")));
    const config = Object.fromEntries(settings.map(([key, value]) => [key, { value: JSON.stringify(value) }]));
    const notFound = await missingInline(
      `
      const program = async () => {${program}};
      const stack = await LocalWorkspace.createOrSelectStack({ stackName: "other", projectName: "story", program }, ${options || "{}"});
      await stack.setAllConfig(${JSON.stringify(config)});
      await stack.preview({ onOutput: console.log });`,
      folder,
    );
    expect(notFound).toEqual(["SET_IN_PROGRAM", file]);
  });
});
