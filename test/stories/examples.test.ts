import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox, start } from "../../sandbox/index";
import { newStory } from "../support/story";

const root = join(__dirname, "../../examples");
// test/end-to-end/languages.test.ts runs those in other languages.
const examples = readdirSync(root).filter((name) => existsSync(join(root, name, "index.ts")));
/** It only reads. */
const report = "scheduler-report";

test("no example contains a secret, or destroys the only copy of shares", () => {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => !file.includes("node_modules") && /(index\.ts|__main__\.py|main\.go|Pulumi\.yaml)$/.test(file),
  );
  expect(files.length).toBeGreaterThanOrEqual(11);
  const harmful = /discard_?shares|fn::secret|\bToSecret\(|\.secret\(/i;
  expect(files.filter((file) => harmful.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

describe.each(["standard", "hashicorp"] as const)("an example without its configuration (%s)", (dialect) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterAll(() => sandbox.close());

  test.each(examples)("%s sends nothing", async (name) => {
    const project = newStory(sandbox.env);
    try {
      const before = sandbox.requests().length;
      const { code, output } = await project.example(name).pulumi("up", "--yes", "--skip-preview");
      const sent = sandbox.requests().slice(before);
      if (name === report) return expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
      expect(sent).toEqual([]);
      expect(output).toMatch(/Missing required configuration variable|Add the public key of each holder/);
      expect(code).not.toBe(0);
    } finally {
      project.remove();
    }
  });
});
