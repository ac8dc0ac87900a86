import { Holder, holders } from "./pgp";
import { Reader } from "./reader";
import { RekeyTarget, rekeyTargets } from "./rekey";

// The holders of a rekey, for a reader of a page that mentions them.

/** Writes the files of the holders' keys: all public keys, and the private key of one holder. */
export async function writeKeys(reader: Reader, me: number, names: readonly string[] = ["ada", "grace", "mary"]): Promise<Holder[]> {
  const all = await holders(names.length);
  for (const [index, name] of names.entries()) reader.write(`keys/${name}.asc`, all[index]?.publicKey ?? "");
  reader.write("me.asc", all[me]?.privateKey.armor() ?? "");
  return all;
}

/** The encrypted share of a holder in the output of a command or of `pulumi up`. */
export const shareFor = ({ fingerprint }: Holder, output: string): string =>
  new RegExp(`for the holder of ${fingerprint}.*, encrypted: ([0-9a-f]+)`).exec(output)?.[1] ?? "";

/** The command of the pages, in the folder of a program. */
export const inProgram = { "pulumi-steward rekey": "npx --no pulumi-steward rekey", "pulumi-steward root": "npx --no pulumi-steward root" };

export const realVault = (): Promise<RekeyTarget> => (rekeyTargets[0] as (typeof rekeyTargets)[number]).start();

/** The answers of a holder to the prompts. */
export const submitting = (share: string): [string, string][] => [
  ["[y/N] ", "y"],
  ["(will be hidden): ", share],
];

/** The line of the output that is a share in hex. On a terminal, it is the first of the alternate screen. */
export const secretIn = (output: string): string => /(?:^|\[H)([0-9a-f]{32,})\r?$/m.exec(output)?.[1] ?? "";
