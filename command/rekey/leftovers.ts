import { StewardError } from "../../provider/contract/errors";
import { cancelAttempt, getStatus } from "../../provider/secrets/rekey/protocol/api";
import { RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { isProbe } from "../../provider/secrets/rekey/protocol/server-state";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { StateFolder } from "../state-folder";
import { Terminal } from "../terminal";

/** The attempts that drills left on a service. For each, the name of an empty file has the process and the fingerprint of the throw-away key. */
export class Leftovers {
  private readonly files: StateFolder;
  private readonly names: string[];

  /** Throws if another process runs a drill on this service. */
  constructor(operation: RekeyOperation, terminal: Terminal) {
    const name = /^([1-9]\d*)-[0-9a-f]{40}$/;
    this.files = new StateFolder("drill", operation, terminal);
    this.names = this.files.names().filter((each) => name.test(each));
    for (const each of this.names) {
      const other = Number(name.exec(each)?.[1]);
      if (other !== process.pid && isAlive(other))
        throw new StewardError({
          code: "ERR_CONFLICT",
          reason: `process ${other} runs a drill of these keys; no share was sent`,
          hint: `Wait until it exits. If it is not a drill, delete ${this.files.pathOf(each)}.`,
        });
    }
  }

  includes = (status: RekeyStatus): boolean => status.started && this.names.some((name) => isProbe(status, name.split("-").pop()));

  /** Saves the fingerprint of a key, before an attempt for it starts. */
  add(fingerprint: string): void {
    const name = `${process.pid}-${fingerprint}`;
    this.names.push(name);
    this.files.add(name);
  }

  /** Cancels an attempt that a drill left, until the status shows none. The second cancel of one attempt throws. */
  async cancel(operation: RekeyOperation): Promise<void> {
    for (let status = await getStatus(operation); this.includes(status); status = await getStatus(operation))
      await cancelAttempt(operation, status.nonce);
  }

  remove(): void {
    for (const name of this.names) this.files.remove(name);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
