import { RekeyInputs } from "../../provider/secrets";
import { Sandbox } from "../../sandbox/index";
import { holders, read } from "../support/pgp";
import { RekeyStack } from "../support/rekey";

interface Form {
  name: string;
  /** What happens to such a rekey, in this order: each is begun where the one before it has ended well. */
  operations: readonly string[];
  inputs(first: readonly string[]): Promise<RekeyInputs>;
}

// The state holds what nobody else has, and may be destroyed all the same.
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

export interface Rekeying {
  /** The operation; it waits for holders by an error. */
  run(): Promise<unknown>;
  /** Does it again until it is through, and looks whether the shares that the state calls live open the service. */
  converge(): Promise<void>;
}

/** A rekey up to an operation. */
export async function beginRekey({ operations, inputs }: Form, operation: string, sandbox: Sandbox, stack: RekeyStack): Promise<Rekeying> {
  const declared = await inputs(sandbox.secrets.shares);
  const { pgpKeys, secretThreshold } = declared;

  /** What holders make of the new shares that are there for them. */
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
