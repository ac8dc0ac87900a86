// @ts-check
// The sandbox as a background process, for the demonstration: writes where it listens to the file named by its argument, ends by itself after an hour.
const fs = require("node:fs");
const path = require("node:path");

const hour = 60 * 60 * 1000;
const file = /** @type {string} */ (process.argv[2]);

async function main() {
  const { start } = require(path.join(__dirname, "..", "sandbox", "dist"));
  const sandbox = await start();
  // Written elsewhere and then renamed, since someone is waiting for it; not for other users to read, since it holds tokens.
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
