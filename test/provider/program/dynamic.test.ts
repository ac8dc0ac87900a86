import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { dynamic, runtime } from "@pulumi/pulumi";
import { secrets } from "../../../provider";
import { providerText } from "../../../provider/program/dynamic";
import { definitions } from "../../../provider/registry/resources";
import { temporaryFolder } from "../../support/cleanup";

describe("the provider's source that Pulumi stores", () => {
  test.each([...definitions.map(({ token }) => token), "platform:SamlCertificateRevocation"])(
    "is one line of at most 200 bytes for %s",
    (token) => {
      expect(Buffer.byteLength(providerText(token))).toBeLessThanOrEqual(200);
      expect(providerText(token)).not.toContain("\n");
    },
  );

  test("tells the user to install the program's dependencies if the package is missing", () => {
    const { printed } = run(
      `const stored = new (require("module"))("");
      stored.paths = [];
      stored._compile(${JSON.stringify(providerText("secrets:SchedulerRole"))}, "");
      try {
        stored.exports.handler();
      } catch ({ message, stack }) {
        console.log(JSON.stringify([message, stack]));
      }`,
    );
    expect(printed).toEqual(["Install the program's dependencies", ""]);
  });
});

// test/end-to-end/reference-sources covers inline programs, which may run in any folder.
test.each(["", `process.chdir(${JSON.stringify(__dirname)});`])(
  "the first resource fails if the program's own dependencies lack the package, after %j",
  (change) => {
    const library = join(__dirname, "../../../dist/provider");
    const { folder, printed } = run(
      `const { secrets } = require(${JSON.stringify(library)});
    ${change}
    try {
      new secrets.SchedulerRole("web", { name: "web" });
    } catch ({ code, message }) {
      console.log(JSON.stringify([code, message]));
    }
    // Pulumi's SDK keeps the process alive.
    process.exit();`,
    );
    expect(printed).toEqual(["ERR_NOT_INSTALLED", expect.stringMatching(`${folder}.*#install-and-use`)]);
  },
);

// The package relies on undocumented behavior. This fails if a newer SDK changes it, and test/end-to-end if its process calls something else.
describe("the protocol of Pulumi's dynamic providers", () => {
  test("dynamic.Resource still registers the same type and properties as this package", async () => {
    const registered: { type: string; keys: string[] }[] = [];
    await runtime.setMocks({
      call: () => ({}),
      newResource: ({ type, id, inputs }) => {
        registered.push({ type, keys: Object.keys(inputs) });
        return { id: id ?? "id", state: inputs };
      },
    });
    class Theirs extends dynamic.Resource {}
    const theirs = new Theirs(
      { create: async () => ({ id: "x" }) },
      "theirs",
      { name: "web" },
      undefined,
      "steward/secrets",
      "SchedulerRole",
    );
    // docs/guides/testing.md: under mocks, no default is set and no name is checked.
    const ours = new secrets.SchedulerRole("ours", { name: "bad name!" });
    await new Promise((done) => pulumi.all([theirs.urn, ours.urn]).apply(done));
    expect(registered).toHaveLength(2);
    expect(registered[1]?.type).toBe(registered[0]?.type);
    for (const { keys } of registered) expect(keys.sort()).toEqual(["__provider", "name"]);
  });
});

/** Runs a script as Pulumi does, in a folder without packages. Returns the folder, and what the script prints as JSON. */
function run(script: string): { folder: string; printed: unknown } {
  const folder = temporaryFolder();
  const file = join(folder, "cmd/run/index.js");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, script);
  const printed = JSON.parse(execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8" }));
  return { folder, printed };
}
