// @ts-check
const path = require("node:path");
const { cached } = require("./cache");
const { Problem, capture, findOnPath, root, say, succeed } = require("./command");

const programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const playwright = path.join(root, "node_modules/playwright-core");

/**
 * The absolute path of a Chromium for the tests of the sandbox's page. The first that works is used: PATH, Playwright's download in the cache, or,
 * as root, the Debian package.
 * @returns {Promise<string>}
 */
async function getBrowser() {
  for (const find of [onPath, downloaded, packaged]) {
    const command = await find().catch((error) => say(`Cannot install Chromium: ${error.message.trim().split("\n")[0]}`));
    if (command) return command;
  }
  throw new Problem("The tests of the sandbox's page need a browser. Install Chromium or Chrome, then run this again.");
}

/** On some systems the command only prints how to install Chromium, and a browser may lack libraries. @param {string} command */
async function runs(command) {
  const { code, output } = await capture(command, ["--version"]);
  return code === 0 && /Chrom/.test(output);
}

async function onPath() {
  for (const program of programs) {
    const command = findOnPath(program);
    if (command && (await runs(command))) return command;
  }
  return undefined;
}

async function downloaded() {
  const { version } = require(path.join(playwright, "package.json"));
  const env = (/** @type {string} */ folder) => ({ env: { ...process.env, PLAYWRIGHT_BROWSERS_PATH: folder } });
  const folder = await cached(`chromium-${version}`, async (folder) => {
    say("Downloading Chromium.");
    await succeed(process.execPath, [path.join(playwright, "cli.js"), "install", "--no-shell", "chromium"], env(folder));
  });
  const output = await succeed(process.execPath, ["-p", "require('playwright-core').chromium.executablePath()"], env(folder));
  return (await runs(output.trim())) ? output.trim() : undefined;
}

async function packaged() {
  const apt = findOnPath("apt-get");
  if (!apt || process.getuid?.() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = ["-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"];
  say("Installing Chromium with apt-get.");
  // An outdated package list refers to versions that no longer exist.
  await capture(apt, [...options, "update"], { env });
  // Chromium runs headless, so its recommended desktop packages are not needed.
  await succeed(apt, [...options, "install", "-y", "--no-install-recommends", "chromium"], { env });
  return onPath();
}

module.exports = { getBrowser };
