import { packageVersion } from "../program/version";
import { servePlugin } from "./plugin-server";

// The entry point of bin/pulumi-resource-steward.

// The engine's address is the last argument, after those of `--tracing`.
servePlugin(process.argv.slice(2).at(-1), packageVersion()).then(
  ({ port }) => process.stdout.write(`${port}\n`),
  (error: Error) => {
    process.stderr.write(`pulumi-steward: ${error.message}\n`);
    process.exit(1);
  },
);
