import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox, start } from "../../sandbox/index";
import { configureExample, exampleEnvironment, exampleIn, generatePrograms, Language } from "../support/languages";
import { Project, Run } from "../support/project";

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

/** The writes of an operation, sorted. */
async function writes(sandbox: Sandbox, operation: () => Promise<Run>): Promise<{ run: Run; sent: string[] }> {
  const before = sandbox.requests().length;
  const run = await operation();
  const sent = sandbox.requests().slice(before);
  return { run, sent: sent.flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`])).sort() };
}

/** The type of each resource in the stack, sorted. */
async function typesOf(project: Project): Promise<string[]> {
  return (await project.resources()).flatMap(({ urn }) => /::(steward:\w+:\w+)::/.exec(urn)?.[1] ?? []).sort();
}

const { resources } = JSON.parse(readFileSync(join(__dirname, "../../bin/schema.json"), "utf8")) as { resources: object };
const written: Partial<Record<Language, string[]>> = {};

test.each(["yaml", "python", "go"] as const)(
  "a program in %s deploys every resource, updates one property and destroys all",
  async (language) => {
    const sandbox = await start({ dialect: "hashicorp" });
    const project = new Project(exampleEnvironment(sandbox));
    try {
      await exampleIn(language, project);
      const unconfigured = await writes(sandbox, () => project.pulumi("up", "--yes", "--skip-preview"));
      expect([unconfigured.run.code === 0, sandbox.requests()]).toEqual([false, []]);
      expect(unconfigured.run.output).toMatch(/missing (required )?configuration/i);
      await configureExample(project, sandbox);
      const created = await writes(sandbox, () => project.up());
      written[language] = created.sent;
      expect(await typesOf(project)).toEqual(Object.keys(resources).sort());
      expect(project.stored()).not.toMatch(/"(a-password|an-auth-token|a-secret-key)"/);
      expect(String((await project.outputs()).secretId)).toMatch(/\w{8}/);
      expect(await project.outputs()).toMatchObject({ workspaceName: "network-test" });

      const calm = await writes(sandbox, () => project.preview("--expect-no-changes"));
      expect(calm.sent).toEqual([]);

      const { file, before, after } = edits[language];
      const path = join(project.folder, "program", file);
      const program = readFileSync(path, "utf8");
      expect(program.split(before)).toHaveLength(2);
      writeFileSync(path, program.replace(before, after));
      const changed = await writes(sandbox, () => project.up());
      expect(changed.run.changes).toEqual(expect.arrayContaining(["~ policies: [", '+ [1]: "submit"']));
      expect(changed.sent).toEqual([expect.stringMatching(/^PUT .*\/role\/web$|^POST .*\/role\/web$/)]);

      await project.destroy();
      expect(await typesOf(project)).toEqual([]);
    } finally {
      project.remove();
      await sandbox.close();
    }
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
  try {
    project.files({ "Pulumi.yaml": `name: story\nruntime: ${runtime}\n`, [file]: before });
    await generatePrograms(project);
    const { code, output } = await project.pulumi("package", "add", "./node_modules/pulumi-steward/bin/pulumi-resource-steward");
    if (code !== 0) throw new Error(output);
    expect(read("Pulumi.yaml")).toMatch(/^packages:\n +steward: steward@\d+\.\d+\.\d+$/m);
    expect(read(file).replaceAll(/":\s*"/g, '": "')).toContain(dependency);
    expect(read(`sdks/steward/${source}`)).toMatch(/policies/i);
  } finally {
    project.remove();
  }
});
