import { StewardError } from "../../../provider/errors";
import { invalidResponse } from "../../../provider/secrets/client";
import { explainRefusal } from "../../../provider/secrets/refusal";
import { refusal } from "../../support/refusal";
import { serve } from "../http/exchange";

test("comparing the paths of a hostile OpenAPI document takes linear time", async () => {
  const paths = { [`/${"{a}".repeat(40)}x`]: {}, [`/${"{".repeat(500_000)}`]: {}, "/scheduler/role/{name}": {} };
  const operation = await serve((_, response) =>
    response.end(JSON.stringify({ openapi: "3.0.2", info: { title: "t", version: "1" }, paths })),
  );
  const error = new StewardError({ code: "ERR_FORBIDDEN", reason: "denied", status: 403, path: `/v1/scheduler/role/${"a".repeat(60)}` });
  const begin = Date.now();
  expect(await explainRefusal(operation, error)).toEqual(refusal("ERR_FORBIDDEN", { rule: "capability-missing" }));
  expect(Date.now() - begin).toBeLessThan(5_000);
});

test.each([
  { status: 403, path: "/v1/sys/quotas/rate-limit/web", rule: "path-not-visible" },
  { status: 404, path: "/v1/sys/quotas/rate-limit/web", rule: "path-not-served" },
  { status: 403, path: "/v1/sys/policies/acl", rule: "capability-missing" },
  { status: 404, path: "/v1/auth/approle/role/web", rule: "path-not-served" },
  { status: 404, path: "/v1/elsewhere/role/web", rule: "mount-not-visible" },
])("a $status at $path is explained as $rule, and names a mount only where a program chooses it", async ({ status, path, rule }) => {
  const list = { get: { parameters: [{ name: "list", in: "query" }] } };
  const paths = { "/sys/policies/acl/": list, "/scheduler/role/{name}": {} };
  const connection = await serve((_, response) =>
    response.end(JSON.stringify({ openapi: "3.0.2", info: { title: "t", version: "1" }, paths })),
  );
  const code = status === 403 ? "ERR_FORBIDDEN" : "ERR_NOT_FOUND";
  const explained = (await explainRefusal(connection, new StewardError({ code, reason: "denied", status, path }))) as StewardError;
  expect(explained).toEqual(refusal(code, { rule }));
  expect(explained.message.includes("mount")).toBe(rule === "mount-not-visible");
  if (rule === "capability-missing") expect(explained.message).toContain("`list` capability");
  // As a policy writes a path.
  expect(explained.message).not.toMatch(/ \/(sys|auth|elsewhere)/);
});

test.each([
  ["/v1/sys/quotas/rate-limit", false],
  ["/v1/nomad/role", true],
])("a foreign response at %s names the mount: %s", async (path, namesMount) => {
  const operation = await serve((_, response) => response.end());
  expect(invalidResponse(operation, path).message.includes("mount")).toBe(namesMount);
});
