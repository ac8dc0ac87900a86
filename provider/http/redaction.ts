/** The number of UTF-16 code units of a string that are redacted. The rest is dropped. */
export const longestText = 64 * 1024;
/** The minimum length of a secret to replace. Shorter ones occur in many words, where a replacement would reveal them. */
const shortest = 4;
/** The minimum length of the base64 of a secret inside a longer string. */
const shortestWithin = 8;
/** The minimum length of lines and JSON strings in a secret that are redacted separately. */
const longLine = 16;

/**
 * Replaces secrets with `[secret]`. Finds the forms that a server may echo: plain, single lines, and strings in JSON. Finds each of them also
 * in JSON, URLs, forms, HTML, base64 and hex. Ignores case. Processes the first 65,536 characters and drops the rest. Leaves secrets shorter
 * than four characters: see {@link containsShortSecret}.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const forms = formsOf(secrets).filter(({ length }) => length >= shortest);
  const longest = forms.reduce((most, { length }) => Math.max(most, length), 0);
  // Include a secret that crosses the limit, since a part of one is not recognized.
  const searched = text.slice(0, longestText + longest);
  const folded = lowerCase(searched);
  const matches = forms.flatMap((form) => occurrences(folded, lowerCase(form))).sort((a, b) => a.start - b.start);
  let redacted = "";
  let end = 0;
  for (const occurrence of matches) {
    if (occurrence.start >= longestText) break;
    if (occurrence.start >= end) redacted += `${searched.slice(end, occurrence.start)}[secret]`;
    end = Math.max(end, occurrence.end);
  }
  return redacted + searched.slice(end, longestText);
}

/** True if a string contains a secret under four characters as a separate word. */
export function containsShortSecret(text: string, secrets: readonly string[]): boolean {
  const isPartOfWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  const folded = lowerCase(text.slice(0, longestText));
  return formsOf(secrets)
    .filter(({ length }) => length < shortest)
    .some((form) =>
      occurrences(folded, lowerCase(form)).some(({ start, end }) => !isPartOfWord(folded[start - 1]) && !isPartOfWord(folded[end])),
    );
}

/** The positions of a form in a string. A regular expression could be too large, and its error would reveal the secret. */
function occurrences(text: string, form: string): { start: number; end: number }[] {
  const positions: { start: number; end: number }[] = [];
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length))
    positions.push({ start, end: start + form.length });
  return positions;
}

/** The string in lower case, with its length unchanged. */
const lowerCase = (text: string): string =>
  text.replace(/[A-Z]+|[^\0-\x7f]/g, (part) => {
    const lower = part.toLowerCase();
    return lower.length === part.length ? lower : part;
  });

function formsOf(secrets: readonly string[]): string[] {
  const whole = secrets.flatMap((secret) => [secret, secret.trim()]);
  const lines = secrets.flatMap((secret) => secret.split(/\r?\n/).filter((line) => line.length >= longLine));
  const forms = [...whole, ...lines, ...secrets.flatMap(stringsIn)].flatMap(encoded);
  return [...new Set(forms)].filter((form) => form.trim() !== "");
}

/** A string as common encoders write it. */
function encoded(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = escaped(json, /[^\0-\x7e]/g);
  const url = urlEncoded(text);
  const strict = url.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  const html = text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
  const base64 = Buffer.from(text).toString("base64");
  return [
    text,
    json,
    // Go and Rails, Python, PHP, and Go's %q.
    escaped(json, /[<>&\u2028\u2029]/g),
    ascii,
    ...[json, ascii].map((each) => each.replaceAll("/", "\\/")),
    json.replace(/\\u00([01])/g, "\\x$1"),
    url,
    urlEncoded(json),
    strict,
    strict.replaceAll("%20", "+"),
    // Go's PathEscape.
    strict.replace(/%(24|26|2B|3A|3D|40)/g, decodeURIComponent),
    html,
    html.replaceAll("&quot;", "&#34;"),
    ...[base64, unpadded(base64), ...withinBase64(text)].flatMap((each) => [each, base64url(each)]),
    Buffer.from(text).toString("hex"),
  ];
}

const escaped = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** The base64 of a string inside a longer one, such as `user:password`, without the edges, which depend on the other characters. */
const withinBase64 = (text: string): string[] =>
  [0, 1, 2]
    .map((offset) => {
      const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
      return bytes.toString("base64").slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
    })
    // A shorter one may be a harmless word.
    .filter(({ length }) => length >= shortestWithin);

/** The long strings in a JSON secret, such as the private key of a service account. */
function stringsIn(secret: string): string[] {
  const strings: string[] = [];
  // Most secrets are not JSON, and the error of the parser is slow.
  if (!/^\s*["[{]/.test(secret)) return strings;
  try {
    JSON.parse(secret, (_, value) => {
      if (typeof value === "string" && value.length >= longLine)
        strings.push(value, ...value.split("\n").filter((line) => line.length >= longLine));
    });
  } catch {
    // It only begins like JSON.
  }
  return strings;
}

// encodeURIComponent rejects an unpaired surrogate. The buffer replaces it, as it does when the string is sent.
const urlEncoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
const unpadded = (base64: string): string => base64.replace(/={1,2}$/, "");
const base64url = (base64: string): string => unpadded(base64).replaceAll("+", "-").replaceAll("/", "_");
