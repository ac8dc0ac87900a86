import { Request } from "../../../provider/http";
import { call, invalidResponse, matches } from "../../../provider/secrets/client";
import { refusal } from "../../support/refusal";
import { seen, serve } from "../http/exchange";

test("comparing the paths of a hostile OpenAPI document takes linear time", () => {
  const begin = Date.now();
  for (const template of [`/${"{a}".repeat(40)}x`, `/${"{".repeat(500_000)}`])
    expect(matches(template, `/v1/scheduler/role/${"a".repeat(60)}`)).toBe(false);
  expect(matches("/scheduler/role/{name}", "/scheduler/role/web")).toBe(true);
  expect(Date.now() - begin).toBeLessThan(5_000);
});

type Denied = Pick<Request, "method" | "path" | "query"> & { needs: string; namespace?: string };

test.each<Denied>([
  { method: "GET", path: "/v1/team/nomad/role/a%20b", needs: "`read` on team/nomad/role/a b." },
  { method: "GET", path: "/v1/nomad/role", query: { list: "true" }, needs: "`list` on nomad/role." },
  { method: "POST", path: "/v1/nomad/role/web", needs: "`create` and `update` on nomad/role/web." },
  { method: "PUT", path: "/v1/sys/rekey/init", needs: "`update` on sys/rekey/init." },
  { method: "DELETE", path: "/v1/nomad/role/web", needs: "`delete` on nomad/role/web in the namespace team/a.", namespace: "/team/a/" },
])("the 403 of $method $path names the capability, without another request: $needs", async ({ needs, namespace, ...request }) => {
  const operation = await serve((_, response) => response.writeHead(403).end('{"errors":["denied"]}'), { namespace });
  const error = (await call(operation, { ...request, retry: "never" }).catch((each) => each)) as Error;
  expect(error).toEqual(refusal("ERR_FORBIDDEN", { method: request.method, path: request.path }));
  expect(error.message).toMatch(/403\)\. Check the token of secrets .* It comes from /);
  expect(error.message).toContain(` The token's policy must grant ${needs}`);
  expect(seen).toHaveLength(1);
});

test.each([
  ["/v1/sys/quotas/rate-limit", false],
  ["/v1/nomad/role", true],
])("a foreign response at %s names the mount: %s", async (path, namesMount) => {
  const operation = await serve((_, response) => response.end());
  expect(invalidResponse(operation, path).message.includes("mount")).toBe(namesMount);
});
