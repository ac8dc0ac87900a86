// @ts-check
// Runs the sandbox as a background process of the demonstration. It writes its addresses to the given file and stops after an hour.
const fs = require("node:fs");
const path = require("node:path");

const hour = 60 * 60 * 1000;
const file = /** @type {string} */ (process.argv[2]);

async function main() {
  const { start } = require(path.join(__dirname, "..", "sandbox", "dist"));
  const sandbox = await start();
  // Renamed when complete, since `startSandbox` waits for the file. Other users may not read it, since it contains tokens.
  fs.writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, env: sandbox.env, page: sandbox.page }, null, 2), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
  const end = async () => {
    await sandbox.close();
    process.exit();
  };
  process.on("SIGTERM", end);
  setTimeout(end, hour);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
