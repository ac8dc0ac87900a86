import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { StewardError } from "../provider/errors";
import { cancelAttempt, getStatus, RekeyOperation, RekeyStatus } from "../provider/secrets/rekey/api";
import { isProbe } from "../provider/secrets/rekey/observe";
import { Terminal } from "./terminal";

/** The attempts that drills left on a service, known by their throw-away keys. A file keeps the fingerprints. */
export class Leftovers {
  private readonly path: string;
  private readonly content: { process?: number; fingerprints?: string[] } | undefined;
  private readonly fingerprints: string[];

  /** Throws if another process runs a drill on this service. */
  constructor({ server, target }: RekeyOperation, { environment: { XDG_STATE_HOME: state, HOME: home } }: Pick<Terminal, "environment">) {
    const folder = state && isAbsolute(state) ? state : join(home ?? homedir(), ".local/state");
    const name = createHash("sha256")
      .update(JSON.stringify([server.id, target]))
      .digest("hex")
      .slice(0, 16);
    this.path = join(folder, "pulumi-steward", `drill-${name}.json`);
    this.content = this.read();
    this.fingerprints = [...(this.content?.fingerprints ?? [])];
    const other = this.content?.process;
    if (other && other !== process.pid && isAlive(other))
      throw unusable(`process ${other} runs a drill of these keys`, `Wait until it ends. If it is no drill, delete ${this.path}.`);
  }

  includes = (status: RekeyStatus): boolean => status.started && this.fingerprints.some((fingerprint) => isProbe(status, fingerprint));

  /** Saves the fingerprint of a key, before an attempt for it starts. */
  add(fingerprint: string): void {
    this.fingerprints.push(fingerprint);
    const content = JSON.stringify({ process: process.pid, fingerprints: this.fingerprints });
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      // Two drills may begin at the same time.
      writeFileSync(this.path, `${content}\n`, { mode: 0o600, flush: true, flag: this.content ? "w" : "wx" });
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
    rmSync(this.path, { force: true });
  }

  private read(): Leftovers["content"] {
    try {
      return { ...JSON.parse(readFileSync(this.path, "utf8")) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      // A file that was cut off when the machine stopped.
      if (error instanceof SyntaxError) return {};
      throw this.failed("read", error);
    }
  }

  private failed(done: string, error: unknown): StewardError {
    const { code } = error as NodeJS.ErrnoException;
    return unusable(`the file ${this.path} cannot be ${done} (${code})`, "Set XDG_STATE_HOME to a folder that only you can write to.");
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
