import { packageVersion } from "../program/version";
import { servePlugin } from "./plugin-server";

// The entry point of bin/pulumi-resource-steward.

servePlugin(process.argv[2], packageVersion()).then(
  ({ port }) => process.stdout.write(`${port}\n`),
  (error: Error) => {
    process.stderr.write(`pulumi-steward: ${error.message}\n`);
    process.exit(1);
  },
);
