// @ts-check
const { spawn } = require("node:child_process");
const path = require("node:path");
const { Problem, findOnPath, say } = require("./command");

const progressEvery = 20_000;

/**
 * Builds the one program that tools/go/<name>/go.mod declares as its `tool`. Its go.sum is complete, so no checksum database is asked.
 * @param {string} name
 * @param {{ output: string, minutes: string, flags?: string }} options `minutes`: how long it takes the first time, for the message.
 * @returns {Promise<void>}
 */
function goBuild(name, { output, minutes, flags = "" }) {
  if (!findOnPath("go")) throw new Problem(`Install Go 1.25 or later (https://go.dev/dl) to build ${name}.`);
  say(`Building ${name} with Go; the first time this takes about ${minutes} on two cores.`);
  const start = Date.now();
  const seconds = () => Math.round((Date.now() - start) / 1000);
  const progress = setInterval(() => say(`  still building ${name}, ${seconds()} s …`), progressEvery);
  return new Promise((resolve, reject) => {
    const child = spawn("go", ["build", "-mod=readonly", "-ldflags", `-s -w ${flags}`, "-o", output, "tool"], {
      cwd: path.join(__dirname, "go", name),
      env: { ...process.env, GOWORK: "off" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let log = "";
    child.stderr.on("data", (chunk) => {
      log += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(progress);
      if (code === 0) {
        say(`Built ${name} in ${seconds()} s.`);
        resolve();
      } else {
        const reason = log.replace(/^go: downloading .*\n/gm, "").trim();
        reject(new Problem(`Go could not build ${name}, see its own words:\n${reason.split("\n").slice(-15).join("\n")}`));
      }
    });
  });
}

module.exports = { goBuild };
