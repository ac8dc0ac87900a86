/** What the real product's library refuses and this language's would take, and how it says so. */
const refused: [RegExp, string][] = [
  [/\(\?<?[=!]/, "lookaround"],
  [/\\[1-9]|\\[cegijkluyEGHIJKLMNORTUVXYZ]/, "invalid escape sequence"],
  [/[*+?}][*+]/, "invalid nested repetition operator"],
];

/** The regular expression, whose flags may stand at its beginning: `(?i)web`. The commonest mistakes are told in the real product's words. */
export function expressionOf(text: string): RegExp {
  const fail = (reason: string): never => {
    throw new Error(`Failed to compile regular expression ${JSON.stringify(text)}: error parsing regexp: ${reason}`);
  };
  const literal = text.replace(/\\Q(.*?)(?:\\E|$)/gs, (_, quoted: string) => quoted.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  // Where a character is escaped or in a class it is no operator.
  const bare = literal
    .replace(/\\\\|\\[^\w]/g, "__")
    .replace(/\[(?:\^?\])?(?:\\.|\[:\w+:\]|[^\]\\])*\]/g, (found) => "_".repeat(found.length));
  for (const [wrong, reason] of refused) {
    const [found] = wrong.exec(bare) ?? [];
    if (found === undefined) continue;
    if (reason !== "lookaround") fail(`${reason}: \`${found}\``);
    fail(
      found.startsWith("(?<")
        ? `invalid named capture: \`${text.slice(text.indexOf(found))}\``
        : `invalid or unsupported Perl syntax: \`${found}\``,
    );
  }
  for (const [repeat, least, most = least] of bare.matchAll(/\{(\d+)(?:,(\d+)?)?\}/g))
    if (Number(most) < Number(least) || Math.max(Number(least), Number(most)) > 1000) fail(`invalid repeat count: \`${repeat}\``);

  const [whole = "", flags = ""] = /^\(\?([ims]+)\)/.exec(literal) ?? [];
  const source = literal
    .slice(whole.length)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\z", "$")
    .replaceAll("\\A", "^")
    .replaceAll("[[:alpha:]]", "[a-zA-Z]")
    .replaceAll("[[:digit:]]", "[0-9]")
    .replace(/\\([pP])([A-Z])/g, "\\$1{$2}");
  try {
    return new RegExp(source, /\\[pP]\{/.test(source) ? `${flags}u` : flags);
  } catch (error) {
    return fail(reasonOf(text, error as Error));
  }
}

function reasonOf(text: string, { message }: Error): string {
  if (/Unterminated group/.test(message)) return `missing closing ): \`${text}\``;
  if (/Unmatched '\)'/.test(message)) return `unexpected ): \`${text}\``;
  if (/Unterminated character class/.test(message)) return `missing closing ]: \`${text.slice(text.indexOf("["))}\``;
  if (/Nothing to repeat/.test(message)) return `missing argument to repetition operator: \`${/[*+?]/.exec(text)?.[0] ?? text}\``;
  if (/\\ at end/.test(message)) return "trailing backslash at end of expression: ``";
  if (/Range out of order/.test(message)) return `invalid character class range: \`${/[^[\]]-[^[\]]/.exec(text)?.[0] ?? text}\``;
  return `invalid or unsupported Perl syntax: \`${/\(\?[^)]?/.exec(text)?.[0] ?? text}\``;
}
