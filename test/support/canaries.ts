import { randomBytes } from "node:crypto";

/** A unique string. */
export const canary = (name: string): string => `canary-${name}-${randomBytes(6).toString("hex")}`;
export const shareCanary = (name: string): string => Buffer.from(canary(name).padEnd(33, ".")).toString("base64").slice(0, 44);

/** The forms of a secret in encoded output. Base64 has three, whose ends depend on the neighboring characters. */
function formsOf(secret: string): string[] {
  const encoding = /^[0-9a-f]{40,}$/.test(secret) ? "hex" : "base64";
  const bytes = [Buffer.from(secret), ...(/^[0-9A-Za-z+/]{40,}=*$/.test(secret) ? [Buffer.from(secret, encoding)] : [])];
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
      return [
        hex,
        hex.toUpperCase(),
        plain.toString("latin1"),
        ...shifted,
        ...shifted.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
      ];
    }),
  ];
}

/** The forms of these secrets that a string contains. */
export const formsIn = (text: string, secrets: Iterable<string>): string[] =>
  [...secrets].flatMap(formsOf).filter((form) => text.includes(form));

/** The secrets of a story, and every place that could contain one. */
export class Canaries {
  private readonly secrets: Record<string, string> = {};
  private readonly places: Record<string, string> = {};

  watchFor(secrets: object): void {
    // The unique part of a long string.
    for (const [name, value] of Object.entries(secrets))
      for (const [index, text] of [value].flat().entries()) this.secrets[`${name} ${index}`] = /canary-[\w-]+/.exec(text)?.[0] ?? text;
  }

  lookInto(places: Record<string, string>): void {
    Object.assign(this.places, places);
  }

  /** True if the string contains a secret in plaintext. */
  isIn = (text: string): boolean => Object.values(this.secrets).some((secret) => text.includes(secret));

  /** The names of the secrets that a string contains in any form. */
  namesIn(text: string): string[] {
    return Object.entries(this.secrets).flatMap(([name, secret]) => (formsIn(text, [secret]).length > 0 ? [name] : []));
  }

  /** The names of all secrets. */
  get names(): string[] {
    return Object.keys(this.secrets);
  }

  /** The secrets that were found in any form, with their places. */
  found(): string[] {
    return Object.entries(this.places).flatMap(([place, text]) => this.namesIn(text).map((name) => `${name} in ${place}`));
  }
}
