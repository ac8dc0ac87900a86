import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./cleanup";
import { tsconfig } from "./installation";

/** Makes a repository with the template that `pulumi new typescript` reads from Pulumi's. Returns the variables that name it. */
export function templates(): () => Record<string, string> {
  let folder: string;
  beforeAll(() => {
    folder = makeTemplates();
  });
  return () => ({ PULUMI_TEMPLATE_GIT_REPOSITORY: folder, PULUMI_TEMPLATE_BRANCH: "main", PULUMI_DISABLE_REGISTRY_RESOLVE: "true" });
}

function makeTemplates(): string {
  const folder = temporaryFolder();
  // Pulumi replaces these placeholders.
  const [name, description] = ["PROJECT", "DESCRIPTION"].map((variable) => `$\{${variable}}`);
  const files = {
    "Pulumi.yaml": JSON.stringify({
      name,
      description,
      runtime: { name: "nodejs", options: { packagemanager: "npm" } },
      template: { description: "A minimal TypeScript program" },
    }),
    "package.json": JSON.stringify({
      name,
      main: "index.ts",
      devDependencies: { "@types/node": "^20", typescript: "^5.0.0" },
      dependencies: { "@pulumi/pulumi": "^3.113.0" },
    }),
    "tsconfig.json": JSON.stringify(tsconfig),
    "index.ts": 'import * as pulumi from "@pulumi/pulumi";\n',
  };
  mkdirSync(join(folder, "typescript"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "typescript", file), text);
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    [...author, "commit", "--quiet", "--message=Add a template"],
  ])
    execFileSync("git", args, { cwd: folder });
  return folder;
}
