import { serverReason } from "../../../provider/http/judge";
import { containsShortSecret, longestText, redact } from "../../../provider/http/redaction";

test("a private key is redacted line by line, because a server may reflow it", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n";
  for (const text of [key.trim(), key.replaceAll("\n", " "), "got MIIEvQIBADANBgkqhkiG9w0B only"])
    expect(redact(text, [key])).not.toMatch(/MII|AQEF/);
});

test("a secret is redacted in every encoding that a server may echo", () => {
  const secret = 'k"ey/with=blanks and\nlines';
  const encoded = (["base64", "base64url", "hex"] as const).map((encoding) => Buffer.from(secret).toString(encoding));
  const percent = encodeURIComponent(secret);
  const forms = [secret, JSON.stringify(secret).slice(1, -1), percent, percent.toLowerCase(), ...encoded, secret.toUpperCase()];
  for (const form of [...forms, encoded[2]?.toUpperCase()]) expect(redact(`<${form}>`, [secret, ""])).toBe("<[secret]>");
});

test.each([
  [["abc", "abcabc"], "abcabc", "[secret]"],
  [["abcd", "cdef"], "xabcdefx", "x[secret]x"],
  // A short word that could be base64 of a part of a secret: "word1" from its first byte to its last.
  [["word1"], "xd29yZDx", "xd29yZDx"],
  [["canary\ud800"], "before canary\ud800 after", "before [secret] after"],
])("the secrets %j in %j are redacted completely, and nothing else", (secrets, text, shown) => expect(redact(text, secrets)).toBe(shown));

test.each([
  ["Go's JSON, and that of Rails", "canary&pass<word>", "canary\\u0026pass\\u003cword\\u003e"],
  ["JSON in ASCII", "canary/p\u00e4ssword\ud83d\ude00", "canary/p\\u00e4ssword\\ud83d\\ude00"],
  ["JSON with escaped slashes", "canary/p\u00e4ss", "canary\\/p\u00e4ss"],
  ["JSON in ASCII with escaped slashes", "canary/p\u00e4ss", "canary\\/p\\u00e4ss"],
  ["Go's quoted strings", "canary\u0001password", "canary\\x01password"],
  ["strict percent encoding", "canary $!'()*pass", "canary%20%24%21%27%28%29%2Apass"],
  ["a form", "canary pass (word)", "canary+pass+%28word%29"],
  ["Go's paths", "canary/$&+=:@(word)", "canary%2F$&+=:@%28word%29"],
  ["HTML", `canary&pass<"word'>`, "canary&amp;pass&lt;&quot;word&#39;&gt;"],
  ["HTML with decimal quotes", `canary"pass'word`, "canary&#34;pass&#39;word"],
])("a secret is redacted as %s writes it", (_, secret, echoed) =>
  expect(redact(`before ${echoed} after`, [secret])).toBe("before [secret] after"),
);

test.each([
  ["", "[secret]6bW9yZQ=="],
  ["u:", "dTp[secret]Tptb3Jl"],
  ["us:", "dXM6[secret]6bW9yZQ=="],
  ["use:", "dXNlOm[secret]Om1vcmU="],
])("a secret is redacted inside the base64 of a longer string, after %p", (before, shown) => {
  const secret = "canary?>\u00fe\u00ff-0123456789";
  for (const encoding of ["base64", "base64url"] as const) {
    // A character at each edge holds bits of other characters, too.
    const unpadded = shown.replace(/=+$/, "");
    const echoed = Buffer.from(`${before}${secret}:more`).toString(encoding);
    expect(redact(echoed, [secret])).toBe(encoding === "base64" ? shown : unpadded);
  }
});

test("a secret longer than a regular expression allows is redacted", () => {
  const secret = "canary-".repeat(50_000);
  expect(redact(`before ${secret}`, [secret])).toBe("before [secret]");
  expect(redact("before", [secret])).toBe("before");
});

test("the truncated end of a reason holds no part of a secret", () => {
  const secret = "canary-0123456789";
  for (const overlap of [1, 8, secret.length]) {
    const text = `${"x".repeat(longestText - overlap)}${secret}${"y".repeat(longestText)}`;
    expect(redact(text, [secret])).toBe(`${"x".repeat(longestText - overlap)}[secret]`);
  }
  const kept = redact(`${"x".repeat(longestText - 3)}canar`, [secret]);
  expect(kept).toBe(`${"x".repeat(longestText - 3)}can`);
});

describe("a secret below four characters", () => {
  test.each([
    ["denied for abc", true],
    ["'ABC' is wrong", true],
    ["key=abc;", true],
    ["denied for YWJj", false],
    ["the abcess of cabc, abc1 and \u00e9abc", false],
  ])("%p contains it as a separate word: %p", (text, holds) => expect(containsShortSecret(text, ["abc", " ", ""])).toBe(holds));

  test("hides the whole reason if it is a separate word, and does not redact parts of other words", () => {
    expect(serverReason({ errors: ["this is a bad request"] }, "", ["a"])).not.toContain("bad request");
    expect(serverReason({ errors: ["invalid parameter"] }, "", ["a"])).toBe("invalid parameter");
    // In base64, it is long enough to be redacted.
    expect(serverReason({ errors: ["got YWJj"] }, "", ["abc"])).toBe("got [secret]");
  });
});

describe("the server's reason", () => {
  test.each([
    ["1 error occurred:\n\t* one\n\n", "one"],
    ["2 errors occurred:\n\t* one\n\t* two\n\n", "one; two"],
    ["failed: 2 errors occurred:\n\n\t* one\n  * two.", "failed: one; two"],
    ["2 * 3 is six\n", "2 * 3 is six"],
  ])("%p is shown as %p", (text, shown) => expect(serverReason(undefined, text, [])).toBe(shown));

  const secret = "canary-0123456789-canary-0123456789";
  const ofLength = (part: string, megabytes: number): string => part.repeat(Math.ceil((megabytes * 2 ** 20) / part.length));
  const taken = (text: string, isJson: boolean): number => {
    const times = Array.from({ length: 3 }, () => {
      // CPU time, which other processes do not lengthen.
      const begin = process.cpuUsage();
      serverReason(isJson ? { errors: [text] } : undefined, isJson ? "" : text, [secret]);
      return process.cpuUsage(begin).user / 1000;
    });
    return Math.min(...times);
  };

  test.each([
    ["digits", "1"],
    ["line ends", "\n"],
    ["blanks", " "],
    ["items of a list", "\n\t* "],
    ["headings of lists", "1 error occurred:\n"],
    ["control characters", "\u001b"],
    ["the first half of a secret", secret.slice(0, secret.length / 2)],
    ["a secret", secret],
  ])("is processed in linear time, with %s", (_, part) => {
    for (const isJson of [false, true]) {
      // Times below a few milliseconds are noise.
      const short = Math.max(5, taken(ofLength(part, 1), isJson));
      const long = taken(ofLength(part, 8), isJson);
      expect(long).toBeLessThan(short * 8 * 4);
      expect(long).toBeLessThan(1_000);
    }
  });

  test("is redacted fast with the hundreds of secrets of a rekey", () => {
    const shares = Array.from({ length: 255 }, (_, index) => Buffer.alloc(33, index).toString("hex"));
    const begin = performance.now();
    expect(serverReason(undefined, `denied for ${shares[77]}`, shares)).toBe("denied for [secret]");
    serverReason(undefined, ofLength("1", 8), shares);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
