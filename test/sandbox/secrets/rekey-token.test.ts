import { Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const requests = [
  ...["sys/rekey", "sys/rekey-recovery-key"].flatMap(
    (path) =>
      [
        ["GET", `${path}/init`, "read"],
        ["PUT", `${path}/init`, "update"],
        ["POST", `${path}/update`, "update"],
        ["GET", `${path}/verify`, "read"],
        ["PUT", `${path}/verify`, "update"],
        ["DELETE", `${path}/verify`, "delete"],
        ["DELETE", `${path}/init`, "delete"],
      ] as const,
  ),
  ["GET", "sys/rekey/backup", "read"],
  ["DELETE", "sys/rekey/backup", "delete"],
  ["GET", "sys/rekey/recovery-key-backup", "read"],
  ["DELETE", "sys/rekey/recovery-key-backup", "delete"],
] as const;

test.each(requests)("with rekeyNeedsToken, %s %s requires a token with `%s`", async (method, path, capability) => {
  sandbox = await start({ dialect: "hashicorp", rekeyNeedsToken: true });
  const { url } = sandbox.secrets;
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
  for (const [method, path] of requests) {
    const { status } = await call({ url: sandbox.secrets.url, token: "" }, method, `/v1/${path}`, method === "GET" ? undefined : {});
    if (status === 403) denied.push(`${method} ${path}`);
  }
  expect(denied).toEqual(["rekey/backup", "rekey/recovery-key-backup"].flatMap((path) => [`GET sys/${path}`, `DELETE sys/${path}`]));
});

test("with rekeyNeedsToken, the OpenAPI document shows no path of a rekey as unauthenticated", async () => {
  sandbox = await start({ dialect: "hashicorp", rekeyNeedsToken: true });
  const { json } = await call(sandbox.secrets, "GET", "/v1/sys/internal/specs/openapi");
  expect(json.paths["/sys/rekey/init"]).toBeDefined();
  expect(json.paths["/sys/rekey/init"]["x-vault-unauthenticated"]).toBeUndefined();
});
