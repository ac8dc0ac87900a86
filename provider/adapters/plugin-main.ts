import { readFileSync } from "node:fs";
import { join } from "node:path";
import { servePlugin } from "./plugin-server";

// The program that bin/pulumi-resource-steward starts.

const { version } = JSON.parse(readFileSync(join(__dirname, "../../../package.json"), "utf8")) as { version: string };

servePlugin(process.argv[2], version).then(
  ({ port }) => process.stdout.write(`${port}\n`),
  (error: Error) => {
    process.stderr.write(`pulumi-steward: ${error.message}\n`);
    process.exit(1);
  },
);
