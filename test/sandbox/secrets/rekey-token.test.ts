import { Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const requests = [
  ["GET", "init", "read"],
  ["PUT", "init", "update"],
  ["POST", "update", "update"],
  ["GET", "verify", "read"],
  ["PUT", "verify", "update"],
  ["DELETE", "verify", "delete"],
  ["DELETE", "init", "delete"],
  ["GET", "backup", "read"],
  ["DELETE", "backup", "delete"],
] as const;

test.each(requests)("with rekeyNeedsToken, %s sys/rekey/%s requires a token with `%s`", async (method, end, capability) => {
  sandbox = await start({ dialect: "hashicorp", rekeyNeedsToken: true });
  const { url } = sandbox.secrets;
  const path = `sys/rekey/${end}`;
  const send = (token = ""): ReturnType<typeof call> => call({ url, token }, method, `/v1/${path}`, method === "GET" ? undefined : {});
  const denied = { status: 403, json: { errors: [expect.stringContaining("permission denied")] } };
  expect(await send()).toMatchObject(denied);
  const tokenWith = async (capabilities: string[]): Promise<string> => {
    const policy = `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;
    await call(sandbox.secrets, "PUT", "/v1/sys/policies/acl/rekey", { policy });
    return (await call(sandbox.secrets, "POST", "/v1/auth/token/create", { policies: ["rekey"] })).json.auth.client_token;
  };
  expect(
    await send(await tokenWith(["create", "read", "update", "delete", "list", "sudo"].filter((each) => each !== capability))),
  ).toMatchObject(denied);
  expect((await send(await tokenWith([capability]))).status).not.toBe(403);
});

test("without it, only the backup requires a token", async () => {
  sandbox = await start({ dialect: "hashicorp" });
  const denied: string[] = [];
  for (const [method, end] of requests) {
    const { status } = await call(
      { url: sandbox.secrets.url, token: "" },
      method,
      `/v1/sys/rekey/${end}`,
      method === "GET" ? undefined : {},
    );
    if (status === 403) denied.push(`${method} ${end}`);
  }
  expect(denied).toEqual(["GET backup", "DELETE backup"]);
});

test("with rekeyNeedsToken, the OpenAPI document shows no path of a rekey as unauthenticated", async () => {
  sandbox = await start({ dialect: "hashicorp", rekeyNeedsToken: true });
  const { json } = await call(sandbox.secrets, "GET", "/v1/sys/internal/specs/openapi");
  expect(json.paths["/sys/rekey/init"]).toBeDefined();
  expect(json.paths["/sys/rekey/init"]["x-vault-unauthenticated"]).toBeUndefined();
});
