import { RekeyInputs } from "../../../../provider/secrets";
import { decodeShare } from "../../../../provider/secrets/rekey/protocol/crypto";
import { Interruption } from "../../../support/gateway";
import { Holder, holders, readAll } from "../../../support/pgp";
import { printed } from "../../../support/printed";
import { inputsFrom, RekeyStack, RekeyTarget, stackOn } from "../../../support/rekey";

// Tools for the stories of a rekey.

/** The stack of the current test. */
export let stack: RekeyStack;
/** The printed lines. */
export const lines = (): string => printed.join("\n");
export const clearLines = (): void => void printed.splice(0);

/** A share that is none. */
export const wrong = Buffer.alloc(33, 7).toString("base64");

/** Wrong shares whose points none of these shares has: OpenBao keeps shares of one point, and Vault discards them. */
export function wrongBeside(shares: readonly string[], count = 1): string[] {
  const taken = shares.map((share) => decodeShare(share)?.at(-1));
  const points = Array.from({ length: 255 }, (_, index) => index + 1).filter((point) => !taken.includes(point));
  return points.slice(0, count).map((point) => Buffer.alloc(33, point).toString("base64"));
}

/** The tools for the tests of a suite, each of which begins with a new stack. */
export function tools(current: () => RekeyTarget) {
  beforeEach(() => {
    stack = stackOn(current());
  });
  return toolsFor(current);
}

export function toolsFor(current: () => RekeyTarget) {
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
  /** A rekey for so many holders with PGP keys. */
  const forHolders = async (count: number, more: Partial<RekeyInputs> = {}): Promise<{ all: Holder[]; pgp: RekeyInputs }> => {
    const all = await holders(count);
    return { all, pgp: inputs({ pgpKeys: all.map(({ publicKey }) => publicKey), ...more }) };
  };
  /** The same, whose new shares are made, with these shares decrypted. */
  const madeFor = async (count: number, more: Partial<RekeyInputs> = {}): Promise<{ pgp: RekeyInputs; newShares: string[] }> => {
    const { all, pgp } = await forHolders(count, more);
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-missing");
    return { pgp, newShares: await readAll(all, stack.candidate.encrypted) };
  };
  /** Starts an attempt outside Pulumi. Returns its nonce. */
  const begin = async (parameters: object): Promise<string> => {
    expect((await current().outOfBand("PUT", "sys/rekey/init", parameters)).status).toBe(200);
    return String((await status()).nonce);
  };
  /** Submits current shares to the attempt in progress, as other holders do. */
  const submit = async (...shares: string[]): Promise<void> => {
    const { nonce } = await status();
    for (const key of shares) await current().outOfBand("PUT", "sys/rekey/update", { key, nonce });
  };
  /** Verifies new shares, as other holders do. */
  const verify = async (...shares: string[]): Promise<void> => {
    const { nonce } = (await current().outOfBand("GET", "sys/rekey/verify")).body;
    for (const key of shares) await current().outOfBand("PUT", "sys/rekey/verify", { key, nonce });
  };
  /** The status of a read of the backup. */
  const backupStatus = async (): Promise<number> => (await current().outOfBand("GET", "sys/rekey/backup")).status;
  /** Cancels the attempt in progress, as another client would. */
  const cancel = async (): Promise<void> => {
    const body = current().dialect === "hashicorp" ? { nonce: (await status()).nonce } : undefined;
    expect((await current().outOfBand("DELETE", "sys/rekey/init", body)).status).toBe(204);
  };
  /** Interrupts the requests of one method and path, or one of them alone. */
  const interrupt = (method: string, path: string, interruption: Interruption, only?: number): void =>
    current().gateway.on(`${method} sys/rekey/${path}`, interruption, only);
  return { inputs, stackOn, requests, noAttempt, status, forHolders, madeFor, begin, submit, verify, backupStatus, cancel, interrupt };
}
