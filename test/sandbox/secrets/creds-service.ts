import { randomBytes } from "node:crypto";
import { type Sandbox, start } from "../../../sandbox/index";
import { type Answer, call } from "../../support/call";

/** A Vault and the scheduler for which it generates tokens. */
export interface Stage {
  /** True for Vault, and for the sandbox in the hashicorp dialect. */
  real: boolean;
  /** Set if the service is the sandbox. */
  sandbox?: Sandbox;
  mount: string;
  schedulerAddress: string;
  schedulerToken: string;
  /** Sends a request to Vault with its root token, or with another token. */
  to(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Sends a request to the scheduler. */
  scheduler(method: string, path: string, token: string, body?: object): Promise<Answer>;
  close(): Promise<void>;
}

const real = process.env.REAL_VAULT_ADDRESS;

export const sandboxes = (["standard", "hashicorp"] as const).map((dialect) => ({ name: dialect, begin: () => onSandbox(dialect) }));
const stages: { name: string; begin(): Promise<Stage> }[] = real ? [{ name: "real Vault and Nomad", begin: onServers }] : sandboxes;
/** Those whose leases can be looked up, renewed and revoked: the specification has no such requests. */
export const withLeases = stages.filter(({ name }) => name !== "standard");

async function onSandbox(dialect: "standard" | "hashicorp"): Promise<Stage> {
  const sandbox = await start({ dialect });
  const mount = dialect === "hashicorp" ? "nomad" : "scheduler";
  return { ...stage(sandbox.secrets, sandbox.scheduler, mount, dialect === "hashicorp"), sandbox, close: () => sandbox.close() };
}

async function onServers(): Promise<Stage> {
  const secrets = { url: real ?? "", token: process.env.REAL_VAULT_TOKEN ?? "" };
  const scheduler = { url: process.env.REAL_NOMAD_ADDRESS ?? "", token: process.env.REAL_NOMAD_TOKEN ?? "" };
  const found = stage(secrets, scheduler, `test/${randomBytes(6).toString("hex")}`, true);
  expect((await found.to("POST", `sys/mounts/${found.mount}`, { type: "nomad" })).status).toBe(204);
  const Rules = 'namespace "*" { policy = "read" } node { policy = "read" } agent { policy = "read" }';
  const written = await found.scheduler("POST", "acl/policy/readonly", scheduler.token, { Name: "readonly", Rules });
  expect(written.status).toBe(200);
  return found;
}

function stage(secrets: { url: string; token: string }, scheduler: { url: string; token: string }, mount: string, real: boolean): Stage {
  return {
    real,
    mount,
    schedulerAddress: scheduler.url,
    schedulerToken: scheduler.token,
    to: (method, path, body, token) => call(secrets, method, `/v1/${path}`, body, token),
    scheduler: (method, path, token, body) => call(scheduler, method, `/v1/${path}`, body, token),
    close: async () => {},
  };
}

/** Helpers for tests, which use the current stage. */
export type Teller = ReturnType<typeof tellerOf>;

function tellerOf(current: () => Stage) {
  let count = 0;
  const to: Stage["to"] = (...request) => current().to(...request);
  /** Sends a request to the engine. */
  const engine = (method: string, path: string, body?: unknown, token?: string) => to(method, `${current().mount}/${path}`, body, token);
  /** Resolves to true if the token can list jobs. */
  const works = async (secret: string): Promise<boolean> => (await current().scheduler("GET", "jobs", secret)).status === 200;
  return {
    to,
    engine,
    works,
    /** Writes the access configuration of the engine, with the given changes. */
    async access(more?: object): Promise<void> {
      const body = { address: current().schedulerAddress, token: current().schedulerToken, ...more };
      expect((await engine("POST", "config/access", body)).status).toBe(204);
    },
    /** Generates a token from an existing role. */
    async generate(role: string, token?: string): Promise<{ accessor: string; secret: string; lease: string; answer: Answer }> {
      const answer = await engine("GET", `creds/${role}`, undefined, token);
      if (answer.status !== 200) throw new Error(`no token was generated: ${answer.status} ${answer.text}`);
      const { data, lease_id } = answer.json;
      return { accessor: data.accessor_id, secret: data.secret_id, lease: lease_id, answer };
    },
    /** Creates a token of Vault that may do this on this path. */
    async tokenWith(path: string, capabilities: string[], more?: object, parent?: string): Promise<string> {
      count += 1;
      const name = `creds-${count}`;
      const policy = `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;
      expect((await to("PUT", `sys/policies/acl/${name}`, { policy })).status).toBe(204);
      return (await to("POST", "auth/token/create", { policies: [name], ...more }, parent)).json.auth.client_token;
    },
    /** Expects that the scheduler rejects the token, possibly after a delay: Vault ends some leases later. */
    async expectEnded(secret: string): Promise<void> {
      const last = Date.now() + 20_000;
      while (!current().sandbox && (await works(secret)) && Date.now() < last);
      expect((await current().scheduler("GET", "jobs", secret)).status).toBe(403);
    },
  };
}

/** Runs a suite on each stage. Each test begins with a new engine, which has the roles `reader` and `operator`. */
export function onEachStage(what: string, suite: (current: () => Stage, teller: Teller) => void, those = stages): void {
  for (const { name, begin } of those)
    describe(`${what}, ${name}`, () => {
      let stage: Stage;
      const teller = tellerOf(() => stage);
      beforeEach(async () => {
        stage = await begin();
        await teller.access();
        for (const [role, body] of Object.entries({ reader: { policies: "readonly" }, operator: { type: "management" } }))
          expect((await teller.engine("POST", `role/${role}`, body)).status).toBe(204);
      });
      afterEach(() => stage.close());
      suite(() => stage, teller);
    });
}
