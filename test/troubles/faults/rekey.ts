import { RekeyInputs } from "../../../provider/secrets";
import { Sandbox } from "../../../sandbox/index";
import { holders, readAll } from "../../support/pgp";
import { RekeyStack } from "../../support/rekey";

/** An operation that may meet a fault. */
export interface Scene {
  run(): Promise<unknown>;
  /** Repeats the operation until it succeeds, and checks the result. */
  converge(): Promise<void>;
}

/** The operations on a rekey in order. Each starts after the one before it has succeeded. */
export const rekeyForms = [
  { name: "plain", pgp: false, operations: ["up", "refresh", "destroy"] },
  // The first `up` ends with an error, because holders have to decrypt the new shares.
  { name: "with PGP keys and a backup", pgp: true, operations: ["up", "up with what they decrypted", "refresh", "destroy"] },
];

/** Starts a rekey up to an operation. */
export async function beginRekey(
  { pgp, operations }: (typeof rekeyForms)[number],
  operation: string,
  sandbox: Sandbox,
  stack: RekeyStack,
): Promise<Scene> {
  const all = pgp ? await holders(3) : [];
  const inputs: RekeyInputs = {
    secretShares: 3,
    secretThreshold: 2,
    currentShares: sandbox.secrets.shares.slice(0, 3),
    keepSharesInState: true,
    // Only the state contains the shares, but it may be destroyed.
    discardShares: true,
    ...(pgp ? { pgpKeys: all.map(({ publicKey }) => publicKey), backup: true, removeBackup: true } : {}),
  };
  async function up(): Promise<void> {
    const encrypted = (stack.shares.state && stack.submission.candidate?.encrypted) || [];
    await stack.up({ ...inputs, ...(encrypted.length > 0 ? { newShares: await readAll(all, encrypted) } : {}) });
  }
  async function untilThrough(step: () => Promise<void>, runs = 4): Promise<void> {
    await step().catch((error) => {
      if (runs === 1) throw error;
      return untilThrough(step, runs - 1);
    });
  }
  const runOf = (each: string): (() => Promise<void>) =>
    each === "refresh" ? () => stack.refresh() : each === "destroy" ? () => stack.destroy() : up;
  for (const earlier of operations.slice(0, operations.indexOf(operation))) await runOf(earlier)().catch(() => {});
  const run = runOf(operation);
  const before = stack.commit.state && stack.outputs;

  return {
    run,
    async converge() {
      await untilThrough(run);
      if (operation !== "destroy") await untilThrough(up);
      expect(stack.commit.state !== undefined).toBe(operation !== "destroy");
      const { shares, encryptedShares } = operation === "destroy" ? (before as RekeyStack["outputs"]) : stack.outputs;
      const live = pgp ? await readAll(all, encryptedShares) : shares;
      expect(await sandbox.secrets.opens(live.slice(0, 2))).toBe(true);
    },
  };
}
