import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freshSandbox } from "../../sandbox/sandbox";
import { newStory } from "../../support/story";

const root = join(__dirname, "../../../examples");
// test/end-to-end/languages.test.ts runs those in other languages.
const examples = readdirSync(root).filter((name) => existsSync(join(root, name, "index.ts")));
/** It only reads. */
const report = "scheduler-report";

test("no example contains a secret, or destroys the only copy of shares", () => {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => !file.includes("node_modules") && /(index\.ts|__main__\.py|main\.go|Pulumi\.yaml)$/.test(file),
  );
  expect(files.length).toBeGreaterThanOrEqual(11);
  // An optional secret needs a placeholder.
  const harmful = /discard_?shares|fn::secret|\bToSecret\(|\.secret\(|get_?secret|(password|token|secret_?key)["']?\s*[:=]+\s*["'`]/i;
  expect(files.filter((file) => harmful.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

describe.each(["standard", "hashicorp"] as const)("an example without its configuration (%s)", (dialect) => {
  const sandbox = freshSandbox({ dialect });

  /** The keys of the configuration that a program requires. */
  const keysOf = (name: string): string[] =>
    [...readFileSync(join(root, name, "index.ts"), "utf8").matchAll(/\.require(?:Secret)?\("(\w+)"\)/g)].map(([, key]) => key as string);
  const cases = examples.flatMap((name) => ["any configuration", ...keysOf(name)].map((missing) => ({ name, missing })));

  test.each(cases)("$name sends nothing without $missing", async ({ name, missing }) => {
    const project = newStory(sandbox().env).example(name);
    const others = missing === "any configuration" ? [] : keysOf(name).filter((key) => key !== missing);
    for (const key of others) await project.set(key, "http://127.0.0.1:1", "--secret");
    const before = sandbox().requests().length;
    const { code, output } = await project.pulumi("up", "--yes", "--skip-preview");
    const sent = sandbox().requests().slice(before);
    if (name === report) return expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(sent).toEqual([]);
    expect(output).toMatch(/Missing required configuration variable|Add the public key of each holder/);
    expect(code).not.toBe(0);
  });
});
