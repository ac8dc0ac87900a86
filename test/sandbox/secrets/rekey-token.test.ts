import { call } from "../../support/call";
import { sandboxOfTest } from "../sandbox";
import { refused } from "./rekey-service";

const start = sandboxOfTest();
const ends = ["GET init", "PUT init", "DELETE init", "POST update", "GET verify", "PUT verify", "DELETE verify"];
const backups = ["GET rekey/backup", "DELETE rekey/backup", "GET rekey/recovery-key-backup", "DELETE rekey/recovery-key-backup"];
const requests = [...ends.flatMap((end) => ["rekey", "rekey-recovery-key"].map((path) => end.replace(" ", ` ${path}/`))), ...backups];
const capabilityOf: Record<string, string> = { GET: "read", PUT: "update", POST: "update", DELETE: "delete" };

async function send({ url }: { url: string }, request: string, token = ""): ReturnType<typeof call> {
  const [method = "", path = ""] = request.split(" ");
  return call({ url, token }, method, `/v1/sys/${path}`, method === "GET" ? undefined : {});
}

test("with rekeyNeedsToken each request of a rekey requires a token with its capability", async () => {
  const { secrets } = await start({ dialect: "hashicorp", rekeyNeedsToken: true });
  const denied = refused(403, /permission denied/);
  for (const request of requests) {
    const [method = "", path = ""] = request.split(" ");
    const tokenWith = async (capabilities: string[]): Promise<string> => {
      const policy = `path "sys/${path}" { capabilities = ${JSON.stringify(capabilities)} }`;
      await call(secrets, "PUT", "/v1/sys/policies/acl/rekey", { policy });
      return (await call(secrets, "POST", "/v1/auth/token/create", { policies: ["rekey"] })).json.auth.client_token;
    };
    const capability = capabilityOf[method] as string;
    const others = ["create", "read", "update", "delete", "list", "sudo"].filter((each) => each !== capability);
    expect([request, await send(secrets, request)]).toMatchObject([request, denied]);
    expect([request, await send(secrets, request, await tokenWith(others))]).toMatchObject([request, denied]);
    expect([request, (await send(secrets, request, await tokenWith([capability]))).status]).not.toEqual([request, 403]);
  }
  const { paths } = (await call(secrets, "GET", "/v1/sys/internal/specs/openapi")).json;
  expect(paths["/sys/rekey/init"]).toBeDefined();
  expect(paths["/sys/rekey/init"]["x-vault-unauthenticated"]).toBeUndefined();
});

test("without it, only the backup requires a token", async () => {
  const { secrets } = await start({ dialect: "hashicorp" });
  const denied: string[] = [];
  for (const request of requests) if ((await send(secrets, request)).status === 403) denied.push(request);
  expect(denied).toEqual(backups);
});
