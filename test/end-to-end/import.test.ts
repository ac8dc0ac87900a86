import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "../../sandbox/index";
import { compileAll } from "../support/compile";
import { ownName } from "../support/definitions";
import { discoverIn } from "../support/discovery";
import { configureExample, exampleEnvironment, exampleIn, generatePrograms, runPrograms } from "../support/languages";
import { platform } from "../support/platform";
import { nativeProject, Project } from "../support/project";
import { sentBy, startSandbox } from "../support/sandbox";

// `pulumi import` and the generated program, for every resource that can be read by its id.

let sandbox: Sandbox;
let deployed: Project;
let all: { type: string; name: string; id: string }[];

beforeAll(async () => {
  sandbox = await startSandbox();
  deployed = new Project(exampleEnvironment(sandbox));
  await exampleIn("yaml", deployed);
  await configureExample(deployed, sandbox);
  await deployed.up();
  // discover finds only enabled SCIM settings.
  const { change } = platform("hashicorp", sandbox);
  const url = "https://idp.example.com";
  await change("saml", { enabled: true, providerType: "okta", ssoEndpointUrl: url, sloEndpointUrl: url });
  await change("scim", { enabled: true });
  all = (await deployed.resources()).flatMap(({ urn, id }) => {
    const [, type = "", name = ""] = /::(steward:\w+:\w+)::(.*)$/.exec(urn) ?? [];
    return type ? [{ type, name, id: String(id) }] : [];
  });
});

/** Resources that cannot be read: a token is shown once, and the others are operations. */
const hasNothingToRead = /:(Rekey|SchedulerToken|ScimToken|OidcKeyRotation|OidcKeyTrim|SamlCertificateRevocation|SmsVerification)$/;
const readable = () => all.filter(({ type }) => !hasNothingToRead.test(type));

/** Writes the generated resources into the program. */
type Adopt = (project: Project, generated: string) => void;
const runtimes: [runtime: "yaml" | "nodejs", adopt: Adopt][] = [
  ["yaml", (project, generated) => project.files({ "Pulumi.yaml": nativeProject("yaml") + generated })],
  ["nodejs", (project, generated) => project.typescript(generated)],
];

/** Imports with these arguments, adds the generated resources to the program, and returns it. */
async function imported(project: Project, adopt: Adopt, ...args: string[]): Promise<string> {
  await generatePrograms(project);
  const run = await project.succeed("import", ...args, "--out", "generated", "--yes", "--skip-preview", "--protect=false");
  await runPrograms(project);
  const generated = readFileSync(join(project.folder, "program/generated"), "utf8");
  expect(run.output + generated).not.toMatch(ownName);
  adopt(project, generated);
  return generated;
}

async function expectNothingSent(project: Project): Promise<void> {
  await project.preview("--expect-no-changes");
  expect(await sentBy(sandbox, () => project.up("--expect-no-changes"))).toMatchObject({ sent: [] });
}

/** Runs a story in a project of this runtime, with the native plugin. */
async function inProject(runtime: string, story: (project: Project) => Promise<void>): Promise<void> {
  const project = new Project(sandbox.env).files({ "Pulumi.yaml": nativeProject(runtime) });
  await project.set("steward:native", "true");
  await story(project);
}

test.each(runtimes)("pulumi import of what discover finds generates a program for %s that changes nothing", (runtime, adopt) =>
  inProject(runtime, async (project) => {
    const found = await discoverIn(project, "--as-set", "--workspaces", "--module", "acme/network/aws");
    // The token of an access configuration cannot be read, and the set of roles includes the single role.
    const isComplete = ({ type }: { type: string }): boolean => !/:(SchedulerAccess|SchedulerRole)$/.test(type);
    const resources = found.resources.filter(isComplete);
    const typesOf = (list: { type: string }[]): string[] => [...new Set(list.map(({ type }) => type))].sort();
    expect(typesOf(resources)).toEqual(typesOf(readable().filter(isComplete)));
    project.files({ "resources.json": JSON.stringify({ resources }) });
    const generated = await imported(project, adopt, "--file", "resources.json");
    if (runtime === "nodejs") expect(compileAll({ "program.ts": generated }).errors).toEqual([]);
    await expectNothingSent(project);
  }),
);

test.each(runtimes)("pulumi import of a single resource generates its program for %s", (runtime, adopt) =>
  inProject(runtime, async (project) => {
    const generated = await imported(project, adopt, "steward:secrets:SchedulerRole", "web", "nomad/role/web");
    expect(generated).toMatch(/readonly/);
    await expectNothingSent(project);
    const { type, id } = readable().find((each) => each.type.endsWith(":SchedulerAccess")) as (typeof all)[number];
    await imported(project, adopt, type, "access", id);
    const refused = await project.pulumi("preview");
    expect(refused.output).toContain("token: is missing");
  }),
);
