// @ts-check
// `npm run up`, `refresh` and `destroy` run the quickstart with a real `pulumi` on the sandbox, or with `-- --server` on your own server.
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { createInterface } = require("node:readline/promises");
const { Problem, capture, root, run, say } = require("./command");
const { operator, pulumiEnvironment, schedulerAddresses, secretsAddresses } = require("./environment");
const { getPulumi } = require("./pulumi");
const { noteStart } = require("./starts");
const { findSandbox, startSandbox, stopSandbox } = require("./demo-process");

const stack = "dev";
/** The names in examples/quickstart. */
const mount = "scheduler";
const role = "web";
const state = path.join(root, ".state");
const folders = { sandbox: path.join(state, "sandbox"), server: path.join(state, "server") };

/** @param {string[]} args */
async function up(args) {
  if (wantsServer(args)) {
    const address = serverAddress();
    const scheduler = serverScheduler();
    // Any other variable selects the hashicorp or openbao dialect.
    const there = process.env.SECRETS_ADDR ? mount : "nomad";
    const paths = ["config/access", "config/lease", "role/web", "role/operator", "role/payments", "role/search"].map(
      (path) => `${there}/${path}`,
    );
    await confirm(
      `This writes ${paths.join(", ")} on ${address}, with the credentials of this shell. ${address} then manages tokens of ${scheduler.schedulerAddress}, with the management token of this shell.`,
    );
    const code = await deploy(folders.server, scheduler, operator);
    if (code === 0)
      say(
        "\nNext: `npm run refresh -- --server` shows later changes on the server, `npm run destroy -- --server` removes everything again.",
      );
    return code;
  }
  let sandbox = await findSandbox(folders.sandbox);
  if (!sandbox) {
    if (fs.existsSync(folders.sandbox)) say("The sandbox of the last run has stopped, and its data is lost: starting over.");
    fs.rmSync(folders.sandbox, { recursive: true, force: true });
    sandbox = await startSandbox(folders.sandbox);
  }
  say(`Watch it in your browser: ${sandbox.page}`);
  const { SCHEDULER_ADDR: schedulerAddress = "", SCHEDULER_TOKEN: schedulerToken = "" } = sandbox.env;
  const code = await deploy(folders.sandbox, { schedulerAddress, schedulerToken }, undefined, sandbox.env);
  if (code === 0) {
    say(`
${sandbox.page} shows the result. Change a role outside Pulumi:

  curl -X POST -H "X-Secrets-Token: ${sandbox.env.SECRETS_TOKEN}" -d '{"policies":"administrator"}' ${sandbox.env.SECRETS_ADDR}/v1/${mount}/role/${role}

Then run

  npm run refresh    to show the change
  npm run up         to revert it
  npm run destroy    to remove everything; otherwise the sandbox stops an hour after its start`);
  }
  return code;
}

/** @param {string[]} args */
async function refresh(args) {
  if (wantsServer(args)) {
    requireDeployment();
    return pulumi(folders.server, ["refresh", "--yes", "--diff", "--skip-preview"], operator);
  }
  const sandbox = await requireSandbox();
  return pulumi(folders.sandbox, ["refresh", "--yes", "--diff", "--skip-preview"], undefined, sandbox.env);
}

/** @param {string[]} args */
async function destroy(args) {
  const command = ["destroy", "--yes", "--skip-preview", "--remove"];
  if (wantsServer(args)) {
    requireDeployment();
    await confirm(`This removes everything that \`npm run up -- --server\` wrote from ${serverAddress()}.`);
    const code = await pulumi(folders.server, command, operator);
    if (code === 0) remove(folders.server);
    return code;
  }
  const sandbox = await findSandbox(folders.sandbox);
  if (!sandbox) {
    say(fs.existsSync(folders.sandbox) ? "The sandbox has already stopped, and its data is lost." : "There is nothing to destroy.");
    if (fs.existsSync(folders.server)) say("The deployment on your own server still exists: `npm run destroy -- --server` removes it.");
    remove(folders.sandbox);
    return 0;
  }
  const code = await pulumi(folders.sandbox, command, undefined, sandbox.env);
  await stopSandbox(sandbox);
  remove(folders.sandbox);
  return code;
}

/** @param {string[]} args */
function wantsServer(args) {
  const unknown = args.find((argument) => argument !== "--server");
  if (unknown) throw new Problem(`Unknown option ${unknown}: the only option is --server.`);
  return args.length > 0;
}

function serverAddress() {
  const address = secretsAddresses.map((name) => process.env[name]).find(Boolean);
  const all = secretsAddresses.map((name) => `${name} and ${name.replace("_ADDR", "_TOKEN")}`);
  if (!address) throw new Problem(`--server requires a server: set ${all.join(", or ")}.`);
  return address;
}

/** The scheduler that the secrets engine will use. */
function serverScheduler() {
  const variables = schedulerAddresses.map((address) => ({ address, token: address.replace("_ADDR", "_TOKEN") }));
  const named = variables.find(({ address, token }) => process.env[address] && process.env[token]);
  const all = variables.map(({ address, token }) => `${address} and ${token}`);
  if (!named) throw new Problem(`--server also requires the scheduler that tokens are generated for: set ${all.join(", or ")}.`);
  return { schedulerAddress: process.env[named.address] ?? "", schedulerToken: process.env[named.token] ?? "" };
}

function requireDeployment() {
  if (!fs.existsSync(folders.server)) throw new Problem("There is no deployment on a server: run `npm run up -- --server` first.");
}

async function requireSandbox() {
  const sandbox = await findSandbox(folders.sandbox);
  if (sandbox) return sandbox;
  throw new Problem(
    fs.existsSync(folders.sandbox)
      ? "The sandbox has stopped, and its data is lost: run `npm run up` to start over."
      : "No sandbox is running: run `npm run up` first.",
  );
}

/** @param {string} warning */
async function confirm(warning) {
  if (!process.stdin.isTTY) throw new Problem(`${warning} It needs your confirmation: run it in a terminal.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${warning} Continue? [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(reply.trim())) throw new Problem("Nothing was changed.");
}

/**
 * @param {string} folder
 * @param {{ schedulerAddress: string, schedulerToken: string }} config What the program requires.
 * @param {RegExp} [keep]
 * @param {Record<string, string>} [variables]
 */
async function deploy(folder, config, keep, variables) {
  fs.mkdirSync(folder, { recursive: true });
  // A copy of the root project in its own folder. Pulumi writes the stack's configuration next to the project file, where yours may be.
  const main = path.relative(folder, root).split(path.sep).join("/");
  const project = fs.readFileSync(path.join(root, "Pulumi.yaml"), "utf8").replace(/^main: /m, `main: ${main}/`);
  fs.writeFileSync(path.join(folder, "Pulumi.yaml"), project);
  const cli = await getPulumi();
  const options = { cwd: folder, env: pulumiEnvironment(folder, cli, keep) };
  noteStart();
  const { code, output } = await capture(cli.command, ["stack", "select", stack, "--create", "--non-interactive"], options);
  if (code !== 0) throw new Problem(`${output.trim()}\nCannot create the stack: see the output of Pulumi above.`);
  for (const [key, value] of Object.entries(config)) {
    noteStart();
    // Other users of this machine can see the arguments of a command.
    const args = ["config", "set", key, key.endsWith("Token") ? "--secret" : "--plaintext", "--stack", stack, "--non-interactive"];
    const { status, stderr } = spawnSync(cli.command, args, { ...options, input: value, encoding: "utf8" });
    if (status !== 0) throw new Problem(`${stderr.trim()}\nCannot configure the stack: see the output of Pulumi above.`);
  }
  return pulumi(folder, ["up", "--yes", "--skip-preview"], keep, variables);
}

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {RegExp} [keep]
 * @param {Record<string, string>} [variables]
 */
async function pulumi(folder, args, keep, variables) {
  const cli = await getPulumi();
  const env = { ...pulumiEnvironment(folder, cli, keep), ...variables };
  noteStart();
  return run(cli.command, [...args, "--stack", stack, "--non-interactive"], { cwd: folder, env });
}

/** @param {string} folder */
function remove(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  if (fs.existsSync(state) && fs.readdirSync(state).length === 0) fs.rmdirSync(state);
}

module.exports = { up, refresh, destroy };
