import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configureExample, exampleEnvironment, exampleIn, generatePrograms, Language } from "../support/languages";
import { Project } from "../support/project";
import { sentBy, startSandbox } from "../support/sandbox";

// The same resources, one of each type, in every language that has an example.

/** The edit of each program: another policy for a role. */
const edits: Record<Language, { file: string; before: string; after: string }> = {
  yaml: { file: "Pulumi.yaml", before: "policies: [readonly]\n", after: "policies: [readonly, submit]\n" },
  python: { file: "__main__.py", before: 'policies=["readonly"],\n', after: 'policies=["readonly", "submit"],\n' },
  go: {
    file: "main.go",
    before: 'pulumi.StringArray{pulumi.String("readonly")},\n',
    after: 'pulumi.StringArray{pulumi.String("readonly"), pulumi.String("submit")},\n',
  },
};

/** The type of each resource in the stack, sorted. */
async function typesOf(project: Project): Promise<string[]> {
  return (await project.resources()).flatMap(({ urn }) => /::(steward:\w+:\w+)::/.exec(urn)?.[1] ?? []).sort();
}

const { resources } = JSON.parse(readFileSync(join(__dirname, "../../bin/schema.json"), "utf8")) as { resources: object };
const written: Partial<Record<Language, string[]>> = {};

test.each(["yaml", "python", "go"] as const)(
  "a program in %s deploys every resource, updates one property and destroys all",
  async (language) => {
    const sandbox = await startSandbox();
    const project = new Project(exampleEnvironment(sandbox));
    await exampleIn(language, project);
    const unconfigured = await sentBy(sandbox, () => project.pulumi("up", "--yes", "--skip-preview"));
    expect([unconfigured.run.code === 0, unconfigured.sent]).toEqual([false, []]);
    expect(unconfigured.run.output).toMatch(/missing (required )?configuration/i);
    await configureExample(project, sandbox);
    const created = await sentBy(sandbox, () => project.up());
    written[language] = created.writes;
    expect(await typesOf(project)).toEqual(Object.keys(resources).sort());
    expect(project.stored()).not.toMatch(/"(a-password|an-auth-token|a-secret-key)"/);
    expect(String((await project.outputs()).secretId)).toMatch(/\w{8}/);
    // The program lists with the token that it generates.
    const job = language === "go" ? {} : { job: "api" };
    expect(await project.outputs()).toMatchObject({ workspaceName: "network-test", ...job });

    expect(await sentBy(sandbox, () => project.preview("--expect-no-changes"))).toMatchObject({ writes: [] });

    const { file, before, after } = edits[language];
    const path = join(project.folder, "program", file);
    const program = readFileSync(path, "utf8");
    expect(program.split(before)).toHaveLength(2);
    writeFileSync(path, program.replace(before, after));
    const changed = await sentBy(sandbox, () => project.up());
    expect(changed.run.changes).toEqual(expect.arrayContaining(["~ policies: [", '+ [1]: "submit"']));
    expect(changed.writes).toEqual([expect.stringMatching(/^PUT .*\/role\/web$|^POST .*\/role\/web$/)]);

    await project.destroy();
    expect(await typesOf(project)).toEqual([]);
  },
);

test("a program sends the same requests in each language", () => {
  expect(written.yaml?.length).toBeGreaterThanOrEqual(15);
  expect(written.python).toEqual(written.yaml);
  expect(written.go).toEqual(written.yaml);
});

test.each([
  ["python", "requirements.txt", "pulumi\n", "pulumi\nsdks/steward\n", "pulumi_steward/secrets/scheduler_role.py"],
  ["go", "go.mod", "module story\n\ngo 1.24\n", "pulumi-steward/sdk/go => ./sdks/steward", "steward/secrets/schedulerRole.go"],
  ["nodejs", "package.json", '{ "name": "story" }', '"pulumi-steward": "file:sdks/steward"', "secrets/schedulerRole.ts"],
])("pulumi package add makes the SDK for %s a dependency of the program", async (runtime, file, before, dependency, source) => {
  const project = new Project();
  const read = (name: string): string => readFileSync(join(project.folder, "program", name), "utf8");
  project.files({ "Pulumi.yaml": `name: story\nruntime: ${runtime}\n`, [file]: before });
  await generatePrograms(project);
  await project.succeed("package", "add", "./node_modules/pulumi-steward/bin/pulumi-resource-steward");
  expect(read("Pulumi.yaml")).toMatch(/^packages:\n +steward: steward@\d+\.\d+\.\d+$/m);
  expect(read(file).replaceAll(/":\s*"/g, '": "')).toContain(dependency);
  expect(read(`sdks/steward/${source}`)).toMatch(/policies/i);
});
