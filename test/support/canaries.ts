import { randomBytes } from "node:crypto";

/** A text that nothing else holds. */
export const canary = (name: string): string => `canary-${name}-${randomBytes(6).toString("hex")}`;
export const shareCanary = (name: string): string => Buffer.from(canary(name).padEnd(33, ".")).toString("base64").slice(0, 44);

/** Wherever it stands in what is encoded: base64 has three ways to write it, of which the ends depend on what stands beside it. */
function formsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret), ...(/^[0-9A-Za-z+/]{40,}=*$/.test(secret) ? [Buffer.from(secret, "base64")] : [])];
  return [
    ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
    ...bytes.flatMap((plain) => {
      const hex = plain.toString("hex");
      const shifted = [0, 1, 2].map((offset) => {
        const whole = Buffer.concat([Buffer.alloc(offset), plain])
          .toString("base64")
          .replace(/=+$/, "");
        return whole.slice(offset === 0 ? 0 : offset + 1, -2);
      });
      return [hex, hex.toUpperCase(), ...shifted, ...shifted.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
    }),
  ];
}

/** The secrets of a story, and every place where one of them could stand. */
export class Canaries {
  private readonly secrets: Record<string, string> = {};
  private readonly places: Record<string, string> = {};

  watchFor(secrets: object): void {
    // Of a long text, the part that is nobody else's.
    for (const [name, value] of Object.entries(secrets))
      for (const [index, text] of [value].flat().entries()) this.secrets[`${name} ${index}`] = /canary-[\w-]+/.exec(text)?.[0] ?? text;
  }

  lookInto(places: Record<string, string>): void {
    Object.assign(this.places, places);
  }

  /** Does one of them stand there in clear text? */
  isIn = (text: string): boolean => Object.values(this.secrets).some((secret) => text.includes(secret));

  /** Which of them stand where, in any form. */
  found(): string[] {
    const found = Object.entries(this.secrets).flatMap(([name, secret]) =>
      formsOf(secret).flatMap((form) =>
        Object.entries(this.places).flatMap(([place, text]) => (text.includes(form) ? [`${name} in ${place}`] : [])),
      ),
    );
    return [...new Set(found)];
  }

  summary(): string {
    const bytes = Object.values(this.places).reduce((sum, text) => sum + text.length, 0);
    const [secrets, places] = [this.secrets, this.places].map((all) => Object.keys(all).length);
    return `none of ${secrets} secrets in ${places} places, ${(bytes / 1e6).toFixed(0)} MB`;
  }
}
