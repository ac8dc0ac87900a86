import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

// What others may change under us, and what keeps them from it.

const github = join(__dirname, "../.github");

test("workflows name each action by digest, with its release beside it, and a bot moves both", () => {
  const workflows = readdirSync(join(github, "workflows")).map((file) => readFileSync(join(github, "workflows", file), "utf8"));
  const uses = workflows.flatMap((text) => text.split("\n").filter((line) => /\buses:/.test(line)));
  expect(uses.length).toBeGreaterThan(5);
  for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const { updates } = parse(readFileSync(join(github, "dependabot.yml"), "utf8"));
  expect(updates).toContainEqual(expect.objectContaining({ "package-ecosystem": "github-actions", directory: "/" }));
});
