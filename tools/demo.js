// @ts-check
// `npm run up`, `refresh` and `destroy` run the quickstart with a real `pulumi` on the sandbox.
const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");
const { Problem, root, run, say, succeed } = require("./command");
const { findSandbox, startSandbox, stopSandbox } = require("./demo-sandbox");
const { pulumiEnvironment } = require("./environment");
const { getPulumi } = require("./pulumi");

/** @typedef {import("./demo-sandbox").Running} Running */

const stack = "dev";
/** The role in examples/quickstart. */
const role = "scheduler/role/web";
/** The folder of the stack and of the sandbox. */
const folder = path.join(root, ".state");

async function up() {
  let sandbox = await findSandbox(folder);
  if (!sandbox) {
    if (fs.existsSync(folder)) say("The sandbox of the last run has stopped, and its data is lost: starting over.");
    fs.rmSync(folder, { recursive: true, force: true });
    sandbox = await startSandbox(folder);
  }
  const { page, env } = sandbox;
  say(`Watch it in your browser: ${page}`);
  const code = await deploy(sandbox);
  if (code === 0)
    say(`
${page} shows the result. Change a role outside Pulumi:

  curl -X POST -H "X-Secrets-Token: ${env.SECRETS_TOKEN}" -d '{"policies":"administrator"}' ${env.SECRETS_ADDR}/v1/${role}

Then run

  npm run refresh    to show the change
  npm run up         to revert it
  npm run destroy    to remove everything; otherwise the sandbox stops an hour after its start`);
  return code;
}

async function refresh() {
  const sandbox = await findSandbox(folder);
  if (sandbox) return pulumi(sandbox, ["refresh", "--yes", "--diff", "--skip-preview"]);
  throw new Problem(
    fs.existsSync(folder)
      ? "The sandbox has stopped, and its data is lost: run `npm run up` to start over."
      : "No sandbox is running: run `npm run up` first.",
  );
}

async function destroy() {
  const sandbox = await findSandbox(folder);
  if (!sandbox) say(fs.existsSync(folder) ? "The sandbox has already stopped, and its data is lost." : "There is nothing to destroy.");
  const code = sandbox ? await pulumi(sandbox, ["destroy", "--yes", "--skip-preview", "--remove"]) : 0;
  if (sandbox) await stopSandbox(sandbox);
  fs.rmSync(folder, { recursive: true, force: true });
  return code;
}

/** @param {Running} sandbox */
async function deploy(sandbox) {
  // A copy of the root project in its own folder. Pulumi writes the stack's configuration next to the project file, where yours may be.
  const main = path.relative(folder, root).split(path.sep).join("/");
  const project = fs.readFileSync(path.join(root, "Pulumi.yaml"), "utf8").replace(/^main: /m, `main: ${main}/`);
  fs.writeFileSync(path.join(folder, "Pulumi.yaml"), project);
  const { command, options } = await commandOf(sandbox);
  await succeed(command, ["stack", "select", stack, "--create", "--non-interactive"], options);
  for (const [key, kind, input] of [
    ["schedulerAddress", "--plaintext", sandbox.env.SCHEDULER_ADDR],
    ["schedulerToken", "--secret", sandbox.env.SCHEDULER_TOKEN],
  ]) {
    // Other users of this machine can see the arguments of a command.
    const args = ["config", "set", `${key}`, `${kind}`, "--stack", stack, "--non-interactive"];
    const { status, stderr } = spawnSync(command, args, { ...options, input, encoding: "utf8" });
    if (status !== 0) throw new Problem(`${stderr.trim()}\nCannot configure the stack: see the output of Pulumi above.`);
  }
  return pulumi(sandbox, ["up", "--yes", "--skip-preview"]);
}

/** The command line of Pulumi with the stack's own login and the variables of the sandbox. @param {Running} sandbox */
async function commandOf({ env }) {
  const cli = await getPulumi();
  return { command: cli.command, options: { cwd: folder, env: { ...pulumiEnvironment(folder, cli), ...env } } };
}

/** @param {Running} sandbox @param {string[]} args */
async function pulumi(sandbox, args) {
  const { command, options } = await commandOf(sandbox);
  return run(command, [...args, "--stack", stack, "--non-interactive"], options);
}

module.exports = { up, refresh, destroy };
