// @ts-check
const path = require("node:path");
const { Problem, capture, findOnPath, say } = require("./command");

const progressEvery = 20_000;

/**
 * Builds the `tool` in tools/go/<name>/go.mod. Its go.sum is complete, so Go does not query the checksum database.
 * @param {string} name
 * @param {{ output: string, minutes: string, flags?: string }} options `minutes`: the duration of the first build, for the message.
 * @returns {Promise<void>}
 */
async function goBuild(name, { output, minutes, flags = "" }) {
  if (!findOnPath("go")) throw new Problem(`Install Go 1.25 or later (https://go.dev/dl) to build ${name}.`);
  say(`Building ${name} with Go. The first build takes about ${minutes} on two cores.`);
  const start = Date.now();
  const seconds = () => Math.round((Date.now() - start) / 1000);
  const progress = setInterval(() => say(`  still building ${name}, ${seconds()} s …`), progressEvery);
  const args = ["build", "-mod=readonly", "-ldflags", `-s -w ${flags}`, "-o", output, "tool"];
  const options = { cwd: path.join(__dirname, "go", name), env: { ...process.env, GOWORK: "off" } };
  const { code, output: log } = await capture("go", args, options).finally(() => clearInterval(progress));
  if (code === 0) return say(`Built ${name} in ${seconds()} s.`);
  const reason = log.replace(/^go: downloading .*\n/gm, "").trim();
  throw new Problem(`Cannot build ${name}. Output of Go:\n${reason.split("\n").slice(-15).join("\n")}`);
}

module.exports = { goBuild };
