// @ts-check
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

/** Of the stacks that we make. */
const passphrase = "steward";

// Jest compiles TypeScript by itself.
if (typeof jest === "undefined") require("./typescript");
const { system: secrets } = require("../provider/secrets/client");
const { system: platform } = require("../provider/platform/client");
const { system: scheduler } = require("../provider/scheduler/client");

/** @param {...{ variables: readonly { prefix: string }[] }} systems */
const prefixesOf = (...systems) => systems.flatMap(({ variables }) => variables.map(({ prefix }) => prefix));

/** Variables that name a server, a token or a Pulumi account: a demonstration or a test must never reach what an operator's shell points at. */
const foreign = new RegExp(`^(${[...prefixesOf(secrets, platform, scheduler), "PULUMI"].join("|")})_`);

/** The operator's variables that a demonstration on a real server keeps. */
const operator = new RegExp(`^(${prefixesOf(secrets).join("|")})_`);

/**
 * The environment of this process without any server, token or Pulumi account.
 * @param {RegExp} [keep] Names that stay although they are foreign.
 * @returns {Record<string, string>}
 */
function cleanEnvironment(keep) {
  /** @type {Record<string, string>} */
  const environment = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && (!foreign.test(name) || keep?.test(name))) environment[name] = value;
  }
  return environment;
}

/**
 * What a run of the Pulumi command line needs, with its login, its plugins and its state in a folder of ours.
 * @param {string} folder Created when missing; holds the state of every stack deployed with it.
 * @param {import("./pulumi").Pulumi} pulumi
 * @param {RegExp} [keep] Names that stay although they are foreign.
 * @returns {Record<string, string>}
 */
function pulumiEnvironment(folder, pulumi, keep) {
  const backend = path.join(path.resolve(folder), "backend");
  fs.mkdirSync(backend, { recursive: true });
  // Pulumi starts programs with the `node` on PATH: it shall be the one that runs us.
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

/** The variables with the address of a secrets service, first the one that counts where several are set. @type {string[]} */
const secretsAddresses = secrets.variables.map((/** @type {{ address: string }} */ { address }) => address);

module.exports = { foreign, operator, secretsAddresses, passphrase, cleanEnvironment, pulumiEnvironment };
