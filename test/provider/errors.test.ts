import { RunError } from "@pulumi/pulumi";
import { StewardError, Unfinished } from "../../provider/errors";

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

test("a message holds nothing that a terminal obeys, whichever fact it comes from", () => {
  const evil = "a\u001b[2Jb\u0007c\u202ed\u009be\u2028f\ng";
  for (const fact of ["task", "reason", "advice", "path"]) {
    const error = new StewardError({ code: "ERR_REFUSED", reason: "no", method: "GET", path: "/v1", [fact]: evil });
    for (const each of [error, error.with({ status: 400 }), new Unfinished({}, error.facts)]) {
      expect(each.message).toContain("a [2Jb c d e f g");
      expect(each.message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  }
});
