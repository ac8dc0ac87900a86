import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import {
  deployed,
  devDependencies,
  expectDriftShown,
  install,
  lowest,
  packed,
  programs,
  testErrors,
  testMisspelling,
  testModules,
} from "./support/installation";

const tarball = packed();

test("the package is below its size limit and holds only what users need", () => {
  expect(statSync(tarball()).size).toBeLessThan(400_000);
  const files = spawnSync("tar", ["-tzf", tarball()], { encoding: "utf8" }).stdout.trim().split("\n").sort();
  const wanted = /^package\/(dist\/.+\.(m?js|d\.ts|html|css)|docs\/.+\.(md|svg)|package\.json|(README|CHANGELOG)\.md|LICENSE)$/;
  const ours = /\/(test|tools|bench|examples|node_modules)\//;
  expect(files.filter((file) => !wanted.test(file) || ours.test(file))).toEqual([]);
  for (const file of ["dist/provider/index.js", "dist/provider/index.d.ts", "dist/sandbox/index.js", "docs/rekey.md", "LICENSE"])
    expect(files).toContain(`package/${file}`);
});

// test/installations.test.ts covers every supported Node and SDK.
describe("installed from its tarball", () => {
  const current = install(tarball, lowest(devDependencies["@pulumi/pulumi"]));

  testModules(current);

  test.each(Object.entries(programs))(
    "a program in %s is deployed without a secret in the output, and neither refresh nor a second up changes anything",
    async (language, files) => {
      const { project } = current();
      await deployed(project, [language, files]);
      await project.calm();
    },
  );

  testMisspelling(current);
  testErrors(current);

  test("refresh reports drift, preview plans the repair, and destroy removes the role", async () => {
    const { project, role } = current();
    project.files(programs.CommonJS);
    await expectDriftShown(current());
    await project.destroy();
    expect((await role("GET")).status).toBe(404);
  });
});
