import { type Answer, call } from "../../support/call";
import { ensureReadonlyPolicy, type Target, targets, withOpenBao } from "../../support/target";

/** A Vault with a new Nomad secrets engine, and the scheduler for which it generates tokens. */
type Stage = Target & { mount: string };

export const sandboxes = targets.filter(({ name }) => name.startsWith("sandbox"));
/** Those whose leases can be looked up, renewed and revoked: the specification has no such requests. */
export const withLeases = withOpenBao.filter(({ name }) => !name.includes("standard"));

/** Helpers for tests, which use the current stage. */
export type Teller = ReturnType<typeof tellerOf>;

function tellerOf(current: () => Stage) {
  let count = 0;
  /** Sends a request to Vault with its root token, or with another token. */
  const to = (method: string, path: string, body?: unknown, token?: string): Promise<Answer> =>
    call({ url: current().address, token: current().token }, method, `/v1/${path}`, body, token);
  /** Sends a request to the scheduler. */
  const toScheduler = (method: string, path: string, token: string, body?: object): Promise<Answer> =>
    call({ url: current().scheduler.address, token }, method, `/v1/${path}`, body);
  /** Sends a request to the engine. */
  const engine = (method: string, path: string, body?: unknown, token?: string) => to(method, `${current().mount}/${path}`, body, token);
  /** Resolves to true if the token can list jobs. */
  const works = async (secret: string): Promise<boolean> => (await toScheduler("GET", "jobs", secret)).status === 200;
  return {
    to,
    toScheduler,
    engine,
    works,
    isVault: () => current().dialect === "hashicorp",
    /** OpenBao's responses have no type of the mount. */
    mounted: (mount_type: string) => (current().isOpenBao ? {} : { mount_type }),
    /** Writes the access configuration of the engine, with the given changes. */
    async access(more?: object): Promise<void> {
      const body = { ...current().scheduler, ...more };
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
      expect((await toScheduler("GET", "jobs", secret)).status).toBe(403);
    },
  };
}

/** Runs a suite on each stage. Each test begins with a new engine, which has the roles `reader` and `operator`. */
export function onEachStage(what: string, suite: (current: () => Stage, teller: Teller) => void, those = withOpenBao): void {
  for (const { name, start } of those)
    describe(`${what}, ${name}`, () => {
      let stage: Stage;
      const teller = tellerOf(() => stage);
      beforeEach(async () => {
        const target = await start();
        await ensureReadonlyPolicy(target);
        stage = { ...target, mount: await target.newMount() };
        await teller.access();
        for (const [role, body] of Object.entries({ reader: { policies: "readonly" }, operator: { type: "management" } }))
          expect((await teller.engine("POST", `role/${role}`, body)).status).toBe(204);
      });
      afterEach(() => stage.stop());
      suite(() => stage, teller);
    });
}
