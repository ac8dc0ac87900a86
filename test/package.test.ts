import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { npm } from "../tools/npm";
import { temporaryFolder } from "./support/cleanup";
import { dependencies, devDependencies, install, lowest, packed, testInstallation } from "./support/installation";
import { blocks, root } from "./support/pages";

const tarballs = packed();

/** The files of a tarball. `unwanted` are those that are not of a kind that users need. */
function filesOf(tarball: string): { files: string[]; unwanted: string[] } {
  const files = spawnSync("tar", ["-tzf", tarball], { encoding: "utf8" }).stdout.trim().split("\n").sort();
  const wanted =
    /^package\/(bin\/(pulumi-resource-steward|schema\.json)|dist\/.+\.(m?js|d\.ts|html|css)|docs\/.+\.(md|svg)|package\.json|(README|CHANGELOG)\.md|LICENSE)$/;
  const ours = /\/(test|tools|bench|examples|node_modules|development)\//;
  return { files, unwanted: files.filter((file) => !wanted.test(file) || ours.test(file)) };
}

test.each([
  [
    "provider",
    520_000,
    ["bin/pulumi-resource-steward", "dist/provider/index.js", "dist/provider/index.d.ts", "docs/rekey/README.md", "docs/rekey/errors.md"],
  ],
  // Its package has the page and the compiled grammar.
  [
    "sandbox",
    150_000,
    [
      "README.md",
      ...["index.js", "index.d.ts", "command.js", "page/public/page.html", "page/public/page.mjs", "scheduler/filter/parser.js"].map(
        (file) => `dist/${file}`,
      ),
    ],
  ],
] as const)("the package of the %s is below its size limit and contains only files for users", (name, limit, wanted) => {
  const tarball = tarballs()[name];
  expect(statSync(tarball).size).toBeLessThan(limit);
  const { files, unwanted } = filesOf(tarball);
  expect(unwanted).toEqual([]);
  for (const file of ["LICENSE", ...wanted]) expect(files).toContain(`package/${file}`);
  if (name === "sandbox") return;
  // The sandbox is a separate package. This one contains its command and the pages about it, but none of its code.
  const command = ["entry.d.ts", "entry.js"].map((end) => `dist/command/sandbox-${end}`);
  const all = [...command, "dist/command/sandbox.js", "docs/api/sandbox.md", "docs/getting-started/sandbox.md"];
  expect(files.filter((file) => file.includes("sandbox"))).toEqual(all.map((file) => `package/${file}`));
});

describe("installed without the sandbox", () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    writeFileSync(join(folder, "package.json"), '{ "name": "alone", "private": true }');
    await npm(["install", "--ignore-scripts", "--prefer-offline", tarballs().provider], { cwd: folder });
  });

  test("it installs its own dependencies, and nothing of the sandbox", () => {
    const { packages } = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"));
    const names = Object.keys(packages).map((path) => path.replace("node_modules/", ""));
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    const { name, dependencies: its } = JSON.parse(readFileSync(join(__dirname, "../sandbox/package.json"), "utf8"));
    const unwanted = [name, ...Object.keys(its).filter((each) => !(each in dependencies))];
    expect(unwanted).toContain("hono");
    expect(names.filter((each) => unwanted.includes(each))).toEqual([]);
  });

  test("pulumi-steward sandbox says what to install", () => {
    const { status, stdout, stderr } = spawnSync(join(folder, "node_modules/.bin/pulumi-steward"), ["sandbox"], { encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^pulumi-steward: .*#install-and-use\.\n$/),
    });
  });
});

test("the README's commands pack both packages from a clone, for npm install", () => {
  const folder = temporaryFolder();
  // Stands in for `git clone`, with the files that are not committed yet.
  const clone = join(folder, "pulumi-steward");
  const fresh = (file: string): boolean => !/(^|\/)(\.git|node_modules|dist)$/.test(relative(root, file));
  cpSync(root, clone, { recursive: true, filter: fresh });
  const cloning = "git clone https://github.com/pulumi-steward/pulumi-steward\n";
  const block = blocks("README.md", "sh").find((each) => each.startsWith(cloning)) ?? "";
  const [packing = "", ...others] = block.replace(cloning, "").split("\n");
  const env = { ...process.env, npm_config_prefer_offline: "true" };
  const { status, stderr } = spawnSync("bash", ["-euc", packing], { cwd: folder, env, encoding: "utf8" });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const [tarball] = others.flatMap((line) => /^npm install \.\.\/(.+\.tgz)$/.exec(line)?.[1] ?? []);
  expect(readFileSync(join(folder, tarball ?? "")).equals(readFileSync(tarballs().provider))).toBe(true);
  expect(existsSync(join(clone, basename(tarballs().sandbox)))).toBe(true);
});

// test/installations.test.ts covers every supported Node and SDK.
describe("installed with the sandbox", () => testInstallation(install(tarballs, lowest(devDependencies["@pulumi/pulumi"]))));
