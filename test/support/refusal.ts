import type { ErrorCode } from "../../provider/errors";

/**
 * What a test compares of an error: its code, the rule where one code covers several refusals, the request. The wording stands in test/messages.test.ts.
 * `await expect(role.up(inputs)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "role-exists" }))`.
 */
export const refusal = (
  code: ErrorCode,
  { rule, ...details }: { rule?: string; method?: string; path?: string; status?: number } = {},
): Error => expect.objectContaining({ code, ...details, ...(rule === undefined ? {} : { details: expect.objectContaining({ rule }) }) });

/** Inputs that are wrong, each as `<path>: <rule>`, or as the rule alone where it is about all of them. */
export const invalidInputs = (...problems: string[]): Error =>
  expect.objectContaining({
    code: "ERR_INVALID_INPUT",
    details: expect.objectContaining({
      failures: problems.map((problem) => {
        const [, path = "", rule = problem] = /^(.*): ([^:]*)$/.exec(problem) ?? [];
        return expect.objectContaining({ path, rule });
      }),
    }),
  });
