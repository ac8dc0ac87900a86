import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { getPulumi, installedSdk } from "../../tools/pulumi";
import { Guides } from "../support/guides";
import { getHosts, getPython } from "../support/hosts";
import { packed } from "../support/installation";
import { allBlocks, blocks } from "../support/pages";
import { Reader } from "../support/reader";

// A reader of the pages about other languages, who starts with an empty folder.

const tarballs = packed();
// The newest SDK may require a newer Node.
const guides = new Guides(() => ({ ...tarballs(), provider: `${tarballs().provider} @pulumi/pulumi@${installedSdk().version}` }));

/** Adds language hosts for the next commands to the reader's PATH: those that run programs, or those that generate code. */
async function hosts(reader: Reader, kind: "running" | "generating"): Promise<void> {
  const { running, generating } = await getHosts();
  const [pulumi, first] = [await getPulumi(), kind === "running" ? running : generating];
  reader.with({ PATH: [...first, ...running, ...pulumi.bin, process.env.PATH ?? ""].join(delimiter) });
}

/** The tokens that the reader types. */
const typed = (): string => `${guides.vault.token}\n${guides.sandbox.platform.token}\n`;

async function expectDeployed(): Promise<void> {
  expect(await guides.role("web")).toMatchObject({ policies: ["deploy", "read-logs"] });
}

guides.test("docs/guides/languages/yaml.md", { hasProject: false }, async (reader) => {
  await hosts(reader, "running");
  await reader.shell();
  reader.save("yaml", "Pulumi.yaml");
  await reader.shell({ input: typed() });
  await expectDeployed();
  // Each block runs in a new terminal.
  reader.with({
    VAULT_ADDR: guides.vault.address,
    VAULT_TOKEN: guides.vault.token,
    TFE_ADDRESS: guides.sandbox.platform.url,
    TFE_TOKEN: guides.sandbox.platform.token,
  });
  await guides.onVault("POST", "nomad/role/batch", { policies: "theirs", type: "client" });
  await reader.shell();
  const [, resource = ""] = reader.read("batch.yaml").split("resources:\n");
  expect(resource).toContain("theirs");
  reader.write("Pulumi.yaml", reader.read("Pulumi.yaml").replace("resources:\n", `resources:\n${resource}`));
  await reader.run("pulumi up --expect-no-changes");
});

guides.test("docs/guides/languages/python.md", { hasProject: false }, async (reader) => {
  await hosts(reader, "generating");
  // The packages that pip would download are already installed.
  reader.with({ PIP_NO_BUILD_ISOLATION: "false", PIP_NO_DEPS: "true" });
  await reader.run(`cp -a ${await getPython()} venv`);
  await reader.shell();
  reader.save("yaml", "Pulumi.yaml");
  reader.save("py", "__main__.py");
  await hosts(reader, "running");
  // The host that is built from a module does not read `virtualenv`.
  reader.with({ PULUMI_PYTHON_CMD: "venv/bin/python" });
  await reader.shell({ input: typed() });
  await expectDeployed();

  const testing = "docs/guides/testing.md";
  const [program = ""] = blocks(testing, "py");
  const [install = "", test = ""] = allBlocks(testing).flatMap(({ language, before, text }) =>
    language === "sh" && before.includes("## In Python") ? [text] : [],
  );
  reader.write("test_main.py", program);
  await reader.run(install.replace("../pulumi-steward/pulumi-steward-sandbox-0.1.0.tgz", tarballs().sandbox));
  expect(await reader.run(test)).toMatch(/^OK$/m);
});

guides.test("docs/guides/languages/go.md", { hasProject: false }, async (reader) => {
  await hosts(reader, "generating");
  await reader.shell();
  reader.save("yaml", "Pulumi.yaml");
  reader.save("go", "main.go");
  await hosts(reader, "running");
  // The checksums of the same modules, so that `go mod tidy` needs no checksum database.
  for (const file of ["go.mod", "go.sum"]) reader.write(file, readFileSync(join(__dirname, "../../examples/go", file), "utf8"));
  await reader.shell({ input: typed(), own: { "go mod init scheduler-engine": "go mod edit -module scheduler-engine" } });
  await expectDeployed();
});
