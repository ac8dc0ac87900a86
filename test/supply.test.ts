import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

// What others may change under us, and what keeps them from it.

const github = join(__dirname, "../.github");

test("workflows pin each action by digest with its release beside it, and a bot updates both", () => {
  const workflows = readdirSync(join(github, "workflows")).map((file) => readFileSync(join(github, "workflows", file), "utf8"));
  const uses = workflows.flatMap((text) => text.split("\n").filter((line) => /\buses:/.test(line)));
  expect(uses.length).toBeGreaterThan(5);
  for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const { updates } = parse(readFileSync(join(github, "dependabot.yml"), "utf8"));
  expect(updates).toContainEqual(expect.objectContaining({ "package-ecosystem": "github-actions", directory: "/" }));
});

interface Entry {
  link?: boolean;
  integrity?: string;
}

test("package-lock.json has a digest for every package and no registry address", () => {
  const text = readFileSync(join(__dirname, "../package-lock.json"), "utf8");
  const entries = Object.entries(JSON.parse(text).packages as Record<string, Entry>);
  const installed = entries.filter(([path, { link }]) => path.includes("node_modules/") && !link);
  expect(installed.length).toBeGreaterThan(300);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
  expect(text).not.toMatch(/"resolved": "https?:/);
});
