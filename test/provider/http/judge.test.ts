import { StewardError } from "../../../provider/contract/errors";
import { judge } from "../../../provider/http/judge";
import { Request, Response } from "../../../provider/http/request";
import { parseLossless } from "../../../provider/text/json";
import { connectTo } from "../../support/connection";

const operation = connectTo("secrets", { address: "http://127.0.0.1:1", token: "t" });

function judged(status: number, text: string, request: Partial<Request> = {}, headers: Response["headers"] = {}): Response | StewardError {
  const sent: Request = { method: "GET", path: "/v1/thing", retry: "never", headers: () => ({}), ...request };
  try {
    return judge({ status, headers, text }, { operation, request: sent, token: "t", secrets: [] });
  } catch (error) {
    return error as StewardError;
  }
}

test.each<[status: number, code: string, mayBeApplied: boolean]>([
  [400, "ERR_REJECTED", false],
  [401, "ERR_FORBIDDEN", false],
  [403, "ERR_FORBIDDEN", false],
  [404, "ERR_NOT_FOUND", false],
  [409, "ERR_REJECTED", false],
  [429, "ERR_RATE_LIMITED", false],
  [500, "ERR_SERVER", true],
  [502, "ERR_SERVER", true],
  [503, "ERR_UNAVAILABLE", false],
  [504, "ERR_SERVER", true],
  [999, "ERR_SERVER", true],
])("%d is %s, and whether it may have applied a write is %p", (status, code, mayBeApplied) => {
  expect(judged(status, "", { method: "POST" })).toMatchObject({ code, status, details: { outcomeUnknown: mayBeApplied } });
  expect(judged(status, "")).toMatchObject({ code, status, details: { outcomeUnknown: false } });
});

test.each<[text: string, body: unknown]>([
  ["", undefined],
  ["null", null],
  ['{"a":1}', { a: 1 }],
])("200 with %j succeeds", (text, body) => {
  expect(judged(200, text, { method: "POST" }, { "x-index": "7" })).toEqual({ status: 200, headers: { "x-index": "7" }, body });
});

test.each([
  ["<html></html>", "web-page"],
  ["fine", "not-json"],
])("200 with %j is no response of the API, and may have applied a write", (text, rule) => {
  const code = "ERR_UNEXPECTED_RESPONSE";
  expect(judged(200, text, { method: "POST" })).toMatchObject({ code, details: { rule, outcomeUnknown: true } });
  expect(judged(200, text)).toMatchObject({ code, details: { rule, outcomeUnknown: false } });
});

test("the parser of a request reads its successes, and no error", () => {
  const parse = jest.fn(parseLossless);
  expect(judged(200, "[12345678901234567890]", { parse })).toMatchObject({ body: ["12345678901234567890"] });
  expect(judged(400, '{"errors":["no"]}', { parse })).toMatchObject({ details: { reason: "no", errorCount: 1 } });
  expect(parse).toHaveBeenCalledTimes(1);
});

test.each([
  [{ "retry-after": "3" }, "3"],
  [{ "x-ratelimit-reset": "0.5" }, "0.5"],
  [{ "retry-after": "3", "x-ratelimit-reset": "0.5" }, "3"],
  [{}, undefined],
])("429 with %j waits for %p", (headers, retryAfter) =>
  expect((judged(429, "", {}, headers) as StewardError).details.retryAfter).toBe(retryAfter),
);
