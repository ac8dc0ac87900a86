import { Request } from "../../../provider/http";
import { callWithoutClaim, invalidResponse, matches } from "../../../provider/secrets/client";
import { connectTo } from "../../support/connection";
import { failure, refusal } from "../../support/refusal";
import { get, seen, serve, serveAt } from "../http/exchange";

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
  const error = (await callWithoutClaim(operation, { ...request, retry: "never" }).catch((each) => each)) as Error;
  expect(error).toEqual(refusal("ERR_FORBIDDEN", { method: request.method, path: request.path }));
  expect(error.message).toMatch(/403\)\. Check the token of secrets .* It comes from /);
  expect(error.message).toContain(` The token's policy must grant ${needs}`);
  expect(seen).toHaveLength(1);
});

test("a 403 says that the namespace of the environment was not sent", async () => {
  const address = await serveAt((_, response) => response.writeHead(403).end('{"errors":["permission denied"]}'));
  const environment = { VAULT_NAMESPACE: "admin" };
  const refused = async (settings: object): Promise<string> => {
    const operation = connectTo("secrets", { address, token: "canary-token", dialect: "hashicorp", ...settings }, { environment });
    return (await failure(callWithoutClaim(operation, { ...get, path: "/v1/nomad/role/web" }))).message;
  };
  const hint =
    "No namespace was sent: the address is configured, so VAULT_NAMESPACE is not used. Set namespace of secrets in steward:default.";
  expect(await refused({})).toContain(`403). ${hint} Check the token`);
  for (const settings of [{ namespace: "admin" }, { dialect: "openbao" }])
    expect(await refused(settings)).not.toContain("No namespace was sent");
});

test.each([
  ["/v1/sys/quotas/rate-limit", false],
  ["/v1/nomad/role", true],
])("a foreign response at %s names the mount: %s", async (path, namesMount) => {
  const operation = await serve((_, response) => response.end());
  expect(invalidResponse(operation, path).message.includes("mount")).toBe(namesMount);
});
