// @ts-check
const path = require("node:path");
const { cached } = require("./cache");
const { Problem, capture, findOnPath, root, say } = require("./command");

const programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const playwright = path.join(root, "node_modules/playwright-core");
/** Chromium runs headless, so its recommended desktop packages are not needed. */
const packages = ["install", "-y", "--no-install-recommends", "chromium"];
const attempts = 3;

/** @type {Promise<string> | undefined} */
let browser;

/**
 * The absolute path of a Chromium for the tests of the sandbox's page. The first that works is used: CHROMIUM_PATH, PATH, Playwright's download in
 * the cache, or, as root, the Debian package.
 * @returns {Promise<string>}
 */
function getBrowser() {
  browser ??= findBrowser();
  return browser;
}

/** @returns {Promise<string>} */
async function findBrowser() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (await runs(named)) return named;
    throw new Problem(`CHROMIUM_PATH is ${named}, which does not run. Set it to Chromium or Chrome, or unset it.`);
  }
  const browser = (await onPath()) ?? (await downloaded()) ?? (await packaged());
  if (browser) return browser;
  throw new Problem(
    "The tests of the sandbox's page need a browser. Install Chromium or Chrome, or set CHROMIUM_PATH, then run this again.",
  );
}

/** On some systems the command only prints how to install Chromium, and a browser may lack libraries. @param {string} command */
async function runs(command) {
  const { code, output } = await capture(command, ["--version"]);
  return code === 0 && /Chrom/.test(output);
}

/** @returns {Promise<string | undefined>} */
async function onPath() {
  for (const program of programs) {
    const command = findOnPath(program);
    if (command && (await runs(command))) return command;
  }
  return undefined;
}

/** @returns {Promise<string | undefined>} */
async function downloaded() {
  const { version } = require(path.join(playwright, "package.json"));
  try {
    const folder = await cached(`chromium-${version}`, async (folder) => {
      say("Downloading Chromium.");
      const { code, output } = await playwrightIn(folder, [path.join(playwright, "cli.js"), "install", "--no-shell", "chromium"]);
      if (code !== 0) throw new Problem(/^Error: (.*)/m.exec(output)?.[1] ?? "unknown reason");
    });
    const { output } = await playwrightIn(folder, ["-p", "require('playwright-core').chromium.executablePath()"]);
    return (await runs(output.trim())) ? output.trim() : undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(`Cannot download Chromium: ${error.message}.`);
    return undefined;
  }
}

/**
 * @param {string} folder Where Playwright keeps its browsers.
 * @param {string[]} args
 */
function playwrightIn(folder, args) {
  return capture(process.execPath, args, { env: { ...process.env, PLAYWRIGHT_BROWSERS_PATH: folder } });
}

/** @returns {Promise<string | undefined>} */
async function packaged() {
  const apt = findOnPath("apt-get");
  if (!apt || process.getuid?.() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = ["-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    say("Installing Chromium with apt-get.");
    // An outdated package list refers to versions that no longer exist.
    await capture(apt, [...options, "update"], { env });
    const { code, output } = await capture(apt, [...options, ...packages], { env });
    if (code === 0) return onPath();
    say(`apt-get cannot install Chromium: ${output.trim().split("\n").at(-1)}`);
  }
  return undefined;
}

module.exports = { getBrowser };
