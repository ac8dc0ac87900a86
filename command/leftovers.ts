import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { StewardError } from "../provider/errors";
import { cancelAttempt, getStatus, RekeyOperation, RekeyStatus } from "../provider/secrets/rekey/api";
import { isProbe } from "../provider/secrets/rekey/observe";
import { Terminal } from "./terminal";

/** The attempts that drills left on a service. For each, an empty file has the process and the fingerprint of the throw-away key in its name. */
export class Leftovers {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly left: { file: string; fingerprint: string }[] = [];

  /** Throws if another process runs a drill on this service. */
  constructor({ server, target }: RekeyOperation, { environment: { XDG_STATE_HOME: state = "", HOME: home = "" } }: Terminal) {
    const local = isAbsolute(state) ? state : join(isAbsolute(home) ? home : userInfo().homedir, ".local/state");
    this.folder = join(local, "pulumi-steward");
    this.prefix = `drill-${createHash("sha256")
      .update(JSON.stringify([server.id, target]))
      .digest("hex")
      .slice(0, 16)}-`;
    for (const name of this.list()) {
      const [, pid, fingerprint] = (name.startsWith(this.prefix) && /-([1-9]\d*)-([0-9a-f]{40,64})$/.exec(name)) || [];
      if (!fingerprint) continue;
      const file = join(this.folder, name);
      if (Number(pid) !== process.pid && isAlive(Number(pid)))
        throw unusable(`process ${pid} runs a drill of these keys`, `Wait until it ends. If it is no drill, delete ${file}.`);
      this.left.push({ file, fingerprint });
    }
  }

  includes = (status: RekeyStatus): boolean => status.started && this.left.some(({ fingerprint }) => isProbe(status, fingerprint));

  /** Saves the fingerprint of a key, before an attempt for it starts. */
  add(fingerprint: string): void {
    const file = join(this.folder, `${this.prefix}${process.pid}-${fingerprint}`);
    this.left.push({ file, fingerprint });
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, "", { mode: 0o600, flush: true, flag: "wx" });
    } catch (error) {
      throw this.failed("written", error);
    }
  }

  /** Cancels an attempt that a drill left, until the status shows none. The second cancel of one attempt throws. */
  async cancel(operation: RekeyOperation): Promise<void> {
    for (let status = await getStatus(operation); this.includes(status); status = await getStatus(operation))
      await cancelAttempt(operation, status.nonce);
  }

  remove(): void {
    for (const { file } of this.left) rmSync(file, { force: true });
  }

  private list(): string[] {
    try {
      return readdirSync(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw this.failed("read", error);
    }
  }

  private failed(done: string, error: unknown): StewardError {
    const { code } = error as NodeJS.ErrnoException;
    return unusable(`the folder ${this.folder} cannot be ${done} (${code})`, "Set XDG_STATE_HOME to a folder that only you can write to.");
  }
}

const unusable = (reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_CONFLICT", reason: `${reason}; no share was sent`, hint });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
