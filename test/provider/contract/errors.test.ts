import { RunError } from "@pulumi/pulumi/errors";
import { PartialState, StewardError } from "../../../provider/contract/errors";

test("a message has the cause, the request and the next step", () => {
  const request = { method: "POST", path: "/v1/x", status: 400 };
  const error = new StewardError({ code: "ERR_REJECTED", reason: "no such policy", ...request, hint: "Do this." });
  expect(error.with({ operation: 'Cannot create Nomad role "web"' }).message).toBe(
    'Cannot create Nomad role "web": no such policy (POST /v1/x, 400). Do this.',
  );
  expect(error).toMatchObject({ code: "ERR_REJECTED", ...request });
});

test("Pulumi prints the error as one line, because it is a RunError", () => {
  expect(RunError.isInstance(new StewardError({ code: "ERR_REJECTED", reason: "no" }))).toBe(true);
});

test("a message contains no control characters from any detail", () => {
  const evil = "a\u001b[2Jb\u0007c\u202ed\u009be\u2028f\ng";
  for (const detail of ["operation", "reason", "hint", "path"]) {
    const error = new StewardError({ code: "ERR_REJECTED", reason: "no", method: "GET", path: "/v1", [detail]: evil });
    for (const each of [error, error.with({ status: 400 }), new PartialState({}, error.details)]) {
      expect(each.message).toContain("a [2Jb c d e f g");
      expect(each.message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  }
});
