// Deprecates old versions of a private module. Each run that uses one prints a warning with the replacement.
import * as pulumi from "@pulumi/pulumi";
import { platform } from "pulumi-steward";

const config = new pulumi.Config();
const network = { organizationName: config.require("organization"), moduleName: "network", moduleProvider: "aws" };

const deprecations = ["1.0.0", "1.0.0+build.5", "1.1.0"].map(
  (moduleVersion) =>
    new platform.ModuleVersionDeprecation(`network-${moduleVersion}`, {
      ...network,
      moduleVersion,
      reason: "Use 2.0.0, which encrypts the flow logs.",
      link: "https://wiki.example.com/network-2",
    }),
);

// The reasons as users see them. The platform may append to them.
export const published = deprecations.map(({ publishedReason }) => publishedReason);
