import { RekeyInputs } from "../../../../provider/secrets";
import { decodeShare } from "../../../../provider/secrets/rekey/crypto";
import { Interruption } from "../../../support/gateway";
import { Holder, holders, read } from "../../../support/pgp";
import { inputsFrom, RekeyStack, RekeyTarget, stackOn } from "../../../support/rekey";

// Tools for the stories of a rekey.

const quiet = (): jest.SpyInstance => jest.spyOn(console, "log").mockImplementation(() => {});
export let told: jest.SpyInstance;
beforeEach(() => {
  told = quiet();
});
afterEach(() => told.mockRestore());
/** The stack of the current test. */
export let stack: RekeyStack;
/** The printed lines. */
export const lines = (): string => told.mock.calls.map(([line]) => String(line)).join("\n");

/** A share that is none. */
export const wrong = Buffer.alloc(33, 7).toString("base64");

/** Wrong shares whose points none of these shares has: OpenBao keeps shares of one point, and Vault discards them. */
export function wrongBeside(shares: readonly string[], count = 1): string[] {
  const taken = shares.map((share) => decodeShare(share)?.at(-1));
  const points = Array.from({ length: 255 }, (_, index) => index + 1).filter((point) => !taken.includes(point));
  return points.slice(0, count).map((point) => Buffer.alloc(33, point).toString("base64"));
}

export function tools(current: () => RekeyTarget) {
  beforeEach(() => {
    stack = stackOn(current());
  });
  const inputs = (more: Partial<RekeyInputs> = {}): RekeyInputs => inputsFrom(current().first, more);
  const requests = async (action: () => Promise<unknown>): Promise<string[]> => {
    const { gateway } = current();
    const first = gateway.requests.length;
    await action();
    return gateway.requests.slice(first).map(({ method, path }) => `${method} ${path.replace("/v1/sys/rekey/", "")}`);
  };
  /** The reads that show that no attempt is in progress: a standby of OpenBao would not know. */
  const noAttempt = (): string[] => ["GET init", ...(current().dialect === "openbao" ? ["GET /v1/sys/health"] : [])];
  const status = async (): Promise<Record<string, unknown>> => (await current().outOfBand("GET", "sys/rekey/init")).body;
  const decrypted = async (set: { encryptedShares?: { fingerprint: string; share: string }[] }, all: Holder[]): Promise<string[]> =>
    Promise.all(
      (set.encryptedShares ?? []).map(({ fingerprint, share }) =>
        read(all.find((each) => each.fingerprint === fingerprint) as Holder, share),
      ),
    );
  const candidateOf = ({ candidate }: RekeyStack): { encryptedShares: { fingerprint: string; share: string }[] } => ({
    encryptedShares: candidate.encrypted,
  });
  /** A rekey for so many holders with PGP keys. */
  const forHolders = async (count: number, more: Partial<RekeyInputs> = {}): Promise<{ all: Holder[]; pgp: RekeyInputs }> => {
    const all = await holders(count);
    return { all, pgp: inputs({ pgpKeys: all.map(({ publicKey }) => publicKey), ...more }) };
  };
  /** Interrupts the requests of one method and path, or one of them alone. */
  const interrupt = (method: string, path: string, interruption: Interruption, only?: number): void =>
    current().gateway.on(`${method} sys/rekey/${path}`, interruption, only);
  return { inputs, stackOn, requests, noAttempt, status, decrypted, candidateOf, forHolders, interrupt };
}
