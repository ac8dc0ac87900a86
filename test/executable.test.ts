import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { makeExecutable } from "../tools/executable";
import { temporaryFolder } from "./support/cleanup";
import { configureExample, exampleEnvironment, exampleWithRekey, runPrograms } from "./support/languages";
import { makeHolder } from "./support/pgp";
import { Project } from "./support/project";
import { startSandbox } from "./support/sandbox";

const execute = promisify(execFile);

const { version } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8")) as { version: string };

test("the executable plugin is installed from its archive and deploys every resource on a machine without Node", async () => {
  const folder = temporaryFolder();
  const sandbox = await startSandbox();
  const project = new Project(exampleEnvironment(sandbox));
  exampleWithRekey("yaml", project);
  const archive = await makeExecutable(folder);
  const os = process.platform === "win32" ? "windows" : process.platform;
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  expect(basename(archive)).toBe(`pulumi-resource-steward-v${version}-${os}-${architecture}.tar.gz`);

  const file = join(project.folder, "program/Pulumi.yaml");
  const program = readFileSync(file, "utf8").replace(/^plugins:\n(?: .*\n)+/m, "");
  expect(program).not.toContain("node_modules");
  writeFileSync(file, program);
  await runPrograms(project);
  await configureExample(project, sandbox);
  // The PATH has neither `node` nor any other program of the system.
  const PATH = join(project.folder, "bin");
  project.with({ PATH, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" });
  const missing = await project.pulumi("preview");
  expect(missing.code).not.toBe(0);
  expect(missing.output).toContain("no resource plugin 'pulumi-resource-steward' found in the workspace or on your $PATH");

  const installed = await project.pulumi("plugin", "install", "resource", "steward", version, "--file", archive);
  expect(installed).toMatchObject({ code: 0 });
  // The library loads a module for the signatures of these keys.
  const holders = await Promise.all([1, 2, 3, 4, 5].map(() => makeHolder({ type: "ecc", curve: "brainpoolP256r1" })));
  const pgpKeys = JSON.stringify(holders.map(({ publicKey }) => publicKey));
  writeFileSync(file, program.replace("keepSharesInState: true", `pgpKeys: ${pgpKeys}`));
  await project.preview();
  writeFileSync(file, program);
  await project.up();
  // A holder installs the same file.
  await execute("tar", ["-xzf", archive, "-C", folder]);
  const variables = { PATH, SECRETS_ADDR: sandbox.secrets.url, SECRETS_TOKEN: sandbox.secrets.token };
  const { stdout } = await execute(join(folder, "pulumi-resource-steward"), ["rekey", "status"], { env: variables });
  expect(stdout).toBe(`no rekey of the unseal keys in progress on ${sandbox.secrets.url}\n`);
  await project.preview("--expect-no-changes");
  await project.destroy();
});
