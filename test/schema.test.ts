import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { pulumiEnvironment } from "../tools/environment";
import { getPulumi } from "../tools/pulumi";
import { temporaryFolder } from "./support/cleanup";
import { compileAll } from "./support/compile";
import { root } from "./support/pages";

interface ResourceSpec {
  description: string;
  inputProperties: Record<string, unknown>;
  requiredInputs: string[];
}

const schema = JSON.parse(readFileSync(join(root, "bin/schema.json"), "utf8")) as {
  logoUrl: string;
  resources: Record<string, ResourceSpec>;
};
const examples = Object.entries(schema.resources).map(([token, spec]) => {
  const [, part = ""] = /\{\{% examples %\}\}([\s\S]*)\{\{% \/examples %\}\}/.exec(spec.description) ?? [];
  const blocks = Object.fromEntries([...part.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, code = ""]) => [language, code]));
  return { token, spec, blocks };
});

test("each resource has an example in TypeScript, Python and YAML with its required inputs", () => {
  expect(examples.length).toBeGreaterThanOrEqual(18);
  const wrong = examples.filter(({ token, spec, blocks }) => {
    const [resource] = Object.values(parse(blocks.yaml ?? "").resources) as { type: string; properties?: object }[];
    const names = Object.keys(resource?.properties ?? {});
    const isComplete = spec.requiredInputs.every((name) => names.includes(name)) && names.every((name) => name in spec.inputProperties);
    return !isComplete || resource?.type !== token || !blocks.python?.includes(`${token.replace(/^steward:(\w+):/, "$1.")}(`);
  });
  expect(wrong).toEqual([]);
  const programs = examples.map(({ blocks }, index) => [`example-${index}.mts`, `${blocks.typescript}\nexport {};\n`]);
  expect(compileAll(Object.fromEntries(programs)).errors).toEqual([]);
});

test("the logo of the schema is in this repository", () => {
  const file = schema.logoUrl.replace("https://raw.githubusercontent.com/pulumi-steward/pulumi-steward/main/", "");
  expect(readFileSync(join(root, file), "utf8")).toContain("<svg ");
});

test("Pulumi accepts the schema without a warning, and the plugin returns it", async () => {
  const pulumi = await getPulumi();
  const run = (args: string[]): { status: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(pulumi.command, args, {
      cwd: root,
      env: pulumiEnvironment(temporaryFolder(), pulumi),
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  expect(run(["schema", "check", "bin/schema.json"])).toEqual({ status: 0, stdout: "", stderr: "" });
  const { stdout, ...rest } = run(["package", "get-schema", "./bin/pulumi-resource-steward"]);
  expect(rest).toEqual({ status: 0, stderr: "" });
  expect(Object.keys(JSON.parse(stdout).resources).sort()).toEqual(Object.keys(schema.resources).sort());
});
