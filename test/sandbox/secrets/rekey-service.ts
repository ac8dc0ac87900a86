import { type Answer, call } from "../../support/call";
import { allRekeyTargets, type RekeyTarget, startRecovery } from "../../support/rekey";
import { type Keys, type RekeyDialect, wireOf } from "../../support/rekey-wire";

/** An error response with this status and these messages. */
export function refused(status: number, ...reasons: (string | RegExp)[]): object {
  const errors = reasons.map((reason) => (typeof reason === "string" ? reason : expect.stringMatching(reason)));
  return { status, json: { errors } };
}

/** OpenBao 2.7 formats some reasons with the wrong verb of Go. */
const misprinted = (reason: string, type = "errors.errorString"): string => `%!w(*${type}=&{${reason}})`;

/** The error responses that depend on the API or on the kind of keys: here of Vault's `sys/rekey`. */
const vaultErrors = (keys: Keys) => ({
  notStarted: refused(400, `no ${keys === "unseal" ? "barrier" : "recovery"} rekey in progress`),
  notRunning: refused(400, "no rekey in progress"),
  noConfiguration: refused(400, "no rekey configuration found"),
  inProgress: refused(400, "rekey already in progress"),
  notVerifying: refused(400, "no rekey verification in progress"),
  finished: (nonce: string) =>
    refused(400, `rekey operation already finished; verification must be performed; nonce for the verification operation is "${nonce}"`),
  noKey: refused(400, "'key' must be specified in request body as JSON"),
  wrongNonce: (nonce: string) => refused(400, `incorrect nonce supplied; nonce for this rekey operation is "${nonce}"`),
  noNonce: (nonce: string) => refused(400, `incorrect nonce supplied; nonce for this rekey operation is "${nonce}"`),
  repeated: refused(400, `given key has already been provided during this ${keys === "unseal" ? "generation" : "rekey"} operation`),
  invalid: (reason: string) => refused(500, `invalid ${keys === "unseal" ? "rekey seal" : "recovery"} configuration: ${reason}`),
  wrong:
    keys === "unseal"
      ? refused(500, /^failed to read root key/)
      : refused(400, "recovery key verification failed: recovery key does not match submitted values"),
  notCombined: (reason: string) => refused(500, `failed to compute ${keys === "unseal" ? "root" : "recovery"} key: ${reason}`),
  notCombinedNew: (reason: string) => refused(500, `failed to compute key for verification: ${reason}`),
  notVerified: refused(400, "rekey verification failed; incorrect key shares supplied"),
  withRecoveryKeys: refused(400, "requiring verification not supported when rekeying the barrier key with recovery keys"),
});

/** Those of OpenBao's `sys/rotate`. */
const openBaoErrors = (keys: Keys): ReturnType<typeof vaultErrors> => ({
  notStarted: refused(400, "no rotation in progress"),
  notRunning: refused(400, "no rotation in progress"),
  noConfiguration: refused(400, "no rotation configuration found"),
  inProgress: refused(400, "rotation already in progress"),
  notVerifying: refused(400, "no rotation verification in progress"),
  finished: (nonce) =>
    refused(400, `rotation already finished; verification must be performed; nonce for the verification operation is "${nonce}"`),
  noKey: refused(400, "missing required field 'key'"),
  wrongNonce: (nonce) => refused(400, `incorrect nonce supplied; nonce for rotation is "${nonce}"`),
  noNonce: () => refused(400, "missing required field 'nonce'"),
  repeated: refused(400, "given key has already been provided during this rotation"),
  invalid: (reason) => refused(400, `invalid ${keys === "unseal" ? "rotate seal" : "recovery"} configuration: ${misprinted(reason)}`),
  wrong:
    keys === "unseal"
      ? refused(400, `failed to read root key: ${misprinted(undecryptable, "vault.ErrInvalidKey")}`)
      : refused(400, "recovery key verification failed: recovery key does not match submitted values"),
  notCombined: (reason) => refused(400, `failed to compute key: ${misprinted(reason)}`),
  notCombinedNew: (reason) => refused(400, `failed to compute key for verification: ${misprinted(reason)}`),
  notVerified: refused(400, "rotation verification failed; incorrect key shares supplied"),
  withRecoveryKeys: refused(400, "requiring verification not supported when rotating the barrier key with recovery keys"),
});
const undecryptable = "failed to decrypt keys from storage: cipher: message authentication failed";
export const unsupported = misprinted("recovery not supported");

type Start = () => Promise<RekeyTarget>;

/** A service with five shares and a threshold of three. Tests name its paths and fields as the API document does. */
export class Service {
  readonly isStandard: boolean;
  readonly isVault: boolean;
  readonly isOpenBao: boolean;
  readonly errors: ReturnType<typeof vaultErrors>;
  shares: string[] = [];
  private target!: RekeyTarget;

  constructor(
    readonly name: string,
    dialect: RekeyDialect,
    readonly keys: Keys,
    private readonly startTarget: Start,
  ) {
    this.isStandard = dialect === "standard";
    this.isVault = dialect === "hashicorp";
    this.isOpenBao = dialect === "openbao";
    this.errors = dialect === "openbao" ? openBaoErrors(keys) : vaultErrors(keys);
  }

  async start(): Promise<void> {
    this.target = await this.startTarget();
    this.shares = this.target.first;
  }
  stop = (): Promise<void> => this.target.stop();
  /** Undefined if the service is a real one. */
  get sandbox(): RekeyTarget["sandbox"] {
    return this.target.sandbox;
  }

  /** Sends a request with the token, or with another one. An empty string sends none. */
  to = (method: string, path: string, body?: unknown, token?: string): Promise<Answer> => this.about(this.keys, method, path, body, token);

  /** Sends a request about the other kind of keys. */
  other = (method: string, path: string, body?: unknown): Promise<Answer> =>
    this.about(this.keys === "unseal" ? "recovery" : "unseal", method, path, body);

  /** Sends a request whose path and fields are those of the service. */
  raw = (method: string, path: string, body?: unknown, token?: string): Promise<Answer> => {
    const { gateway, token: root } = this.target;
    return call({ url: gateway.url, token: root }, method, `/v1/sys/${path}`, body, token);
  };

  private async about(keys: Keys, method: string, path: string, body?: unknown, token?: string): Promise<Answer> {
    const wire = wireOf(this.target.dialect, keys);
    const [verb, place] = wire.sent(method, `sys/${path}`);
    const answer = await this.raw(verb, place.replace("sys/", ""), body, token);
    return { ...answer, json: answer.json && wire.fields(answer.json) };
  }

  status = async (): Promise<Answer["json"]> => (await this.to("GET", "rekey/init")).json;
  update = (key: unknown, nonce: unknown): Promise<Answer> => this.to("PUT", "rekey/update", { key, nonce });
  verify = (key: unknown, nonce: unknown): Promise<Answer> => this.to("PUT", "rekey/verify", { key, nonce });
  /** Cancels the attempt as the dialect requires. */
  cancel = (nonce: string): Promise<Answer> => this.to("DELETE", "rekey/init", this.isVault ? { nonce } : undefined);

  /** Starts an attempt with three shares and a threshold of two, or with other parameters. Returns its nonce. */
  async begin(more: object = {}): Promise<string> {
    expect((await this.to("PUT", "rekey/init", { secret_shares: 3, secret_threshold: 2, ...more })).status).toBe(200);
    return (await this.status()).nonce;
  }

  /** Submits current shares. Returns the response to the last one. */
  async give(nonce: string, shares: string[] = this.shares.slice(0, 3)): Promise<Answer> {
    const answers: Answer[] = [];
    for (const key of shares) answers.push(await this.update(key, nonce));
    return answers.at(-1)!;
  }

  /** Tests if these shares are valid, with an attempt that changes nothing. No attempt may be in progress. */
  async accepts(shares: string[]): Promise<boolean> {
    const nonce = await this.begin({ require_verification: true });
    const { json } = await this.give(nonce, shares);
    expect((await this.cancel(nonce)).status).toBe(204);
    return json.complete === true;
  }

  /** Without PGP keys there are no fingerprints: Vault returns null, and the specification has no such field. */
  get plain(): object {
    return this.isStandard ? {} : { pgp_fingerprints: null };
  }

  /** The status without an attempt. OpenBao shows only what is set. */
  idle(required: number): object {
    const always = { n: 0, required, started: false, t: 0 };
    const rest = { nonce: "", progress: 0, backup: false, verification_required: false, ...this.plain };
    return this.isOpenBao ? always : { ...always, ...rest };
  }

  /** The status of an attempt with three shares and a threshold of two, but with these fields. */
  running(more: object): object {
    const fields = { n: 3, t: 2, nonce: anyNonce, progress: 0, required: 3, started: true, verification_required: false, ...more };
    return this.isOpenBao ? { verification_nonce: "", ...fields } : { ...this.idle(3), ...fields };
  }
}

const ofUnsealKeys = allRekeyTargets.filter(({ keys, namespace }) => keys === "unseal" && !namespace);
const hasOpenBao = ofUnsealKeys.some(({ dialect }) => dialect === "openbao");
const withRecoveryKeys = (["hashicorp", "openbao"] as const).filter((dialect) => dialect === "hashicorp" || hasOpenBao);

/** The sandbox in each dialect or, if they are configured, real servers, which prove that the sandbox is right. */
export const services: Service[] = [
  ...ofUnsealKeys.map(({ name, dialect, start }) => new Service(name, dialect, "unseal", start)),
  ...withRecoveryKeys.map((dialect) => new Service(`${dialect}, recovery keys`, dialect, "recovery", () => startRecovery(dialect))),
];

/** Runs a suite on each service. Each test begins with a new one. */
export function onEachService(what: string, those: Service[], suite: (service: Service) => void): void {
  for (const service of those)
    describe(`${what}, ${service.name}`, () => {
      beforeEach(() => service.start());
      afterEach(() => service.stop());
      suite(service);
    });
}

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const anyNonce: string = expect.stringMatching(uuid);

/** The same share with one bit changed. */
export function damaged(share: string): string {
  const bytes = Buffer.from(share, "base64");
  bytes[0] = bytes[0]! ^ 1;
  return bytes.toString("base64");
}

export const hexOf = (share: string): string => Buffer.from(share, "base64").toString("hex");
