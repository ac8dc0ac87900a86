import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

// Third-party code that may change, and the measures against that.

const github = join(__dirname, "../.github");

test("workflows pin each action by digest with its release next to it, and a bot updates both", () => {
  const workflows = readdirSync(join(github, "workflows")).map((file) => readFileSync(join(github, "workflows", file), "utf8"));
  const uses = workflows.flatMap((text) => text.split("\n").filter((line) => /\buses:/.test(line)));
  expect(uses.length).toBeGreaterThan(5);
  for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const { updates } = parse(readFileSync(join(github, "dependabot.yml"), "utf8"));
  expect(updates).toContainEqual(expect.objectContaining({ "package-ecosystem": "github-actions", directory: "/" }));
});

test("a release has an executable for every platform, with a provenance attestation, and the checksums of all", () => {
  const { jobs } = parse(readFileSync(join(github, "workflows/release.yml"), "utf8"));
  const [attest] = jobs.executables.steps.filter(({ uses = "" }) => uses.startsWith("actions/attest-build-provenance@"));
  expect(attest.with).toEqual({ "subject-path": "archives/*.tar.gz" });
  expect(jobs.executables.permissions).toEqual({ contents: "write", "id-token": "write", attestations: "write" });
  const ofAll = expect.stringMatching(/ --pattern '\*\.tar\.gz'\nsha256sum -- \*\.tar\.gz > SHA256SUMS\n/);
  expect(jobs.checksums).toMatchObject({ needs: "executables", steps: [{ run: ofAll }] });
  const page = readFileSync(join(__dirname, "../docs/rekey/command-line.md"), "utf8");
  expect(page).toMatch(/sha256sum --check .*SHA256SUMS && gh attestation verify pulumi-resource-steward-v\*\.tar\.gz /);
  const runners = jobs.executables.strategy.matrix.runner as string[];
  // The labels of GitHub's runners. `macos-latest` is an arm64 machine.
  expect(runners).toEqual(["ubuntu-latest", "ubuntu-24.04-arm", "macos-15-intel", "macos-latest", "windows-latest", "windows-11-arm"]);
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

test("the provider has six dependencies, none of which is a server, and does not install the sandbox", () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8"));
  expect(Object.keys(dependencies)).toEqual(["commander", "eckey-utils", "lossless-json", "openpgp", "undici", "zod"]);
  expect(Object.keys(peerDependencies)).toEqual(["@pulumi/pulumi", "pulumi-steward-sandbox"]);
  expect(peerDependenciesMeta).toEqual({ "pulumi-steward-sandbox": { optional: true } });
});

test("each dependency of the two packages is justified in docs/development/dependencies.md", () => {
  const rows = readFileSync(join(__dirname, "../docs/development/dependencies.md"), "utf8").match(/^\| `.*$/gm) ?? [];
  for (const folder of ["..", "../sandbox"]) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(__dirname, folder, "package.json"), "utf8"));
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith("@types/"));
    expect(names.filter((name) => !rows.some((row) => row.split("|")[1]?.includes(`\`${name}\``)))).toEqual([]);
  }
});
