import { RekeyInputs } from "../provider/secrets";
import { Engine } from "./engine";

type Properties = Record<string, unknown>;

const given = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

/** A rekey as a program declares it, its three resources under an engine that can be stopped between any two of them. */
export class RekeyStack {
  readonly attempt: Engine;
  readonly shares: Engine;
  readonly commit: Engine;

  constructor(config: Record<string, object>) {
    this.attempt = new Engine("secrets:RekeyAttempt", config);
    this.shares = new Engine("secrets:RekeyShares", config);
    this.commit = new Engine("secrets:RekeyCommit", config);
  }

  private sharesInputs({ currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares }: RekeyInputs): Properties {
    const { attempt } = this.attempt.outputs();
    return given({ attempt, currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares });
  }

  private commitInputs({ currentShares, newShares, proof, removeBackup, onConflict, discardShares }: RekeyInputs): Properties {
    const { attempt } = this.attempt.outputs();
    const { nonces, candidate, source, kept, hadBackup } = this.shares.outputs();
    return given({
      ...{ attempt, nonces, candidate, source, kept, hadBackup },
      ...{ currentShares, newShares, proof, removeBackup, onConflict, discardShares },
    });
  }

  /** What `pulumi up` does: the three in their order, until one fails. `until`: the command line dies after that one. */
  async up(inputs: RekeyInputs, until: "attempt" | "shares" | "commit" = "commit"): Promise<string[]> {
    const done: string[] = [];
    done.push(await this.attempt.up(given({ ...inputs })));
    if (until === "attempt") return done;
    done.push(await this.shares.up(this.sharesInputs(inputs)));
    if (until === "shares") return done;
    done.push(await this.commit.up(this.commitInputs(inputs)));
    return done;
  }

  /** An `up` that stops: what it says. */
  async stops(inputs: RekeyInputs, until?: "attempt" | "shares" | "commit"): Promise<string> {
    return this.up(inputs, until).then(
      (done) => {
        throw new Error(`it went through: ${done.join(", ")}`);
      },
      (error: Error) => error.message,
    );
  }

  async refresh(): Promise<void> {
    for (const each of [this.attempt, this.shares, this.commit]) if (each.state) await each.refresh();
  }

  /** As the engine deletes, the last one first, in one process. */
  async destroy(): Promise<void> {
    for (const each of [this.commit, this.shares, this.attempt]) if (each.state) await each.destroy({ remembers: true });
  }

  /** The live set, as the component shows it. */
  get outputs(): { shares: string[]; encryptedShares: { fingerprint: string; share: string }[]; fingerprints: string[]; complete: boolean } {
    return this.commit.outputs() as never;
  }
}
