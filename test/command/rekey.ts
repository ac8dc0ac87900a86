import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaryKey, Holder } from "../support/pgp";
import { RekeyTarget } from "../support/rekey";
import { argumentsOf, Ended, Person, steward, typing, variablesOf } from "./holder";

// Helpers for the stories of the holders' command line.

/** The folder of the current test. */
export let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "steward-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The ends of the prompts for a confirmation and for a share. */
export const confirmed = "[y/N] ";
export const askedForShare = "(will be hidden): ";

/** The new shares that a command printed. */
export const newSharesIn = (output: string): string[] => [...output.matchAll(/^share \d: (\S+)$/gm)].map(([, each]) => each as string);

export type Entry = Record<string, unknown>;
/** The entries of the record in a file. */
export const entriesIn = (path: string): Entry[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
export const eventsIn = (path: string): string[] =>
  entriesIn(path).map(({ event, phase, count }) => [event, phase, phase && count].join(" ").trim());

export const hexOf = (share: string): string => Buffer.from(share, "base64").toString("hex");

export function tools(current: () => RekeyTarget) {
  const alone = (args: string[], input?: string): Promise<Ended> => steward(variablesOf(current()), argumentsOf(current(), ...args), input);
  const atTerminal = (args: string[], person: Person): ReturnType<typeof typing> =>
    typing(variablesOf(current()), argumentsOf(current(), ...args), person);
  const sent = (path: string): number =>
    current().gateway.requests.filter((request) => request.method === "PUT" && request.path === `/v1/sys/rekey/${path}`).length;

  async function begin(body: object): Promise<string> {
    const { status } = await current().outOfBand("PUT", "sys/rekey/init", { require_verification: true, ...body });
    expect(status).toBeLessThan(300);
    return nonce();
  }
  const nonce = async (): Promise<string> => String((await current().outOfBand("GET", "sys/rekey/init")).body.nonce);
  const verification = async (): Promise<string> => String((await current().outOfBand("GET", "sys/rekey/verify")).body.nonce);
  const forHolders = async (all: Holder[], more = {}): Promise<string> => {
    return begin({ secret_shares: all.length, secret_threshold: 2, pgp_keys: all.map(binaryKey), backup: true, ...more });
  };
  /** Cancels the attempt in progress outside the command. */
  const cancel = async (): Promise<void> => void (await current().outOfBand("DELETE", "sys/rekey/init", { nonce: await nonce() }));
  /** Submits shares outside the command: all current ones but the last, or these. */
  async function submitShares(name: string, shares: readonly string[] = current().first.slice(0, 2)): Promise<void> {
    for (const key of shares) await current().outOfBand("PUT", "sys/rekey/update", { key, nonce: name });
  }
  const share = (index: number): string => current().first[index] as string;
  return { alone, atTerminal, sent, begin, nonce, verification, forHolders, cancel, submitShares, share };
}
