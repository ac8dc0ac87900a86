// @ts-check
const path = require("node:path");
const { Problem, capture, findOnPath, say, withProgress } = require("./command");

/**
 * Builds the `tool` in tools/go/<name>/go.mod. Its go.sum is complete, so Go does not query the checksum database.
 * @param {string} name
 * @param {{ output: string, minutes: string, flags?: string }} options `minutes`: the duration of the first build, for the message.
 * @returns {Promise<void>}
 */
async function goBuild(name, { output, minutes, flags = "" }) {
  if (!findOnPath("go")) throw new Problem(`Install Go 1.25 or later (https://go.dev/dl) to build ${name}.`);
  say(`Building ${name} with Go. The first build takes about ${minutes} on two cores.`);
  const args = ["build", "-mod=readonly", "-ldflags", `-s -w ${flags}`, "-o", output, "tool"];
  const options = { cwd: path.join(__dirname, "go", name), env: { ...process.env, GOWORK: "off" } };
  const { code, output: log } = await withProgress(`building ${name}`, capture("go", args, options));
  if (code === 0) return say(`Built ${name}.`);
  const reason = log.replace(/^go: downloading .*\n/gm, "").trim();
  throw new Problem(`Cannot build ${name}. Output of Go:\n${reason.split("\n").slice(-15).join("\n")}`);
}

module.exports = { goBuild };
