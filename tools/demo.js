// @ts-check
// `npm run up`, `refresh` and `destroy` run the quickstart with a real `pulumi` on the sandbox, or with `-- --server` on your own server.
const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");
const { createInterface } = require("node:readline/promises");
const { Problem, root, run, say, succeed } = require("./command");
const { findSandbox, startSandbox, stopSandbox } = require("./demo-sandbox");
const { operator, pulumiEnvironment, scheduler, secrets } = require("./environment");
const { getPulumi } = require("./pulumi");

/**
 * @typedef {import("./demo-sandbox").Running} Running
 * @typedef {{ folder: string, keep?: RegExp, variables?: Record<string, string>, sandbox?: Running }} Target The folder of the stack, and the
 * variables of its servers.
 */

const stack = "dev";
const state = path.join(root, ".state");
const sandboxFolder = path.join(state, "sandbox");
/** @type {Target} */
const server = { folder: path.join(state, "server"), keep: operator };

/** @param {string[]} args */
async function up(args) {
  if (wantsServer(args)) return upOnServer();
  let sandbox = await findSandbox(sandboxFolder);
  if (!sandbox) {
    if (fs.existsSync(sandboxFolder)) say("The sandbox of the last run has stopped, and its data is lost: starting over.");
    fs.rmSync(sandboxFolder, { recursive: true, force: true });
    sandbox = await startSandbox(sandboxFolder);
  }
  const { page, env } = sandbox;
  say(`Watch it in your browser: ${page}`);
  const code = await deploy({ folder: sandboxFolder, variables: env }, env.NOMAD_ADDR, env.NOMAD_TOKEN);
  if (code === 0)
    say(`
${page} shows the result. Change a role outside Pulumi:

  curl -X POST -H "X-Vault-Token: ${env.VAULT_TOKEN}" -d '{"policies":"administrator"}' ${env.VAULT_ADDR}/v1/nomad/role/web

Then run

  npm run refresh    to show the change
  npm run up         to revert it
  npm run destroy    to remove everything; otherwise the sandbox stops an hour after its start`);
  return code;
}

async function upOnServer() {
  const { address } = configured(secrets, "a server");
  const nomad = configured(scheduler, "the scheduler that tokens are generated for", true);
  // Any other variable selects the hashicorp or openbao dialect.
  const mount = process.env.SECRETS_ADDR ? "scheduler" : "nomad";
  const objects = ["config/access", "config/lease", ...["web", "operator", "payments", "search"].map((name) => `role/${name}`)];
  await confirm(
    `This writes ${objects.map((object) => `${mount}/${object}`).join(", ")} on ${address}, with the credentials of this shell. ${address} then manages tokens of ${nomad.address}, with the management token of this shell.`,
  );
  const code = await deploy(server, nomad.address, nomad.token);
  if (code === 0)
    say("\nNext: `npm run refresh -- --server` shows later changes on the server, `npm run destroy -- --server` removes everything again.");
  return code;
}

/** The deployed stack: the one on your server, or that of the running sandbox. @param {string[]} args @returns {Promise<Target | undefined>} */
async function deployed(args) {
  if (!wantsServer(args)) {
    const sandbox = await findSandbox(sandboxFolder);
    return sandbox && { folder: sandboxFolder, variables: sandbox.env, sandbox };
  }
  if (!fs.existsSync(server.folder)) throw new Problem("There is no deployment on a server: run `npm run up -- --server` first.");
  return server;
}

/** @param {string[]} args */
async function refresh(args) {
  const target = await deployed(args);
  if (target) return pulumi(target, ["refresh", "--yes", "--diff", "--skip-preview"]);
  throw new Problem(
    fs.existsSync(sandboxFolder)
      ? "The sandbox has stopped, and its data is lost: run `npm run up` to start over."
      : "No sandbox is running: run `npm run up` first.",
  );
}

/** @param {string[]} args */
async function destroy(args) {
  const target = await deployed(args);
  if (!target) {
    say(fs.existsSync(sandboxFolder) ? "The sandbox has already stopped, and its data is lost." : "There is nothing to destroy.");
    if (fs.existsSync(server.folder)) say("The deployment on your own server still exists: `npm run destroy -- --server` removes it.");
    remove(sandboxFolder);
    return 0;
  }
  const { folder, sandbox } = target;
  if (!sandbox) {
    const { address } = configured(secrets, "a server");
    await confirm(`This removes everything that \`npm run up -- --server\` wrote from ${address}.`);
  }
  const code = await pulumi(target, ["destroy", "--yes", "--skip-preview", "--remove"]);
  if (sandbox) await stopSandbox(sandbox);
  if (sandbox || code === 0) remove(folder);
  return code;
}

/** @param {string[]} args */
function wantsServer(args) {
  const unknown = args.find((argument) => argument !== "--server");
  if (unknown) throw new Problem(`Unknown option ${unknown}: the only option is --server.`);
  return args.length > 0;
}

/**
 * The first server of a system whose address this shell has. Only the scheduler's token is needed here: the token of Vault may be in a file.
 * @param {Pick<typeof secrets, "variables">} system
 * @param {string} what
 * @param {boolean} [needsToken]
 */
function configured(system, what, needsToken = false) {
  const variables = system.variables.map(({ address, prefix }) => ({ address, token: `${prefix}_TOKEN` }));
  const complete = variables.find(({ address, token }) => process.env[address] && (!needsToken || process.env[token]));
  const all = variables.map(({ address, token }) => `${address} and ${token}`).join(", or ");
  if (!complete) throw new Problem(`--server requires ${what}: set ${all}.`);
  return { address: process.env[complete.address], token: process.env[complete.token] };
}

/** @param {string} warning */
async function confirm(warning) {
  if (!process.stdin.isTTY) throw new Problem(`${warning} It needs your confirmation: run it in a terminal.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${warning} Continue? [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(reply.trim())) throw new Problem("Nothing was changed.");
}

/** @param {Target} target @param {string} [schedulerAddress] @param {string} [schedulerToken] */
async function deploy(target, schedulerAddress = "", schedulerToken = "") {
  const { folder } = target;
  fs.mkdirSync(folder, { recursive: true });
  // A copy of the root project in its own folder. Pulumi writes the stack's configuration next to the project file, where yours may be.
  const main = path.relative(folder, root).split(path.sep).join("/");
  const project = fs.readFileSync(path.join(root, "Pulumi.yaml"), "utf8").replace(/^main: /m, `main: ${main}/`);
  fs.writeFileSync(path.join(folder, "Pulumi.yaml"), project);
  const { command, options } = await commandOf(target);
  await succeed(command, ["stack", "select", stack, "--create", "--non-interactive"], options);
  for (const [key, kind, input] of [
    ["schedulerAddress", "--plaintext", schedulerAddress],
    ["schedulerToken", "--secret", schedulerToken],
  ]) {
    // Other users of this machine can see the arguments of a command.
    const args = ["config", "set", `${key}`, `${kind}`, "--stack", stack, "--non-interactive"];
    const { status, stderr } = spawnSync(command, args, { ...options, input, encoding: "utf8" });
    if (status !== 0) throw new Problem(`${stderr.trim()}\nCannot configure the stack: see the output of Pulumi above.`);
  }
  return pulumi(target, ["up", "--yes", "--skip-preview"]);
}

/** The command line of Pulumi with the stack's own login and variables. @param {Target} target */
async function commandOf({ folder, keep, variables }) {
  const cli = await getPulumi();
  return { command: cli.command, options: { cwd: folder, env: { ...pulumiEnvironment(folder, cli, keep), ...variables } } };
}

/** @param {Target} target @param {string[]} args */
async function pulumi(target, args) {
  const { command, options } = await commandOf(target);
  return run(command, [...args, "--stack", stack, "--non-interactive"], options);
}

/** @param {string} folder */
function remove(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  if (fs.existsSync(state) && fs.readdirSync(state).length === 0) fs.rmdirSync(state);
}

module.exports = { up, refresh, destroy };
