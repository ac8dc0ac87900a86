import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { StewardError } from "../../provider/contract/errors";
import { cancelAttempt, getStatus } from "../../provider/secrets/rekey/protocol/api";
import { RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { isProbe } from "../../provider/secrets/rekey/protocol/server-state";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { Terminal } from "../terminal";

/** The attempts that drills left on a service. For each, the name of an empty file has the process and the fingerprint of the throw-away key. */
export class Leftovers {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly names: string[];

  /** Throws if another process runs a drill on this service. */
  constructor({ server, target }: RekeyOperation, { environment: { XDG_STATE_HOME: state = "", HOME: home = "" } }: Terminal) {
    const parent = isAbsolute(state) ? state : join(isAbsolute(home) ? home : userInfo().homedir, ".local/state");
    const hash = createHash("sha256").update(JSON.stringify([server.id, target]));
    this.folder = join(parent, "pulumi-steward");
    this.prefix = `drill-${hash.digest("hex").slice(0, 16)}-`;
    const name = new RegExp(`^${this.prefix}([1-9]\\d*)-[0-9a-f]{40}$`);
    const all = this.access("read", () => (existsSync(this.folder) ? readdirSync(this.folder) : []));
    this.names = all.filter((each) => name.test(each));
    for (const each of this.names) {
      const other = Number(name.exec(each)?.[1]);
      if (other !== process.pid && isAlive(other))
        throw unusable(
          `process ${other} runs a drill of these keys`,
          `Wait until it exits. If it is not a drill, delete ${join(this.folder, each)}.`,
        );
    }
  }

  includes = (status: RekeyStatus): boolean => status.started && this.names.some((name) => isProbe(status, name.split("-").pop()));

  /** Saves the fingerprint of a key, before an attempt for it starts. */
  add(fingerprint: string): void {
    const name = `${this.prefix}${process.pid}-${fingerprint}`;
    this.names.push(name);
    this.access("written", () => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.folder, name), "", { mode: 0o600, flag: "wx" });
    });
  }

  /** Cancels an attempt that a drill left, until the status shows none. The second cancel of one attempt throws. */
  async cancel(operation: RekeyOperation): Promise<void> {
    for (let status = await getStatus(operation); this.includes(status); status = await getStatus(operation))
      await cancelAttempt(operation, status.nonce);
  }

  remove(): void {
    for (const name of this.names) rmSync(join(this.folder, name), { force: true });
  }

  private access<T>(verb: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      const reason = `the folder ${this.folder} cannot be ${verb} (${(error as NodeJS.ErrnoException).code})`;
      throw unusable(reason, "Set XDG_STATE_HOME to a folder that only you can write to.");
    }
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
