import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { StewardError } from "../provider/contract/errors";
import { SharesOperation } from "../provider/secrets/rekey/protocol/operation";
import { Terminal } from "./terminal";

/** The files of one kind about the keys of one service, which only this user can read. They contain no secret. */
export class StateFolder {
  private readonly folder: string;
  private readonly prefix: string;

  constructor(
    kind: string,
    { server, target }: SharesOperation,
    { environment: { XDG_STATE_HOME: state = "", HOME: home = "" } }: Terminal,
  ) {
    const parent = isAbsolute(state) ? state : join(isAbsolute(home) ? home : userInfo().homedir, ".local/state");
    const hash = createHash("sha256").update(JSON.stringify([server.id, target]));
    this.folder = join(parent, "pulumi-steward");
    this.prefix = `${kind}-${hash.digest("hex").slice(0, 16)}-`;
  }

  names(): string[] {
    const all = this.access("read", () => (existsSync(this.folder) ? readdirSync(this.folder) : []));
    return all.filter((name) => name.startsWith(this.prefix)).map((name) => name.slice(this.prefix.length));
  }

  pathOf = (name: string): string => join(this.folder, this.prefix + name);

  read = (name: string): string => this.access("read", () => readFileSync(this.pathOf(name), "utf8"));

  add(name: string, content = ""): void {
    this.access("written", () => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.pathOf(name), content, { mode: 0o600, flag: "wx" });
    });
  }

  remove = (name: string): void => rmSync(this.pathOf(name), { force: true });

  private access<T>(verb: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      const reason = `the folder ${this.folder} cannot be ${verb} (${(error as NodeJS.ErrnoException).code}); no share was sent`;
      throw new StewardError({ code: "ERR_CONFLICT", reason, hint: "Set XDG_STATE_HOME to a folder that only you can write to." });
    }
  }
}
