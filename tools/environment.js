// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

/** The passphrase of stacks of tests and demonstrations. */
const passphrase = "steward";

// Jest has its own TypeScript compiler.
if (typeof jest === "undefined") require("./typescript");
const { system: secrets } = require("../provider/secrets/client");
const { system: platform } = require("../provider/platform/client");
const { system: scheduler } = require("../provider/scheduler/client");

/** The variables of each server, in order of precedence. @param {{ variables: readonly { prefix: string, address: string }[] }} system */
const prefixesOf = ({ variables }) => variables.map(({ prefix }) => prefix);

/** Variables of servers, tokens or a Pulumi account. A demonstration or a test must never use those of the operator's shell. */
const foreign = new RegExp(`^(${[...[secrets, platform, scheduler].flatMap(prefixesOf), "PULUMI"].join("|")})_`);

/** The operator's variables that a demonstration on a real server uses. */
const operator = new RegExp(`^(${prefixesOf(secrets).join("|")})_`);

/**
 * The environment of this process without any server, token or Pulumi account.
 * @param {RegExp} [keep] Names of variables to keep nevertheless.
 * @returns {Record<string, string>}
 */
function cleanEnvironment(keep) {
  const variables = Object.entries(process.env).filter(([name]) => !foreign.test(name) || keep?.test(name));
  return /** @type {Record<string, string>} */ (Object.fromEntries(variables));
}

/**
 * The environment of the Pulumi command line, with its login, plugins and state in a separate folder.
 * @param {string} folder The folder, which is created if necessary.
 * @param {import("./pulumi").Pulumi} pulumi
 * @param {RegExp} [keep] Names of variables to keep nevertheless.
 * @returns {Record<string, string>}
 */
function pulumiEnvironment(folder, pulumi, keep) {
  const backend = path.join(path.resolve(folder), "backend");
  fs.mkdirSync(backend, { recursive: true });
  // Pulumi starts programs with the `node` on PATH, which must be the one of this process.
  const folders = [...pulumi.bin, path.dirname(process.execPath), process.env.PATH ?? ""];
  return {
    ...cleanEnvironment(keep),
    PATH: folders.join(path.delimiter),
    PULUMI_HOME: path.join(path.resolve(folder), "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

module.exports = { foreign, operator, secrets, scheduler, passphrase, cleanEnvironment, pulumiEnvironment };
