import type { ErrorCode, StewardError } from "../../provider/contract/errors";

/**
 * The parts of an error that tests compare: its code, its request, and its rule if one code has several. No test compares the wording.
 * `await expect(role.up(inputs)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "role-exists" }))`.
 */
export const refusal = (
  code: ErrorCode,
  { rule, ...details }: { rule?: string; method?: string; path?: string; status?: number } = {},
): Error => expect.objectContaining({ code, ...details, ...(rule === undefined ? {} : { details: expect.objectContaining({ rule }) }) });

/** The error for invalid inputs, each as `<path>: <rule>`, or as `<rule>` if it concerns all of them. */
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

/** The error of an operation that fails. No part of it contains a canary. */
export async function failure(operation: Promise<unknown>): Promise<StewardError> {
  const error = await operation.then(
    () => Promise.reject(new Error("it succeeded")),
    (reason) => reason,
  );
  expect(error.message).not.toContain("canary");
  expect(JSON.stringify(error)).not.toContain("canary");
  return error;
}

/** Expects that an operation fails with this error, whose message contains these parts and no canary. */
export async function expectRefused(operation: Promise<unknown>, expected: Error, ...parts: (string | RegExp)[]): Promise<void> {
  const error = await failure(operation);
  expect(error).toEqual(expected);
  for (const part of parts) expect(error.message).toMatch(part);
}
