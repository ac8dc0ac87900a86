import {
  devDependencies,
  engines,
  install,
  lowest,
  packed,
  peerDependencies,
  programs,
  testInstallation,
  upWithoutSecrets,
} from "./support/installation";

// `TESTS=night npm test -- test/installations`. test/package.test.ts deploys with the current Node and SDK.

const tarballs = packed();

/** The oldest and newest versions that package.json supports. Add a newer SDK here when it is released. */
const newest = "3.270.0";
const ends = [
  { node: lowest(engines.node), sdk: lowest(peerDependencies["@pulumi/pulumi"]) },
  { node: "24.21.0", sdk: newest },
];
/** The last SDK for Node 20, and the first Node for the newest SDK. */
const between = [
  { node: lowest(engines.node), sdk: lowest(devDependencies["@pulumi/pulumi"]) },
  { node: "22.23.3", sdk: newest },
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
