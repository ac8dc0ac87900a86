/** The length up to which a text is searched for secrets and kept. @internal */
export const longestText = 64 * 1024;
/** A shorter secret is part of many words: replacing it there would spell it out. */
const shortest = 4;
/** Lines of a secret that a server may show one by one. */
const longLine = 16;

/**
 * Replaces every secret by `[secret]`, in the forms a server may echo it: plain, a line of it, a long string in its JSON, inside JSON, in a URL, as
 * base64 or hex, in either case. Keeps 64 KB of the text. Secrets under four characters stay: see {@link holdsShortSecret}.
 * @internal
 */
export function redact(text: string, secrets: readonly string[]): string {
  const forms = formsOf(secrets).filter(({ length }) => length >= shortest);
  const longest = forms.reduce((most, { length }) => Math.max(most, length), 0);
  // A secret that begins before the end is searched for as a whole: half of one is not recognized.
  const searched = text.slice(0, longestText + longest);
  const folded = lowerCase(searched);
  const found = forms.flatMap((form) => occurrences(folded, lowerCase(form))).sort((a, b) => a.start - b.start);
  let redacted = "";
  let end = 0;
  for (const occurrence of found) {
    if (occurrence.start >= longestText) break;
    if (occurrence.start >= end) redacted += `${searched.slice(end, occurrence.start)}[secret]`;
    end = Math.max(end, occurrence.end);
  }
  return redacted + searched.slice(end, longestText);
}

/** Whether one of the secrets under four characters stands in a text as a word of its own. @internal */
export function holdsShortSecret(text: string, secrets: readonly string[]): boolean {
  const isPartOfWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  const folded = lowerCase(text.slice(0, longestText));
  return formsOf(secrets)
    .filter(({ length }) => length < shortest)
    .some((form) =>
      occurrences(folded, lowerCase(form)).some(({ start, end }) => !isPartOfWord(folded[start - 1]) && !isPartOfWord(folded[end])),
    );
}

/** Where a form stands in a text. Searched for without a regular expression, whose size is limited and whose error message shows it. */
function occurrences(text: string, form: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length))
    found.push({ start, end: start + form.length });
  return found;
}

/** The same number of characters in lower case. */
const lowerCase = (text: string): string =>
  text.replace(/[A-Z]+|[^\0-\x7f]/g, (part) => {
    const lower = part.toLowerCase();
    return lower.length === part.length ? lower : part;
  });

function formsOf(secrets: readonly string[]): string[] {
  const whole = secrets.flatMap((secret) => [secret, secret.trim()]);
  const lines = secrets.flatMap((secret) => secret.split(/\r?\n/).filter((line) => line.length >= longLine));
  const forms = [...whole, ...lines, ...secrets.flatMap(stringsIn)].flatMap((secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1);
    const base64 = Buffer.from(secret).toString("base64");
    const hex = Buffer.from(secret).toString("hex");
    return [secret, escaped, urlEncoded(secret), urlEncoded(escaped), base64, unpadded(base64), base64url(base64), hex];
  });
  return [...new Set(forms)].filter((form) => form.trim() !== "");
}

/** The long strings in a secret that is JSON: the private key of an account. */
function stringsIn(secret: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(secret, (_, value) => {
      if (typeof value === "string" && value.length >= longLine)
        found.push(value, ...value.split("\n").filter((line) => line.length >= longLine));
    });
  } catch {
    // Most secrets are no JSON.
  }
  return found;
}

// A lone half of a character cannot be encoded: the buffer replaces it, as it does when the string is sent.
const urlEncoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
const unpadded = (base64: string): string => base64.replace(/={1,2}$/, "");
const base64url = (base64: string): string => unpadded(base64).replaceAll("+", "-").replaceAll("/", "_");
