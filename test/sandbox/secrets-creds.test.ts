import { type Sandbox, type Service, start } from "../../sandbox/index";
import { type Answer, call } from "./call";

describe.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("generated tokens, %s", (dialect, engine) => {
  let sandbox: Sandbox;
  const real = dialect === "hashicorp";
  const to = (method: string, path: string, body?: unknown, token?: string): Promise<Answer> =>
    call(sandbox.secrets, method, `/v1/${path}`, body, token);
  const creds = async (role: string, token?: string): Promise<Answer> => to("GET", `${engine}/creds/${role}`, undefined, token);
  const access = (more: object = {}): Promise<Answer> =>
    to("POST", `${engine}/config/access`, { address: sandbox.scheduler.url, token: sandbox.scheduler.token, ...more });

  /** What the scheduler answers to a token of its own, in the header of either dialect. */
  async function scheduler(path: string, secret: string, method = "GET"): Promise<number> {
    const service: Service = { url: sandbox.scheduler.url, token: secret };
    return (await call(service, method, `/v1/${path}`)).status;
  }

  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  beforeEach(async () => {
    await sandbox.reset();
    await to("POST", `${engine}/role/reader`, { policies: "readonly" });
    await to("POST", `${engine}/role/operator`, { type: "management" });
  });
  afterAll(() => sandbox.close());

  test("a token does in the scheduler what its role allows", async () => {
    await access();
    const reader = await creds("reader");
    expect(reader.status).toBe(200);
    expect(await scheduler("jobs", reader.json.data.secret_id)).toBe(200);
    const operator = await creds("operator");
    expect(await scheduler("agent/members", operator.json.data.secret_id)).toBe(200);
  });
});
