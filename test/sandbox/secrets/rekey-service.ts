import { type Answer, call } from "../../support/call";
import { rekeyTargets, startRecovery } from "../../support/rekey";

/** A service with five shares and a threshold of three. */
export interface Service {
  /** True for Vault, and for the sandbox in the hashicorp dialect. */
  real: boolean;
  shares: string[];
  errors: typeof errors.unseal;
  /** Sends a request with the token, or with another one. An empty string sends none. */
  to(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** The status codes and messages that depend on the kind of keys. */
const errors = {
  unseal: {
    notStarted: "^no barrier rekey in progress$",
    invalid: "^invalid rekey seal configuration: ",
    repeated: "^given key has already been provided during this generation operation$",
    notCombined: "^failed to compute root key: ",
    wrong: refused(500, /^failed to read root key/),
    wrongLength: refused(500, /invalid key size 20$/),
  },
  recovery: {
    notStarted: "^no recovery rekey in progress$",
    invalid: "^invalid recovery configuration: ",
    repeated: "^given key has already been provided during this rekey operation$",
    notCombined: "^failed to compute recovery key: ",
    wrong: refused(400, /^recovery key verification failed: recovery key does not match submitted values$/),
    wrongLength: refused(400, /^recovery key verification failed: /),
  },
};

const { REAL_VAULT_ADDRESS } = process.env;

/** Starts a server whose seal keeps the unseal key: the sandbox or, if one is configured, a real server for this test. */
export async function startStored(
  dialect: "hashicorp" | "openbao",
  recoveryShares: 5 | 0 = 5,
): Promise<{ url: string; token: string; shares: string[]; stop(): Promise<void> }> {
  const { gateway, token, first, stop } = await startRecovery(dialect, recoveryShares);
  return { url: gateway.url, token, shares: first, stop };
}

/**
 * The same tests run on the sandbox and, if one is configured, on a real Vault, which proves that the sandbox is right. OpenBao has its own
 * suite, rotation.test.ts.
 */
const ofVault = rekeyTargets.filter(({ dialect, keys }) => dialect !== "openbao" && keys === "unseal");
const services = [
  ...ofVault.map(({ name, start }) => ({
    name,
    async begin(): Promise<Service> {
      const { dialect, gateway, token: own, first, stop } = await start();
      const service = { url: gateway.url, token: own };
      const to: Service["to"] = (method, path, body, token) => call(service, method, `/v1/sys/${path}`, body, token);
      return { real: dialect === "hashicorp", shares: first, errors: errors.unseal, to, close: stop };
    },
  })),
  {
    name: `recovery keys of ${REAL_VAULT_ADDRESS ? "a real Vault" : "the sandbox, hashicorp"}`,
    async begin(): Promise<Service> {
      const service = await startStored("hashicorp");
      const to: Service["to"] = (method, path, body, token) => call(service, method, `/v1/sys/${recoveryPath(path)}`, body, token);
      return { real: true, shares: service.shares, errors: errors.recovery, to, close: service.stop };
    },
  },
];

/** The path for recovery keys of a path for unseal keys. */
const recoveryPath = (path: string): string =>
  path === "rekey/backup" ? "rekey/recovery-key-backup" : path.replace(/^rekey\//, "rekey-recovery-key/");

/** Helpers for tests, which use the current service. */
export interface Teller {
  to: Service["to"];
  status(): Promise<Answer["json"]>;
  update(key: unknown, nonce: unknown): Promise<Answer>;
  verify(key: unknown, nonce: unknown): Promise<Answer>;
}

/** Runs a suite on each service. Each test begins with a new service. */
export function onEachService(what: string, suite: (current: () => Service, teller: Teller) => void): void {
  describe.each(services)(`${what}, $name`, ({ begin }) => {
    let service: Service;
    beforeEach(async () => {
      service = await begin();
    });
    afterEach(() => service.close());
    suite(() => service, {
      to: (...request) => service.to(...request),
      status: async () => (await service.to("GET", "rekey/init")).json,
      update: (key, nonce) => service.to("PUT", "rekey/update", { key, nonce }),
      verify: (key, nonce) => service.to("PUT", "rekey/verify", { key, nonce }),
    });
  });
}

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Without PGP keys there are no fingerprints: Vault returns null, and the specification has no such field. */
export const plain = ({ real }: Service): object => (real ? { pgp_fingerprints: null } : {});

/** The status without an attempt. */
export const idle = (service: Service, required: number): object => ({
  nonce: "",
  started: false,
  t: 0,
  n: 0,
  progress: 0,
  required,
  backup: false,
  verification_required: false,
  ...plain(service),
});

/** Starts an attempt with three shares and a threshold of two, or as given. Returns its nonce. */
export async function begin(service: Service, more: object = {}): Promise<string> {
  expect((await service.to("PUT", "rekey/init", { secret_shares: 3, secret_threshold: 2, ...more })).status).toBe(200);
  return (await service.to("GET", "rekey/init")).json.nonce;
}

/** Submits current shares. Returns the response to the last one. */
export async function give(service: Service, nonce: string, shares: string[]): Promise<Answer> {
  const answers: Answer[] = [];
  for (const key of shares) answers.push(await service.to("PUT", "rekey/update", { key, nonce }));
  return answers.at(-1)!;
}

/** Cancels the attempt as the dialect requires. */
export async function cancel(service: Service, nonce: string): Promise<number> {
  return (await service.to("DELETE", "rekey/init", service.real ? { nonce } : undefined)).status;
}

/** Tests if these shares are live, with an attempt that changes nothing. No attempt may be in progress. */
export async function accepts(service: Service, shares: string[]): Promise<boolean> {
  const nonce = await begin(service, { require_verification: true });
  const { json } = await give(service, nonce, shares);
  expect(await cancel(service, nonce)).toBe(204);
  return json.complete === true;
}

/** The same share with one bit changed. */
export function damaged(share: string): string {
  const bytes = Buffer.from(share, "base64");
  bytes[0] = bytes[0]! ^ 1;
  return bytes.toString("base64");
}

export const hexOf = (share: string): string => Buffer.from(share, "base64").toString("hex");

/** An error response with this status and these messages. */
export function refused(status: number, ...reasons: (string | RegExp)[]): object {
  return { status, json: { errors: reasons.map((reason) => expect.stringMatching(reason)) } };
}
