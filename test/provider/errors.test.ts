import { RunError } from "@pulumi/pulumi";
import { StewardError } from "../../provider/errors";
import { redact } from "../../provider/redaction";

test("a message is one sentence with the place, and what to do", () => {
  const error = new StewardError({
    code: "ERR_REFUSED",
    reason: "no such policy",
    method: "POST",
    path: "/v1/x",
    status: 400,
    advice: "Do this.",
  });
  expect(error.with({ task: 'Cannot create scheduler role "web"' }).message).toBe(
    'Cannot create scheduler role "web": no such policy (POST /v1/x, 400). Do this.',
  );
  expect(error).toMatchObject({ code: "ERR_REFUSED", method: "POST", path: "/v1/x", status: 400 });
});

test("a program that fails with it prints one line: it is Pulumi's RunError", () => {
  expect(RunError.isInstance(new StewardError({ code: "ERR_REFUSED", reason: "no" }))).toBe(true);
});

test("a key is taken out line by line, for a server may break it otherwise", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n";
  for (const text of [key.trim(), key.replaceAll("\n", " "), "got MIIEvQIBADANBgkqhkiG9w0B only"])
    expect(redact(text, [key])).not.toMatch(/MII|AQEF/);
});

test("a secret is taken out in every form that a server may echo", () => {
  const secret = 'k"ey/with=blanks and\nlines';
  const forms = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
  for (const form of forms) expect(redact(`before ${form} after`, [secret, ""])).toMatch(/^before "?\[secret\]"? after$/);
  const hex = Buffer.from(secret).toString("hex");
  const unpadded = Buffer.from(secret).toString("base64url");
  for (const form of [hex, hex.toUpperCase(), unpadded, secret.toUpperCase(), encodeURIComponent(secret).toLowerCase()])
    expect(redact(`<${form}>`, [secret])).toBe("<[secret]>");
  expect(redact("abcabc", ["abc", "abcabc"])).toBe("[secret]");
  // Two that overlap leave nothing of either.
  expect(redact("xabcdefx", ["abcd", "cdef"])).toBe("x[secret]x");
});
