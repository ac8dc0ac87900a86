// @ts-check
const path = require("node:path");
const { cached } = require("./cache");
const { Problem, capture, findOnPath, root, say } = require("./command");

const programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const playwright = path.join(root, "node_modules/playwright-core");
/** It is installed headless, so none of its fonts and helpers for a desktop are needed. */
const packages = ["install", "-y", "--no-install-recommends", "chromium"];
const attempts = 3;

/** @type {Promise<string> | undefined} */
let found;

/**
 * A Chromium for the tests of the sandbox's page, as an absolute path: the one that CHROMIUM_PATH names, else one on PATH, else Playwright's own download
 * in our cache, else, where we may, Debian's package.
 * @returns {Promise<string>}
 */
function getBrowser() {
  found ??= findBrowser();
  return found;
}

/** @returns {Promise<string>} */
async function findBrowser() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (await runs(named)) return named;
    throw new Problem(`CHROMIUM_PATH is ${named}, which does not run: name a Chromium or a Chrome, or unset it.`);
  }
  const browser = (await onPath()) ?? (await downloaded()) ?? (await packaged());
  if (browser) return browser;
  throw new Problem(
    "Install Chromium or Chrome, or set CHROMIUM_PATH to one, then run this again: the tests of the sandbox's page look at it with one.",
  );
}

/** Some systems have a file of this name that only says how to install it, and a browser may lack its libraries. @param {string} command */
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
      if (code !== 0) throw new Problem(/^Error: (.*)/m.exec(output)?.[1] ?? "it gave no reason");
    });
    const { output } = await playwrightIn(folder, ["-p", "require('playwright-core').chromium.executablePath()"]);
    return (await runs(output.trim())) ? output.trim() : undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(`Chromium cannot be downloaded: ${error.message}.`);
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
    // A list of packages that is old names versions that are gone.
    await capture(apt, [...options, "update"], { env });
    const { code, output } = await capture(apt, [...options, ...packages], { env });
    if (code === 0) return onPath();
    say(`apt-get could not install it: ${output.trim().split("\n").at(-1)}`);
  }
  return undefined;
}

module.exports = { getBrowser };
