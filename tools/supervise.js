// @ts-check
// Runs a server until the parent process closes the standard input, which also happens when the parent is killed. Then removes the server's
// folder. If the server exits earlier, it creates the file `ended` there.
//
//   node tools/supervise.js <folder> <command> <arguments…>
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const [folder = "", command = "", ...args] = process.argv.slice(2);
const endedFile = path.join(folder, "ended");
// In its own process group, since a server has child processes.
const server = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });

/** @param {NodeJS.Signals} signal */
function signalGroup(signal) {
  try {
    if (server.pid) process.kill(-server.pid, signal);
  } catch {
    // It has already exited.
  }
}

let stopping = false;

function stop() {
  stopping = true;
  if (fs.existsSync(endedFile)) return remove();
  signalGroup("SIGTERM");
  setTimeout(() => signalGroup("SIGKILL"), 5_000).unref();
}

function remove() {
  unmount();
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit();
}

/** As root, Nomad mounts a file system for each task. A folder with a mount cannot be removed. */
function unmount() {
  const mounts = fs.existsSync("/proc/mounts") ? fs.readFileSync("/proc/mounts", "utf8") : "";
  for (const [, mount = ""] of mounts.matchAll(/^\S+ (\S+) /gm)) {
    if (mount.startsWith(`${folder}/`)) spawnSync("umount", [mount], { stdio: "ignore" });
  }
}

process.stdin.on("end", stop).on("error", stop).resume();
process.on("SIGTERM", stop).on("SIGINT", stop).on("SIGHUP", stop);
server.on("error", (error) => process.stderr.write(`${error.message}\n`));
server.on("close", () => {
  signalGroup("SIGKILL");
  if (stopping) remove();
  else fs.writeFileSync(endedFile, "");
});
