import { RekeyInputs } from "../../../provider/secrets";
import { Sandbox } from "../../../sandbox/index";
import { holders, read } from "../../support/pgp";
import { RekeyStack } from "../../support/rekey";

interface Form {
  name: string;
  /** The operations on the rekey in order. Each starts after the one before it has succeeded. */
  operations: readonly string[];
  inputs(first: readonly string[]): Promise<RekeyInputs>;
}

// Only the state contains the shares, but it may be destroyed.
const size = { secretShares: 3, secretThreshold: 2, keepSharesInState: true, discardShares: true };

export const rekeyForms: readonly Form[] = [
  {
    name: "plain",
    operations: ["up", "refresh", "destroy"],
    inputs: async (first) => ({ ...size, currentShares: first.slice(0, 3) }),
  },
  {
    name: "with PGP keys and a backup",
    operations: ["up until holders have to decrypt", "up with what they decrypted", "refresh", "destroy"],
    inputs: async (first) => {
      const pgpKeys = (await holders(3)).map(({ publicKey }) => publicKey);
      return { ...size, currentShares: first.slice(0, 3), pgpKeys, backup: true, removeBackup: true };
    },
  },
];

/** An operation that may meet a fault. */
export interface Scene {
  run(): Promise<unknown>;
  /** Repeats the operation until it succeeds, and checks the result. */
  converge(): Promise<void>;
}

/** Starts a rekey up to an operation, which reports that it waits for holders with an error. */
export async function beginRekey({ operations, inputs }: Form, operation: string, sandbox: Sandbox, stack: RekeyStack): Promise<Scene> {
  const declared = await inputs(sandbox.secrets.shares);
  const { pgpKeys, secretThreshold } = declared;

  /** The new shares that holders decrypt. */
  async function decrypted(encrypted: { fingerprint: string; share: string }[]): Promise<string[]> {
    const all = await holders(3);
    return Promise.all(
      all.map((holder) => read(holder, encrypted.find(({ fingerprint }) => fingerprint === holder.fingerprint)?.share ?? "")),
    );
  }
  async function up(): Promise<void> {
    const candidate = stack.shares.state && stack.candidate;
    const newShares = pgpKeys && candidate ? { newShares: await decrypted(candidate.encrypted) } : {};
    await stack.up({ ...declared, ...newShares });
  }
  async function untilThrough(step: () => Promise<void>): Promise<void> {
    for (let runs = 1; ; runs++) {
      try {
        return await step();
      } catch (error) {
        if (runs === 4) throw error;
      }
    }
  }

  const steps: Record<string, () => Promise<void>> = {
    up,
    "up until holders have to decrypt": up,
    "up with what they decrypted": up,
    refresh: () => stack.refresh(),
    destroy: () => stack.destroy(),
  };
  for (const earlier of operations.slice(0, operations.indexOf(operation))) await steps[earlier]?.().catch(() => {});
  const run = steps[operation] as () => Promise<void>;
  const before = stack.commit.state && stack.outputs;

  return {
    run,
    async converge() {
      await untilThrough(run);
      if (operation !== "destroy") await untilThrough(up);
      expect(stack.commit.state !== undefined).toBe(operation !== "destroy");
      const { shares, encryptedShares } = operation === "destroy" ? (before as RekeyStack["outputs"]) : stack.outputs;
      const live = pgpKeys ? await decrypted(encryptedShares) : shares;
      expect(await sandbox.secrets.opens(live.slice(0, secretThreshold))).toBe(true);
    },
  };
}
