// Old versions of a private module: whoever still uses one is told in every run what to use instead.
import { platform } from "pulumi-steward";

const network = { organizationName: "acme", moduleName: "network", moduleProvider: "aws" };

const deprecations = ["1.0.0", "1.0.0+build.5", "1.1.0"].map(
  (moduleVersion) =>
    new platform.ModuleVersionDeprecation(`network-${moduleVersion}`, {
      ...network,
      moduleVersion,
      reason: "Use 2.0.0, which encrypts the flow logs.",
      link: "https://wiki.example.com/network-2",
    }),
);

// As users read it: the platform may add words of its own.
export const published = deprecations.map(({ publishedReason }) => publishedReason);
