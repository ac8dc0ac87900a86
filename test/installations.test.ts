import {
  devDependencies,
  engines,
  install,
  lowest,
  packed,
  peerDependencies,
  programs,
  testInstallation,
  tsconfig,
  upWithoutSecrets,
} from "./support/installation";

// `TESTS=night npm test -- test/installations`. test/package.test.ts deploys with the current Node and SDK.

const tarballs = packed();

/** The oldest and newest versions that package.json supports. Add a newer SDK here when it is released. */
const newest = "3.276.0";
const ends = [
  { node: lowest(engines.node), sdk: lowest(peerDependencies["@pulumi/pulumi"]) },
  { node: "26.12.1", sdk: newest },
];
/** The last SDK for Node 20, and the older Nodes for the newest SDK. */
const between = [
  { node: lowest(engines.node), sdk: lowest(devDependencies["@pulumi/pulumi"]) },
  { node: "22.23.3", sdk: newest },
  { node: "24.21.0", sdk: newest },
];

describe.each(between)("installed from its tarball, on Node $node with @pulumi/pulumi $sdk", ({ node, sdk }) => {
  const current = install(tarballs, sdk, node);

  test("the output of up holds no secret at the highest log level", async () => {
    const { project } = current();
    await upWithoutSecrets(project.files(programs.CommonJS));
    await project.destroy();
  });
});

describe.each(ends)("installed from its tarball, on Node $node with @pulumi/pulumi $sdk", ({ node, sdk }) =>
  testInstallation(install(tarballs, sdk, node)),
);

// The newest that the SDK permits. Pulumi then runs programs with it, if ts-node is installed too.
describe("TypeScript 6.0", () => {
  const current = install(tarballs, newest, "24.21.0", "typescript@6.0.3", "ts-node@10.9.2");

  test("compiles a program with the configuration of `pulumi new typescript`, and Pulumi runs it", async () => {
    const { project } = current();
    await project.files({ ...programs.TypeScript, "tsconfig.json": JSON.stringify(tsconfig) }).up();
    expect((await project.outputs()).compiler).toEqual([expect.stringContaining("/node_modules/typescript/lib/")]);
    await project.destroy();
  });
});
