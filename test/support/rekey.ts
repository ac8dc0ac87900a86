import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StewardError } from "../../provider/contract/errors";
import { RekeyInputs } from "../../provider/secrets";
import { rekeyAttempt } from "../../provider/secrets/rekey/attempt/resource";
import { rekeyCommit } from "../../provider/secrets/rekey/commit/resource";
import { inputsOf, inspectShares } from "../../provider/secrets/rekey/inputs";
import { ShareSet } from "../../provider/secrets/rekey/protocol/crypto";
import { RekeyProgress } from "../../provider/secrets/rekey/protocol/status";
import { rekeyShares } from "../../provider/secrets/rekey/shares/resource";
import { Submission } from "../../provider/secrets/rekey/submission/state";
import { Sandbox, start } from "../../sandbox/index";
import { startOpenBao, startVault } from "../../tools/servers";
import { call } from "./call";
import { Engine } from "./engine";
import { Gateway, startGateway } from "./gateway";
import { Keys, RekeyDialect, rekeyDialects, wireOf } from "./rekey-wire";
import { isNight, isWhole } from "./scope";
import { createTenant, startOpenBaoWithStaticSeal, startVaultWithTransitSeal } from "./servers";
import { Story } from "./story";

type Properties = Record<string, unknown>;

const given = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

/** The inputs of a rekey from five shares to three, with a threshold of two. A run that waits for another holder fails with its id. */
export const inputsFrom = (shares: readonly string[], more: Partial<RekeyInputs> = {}): RekeyInputs => ({
  secretShares: 3,
  secretThreshold: 2,
  currentShares: shares.slice(0, 3),
  keepSharesInState: true,
  onWaiting: "fail",
  ...more,
});

/** A wrong share: another value at the point of this one. In many bytes, so that several of them do not cancel each other out. */
export const spoiled = (share = ""): string => Buffer.from(share, "base64").fill(7, 0, 20).toString("base64");

/** A rekey in a program: its three resources, under an engine that can be stopped between any two. */
export class RekeyStack {
  readonly attempt: Engine;
  readonly shares: Engine;
  readonly commit: Engine;

  constructor(
    config: Record<string, object>,
    Mechanism: new (token: string, config: Record<string, object>) => Engine = Engine,
    private readonly keys: Keys = "unseal",
  ) {
    this.attempt = new Mechanism("secrets:RekeyAttempt", config);
    this.shares = new Mechanism("secrets:RekeyShares", config);
    this.commit = new Mechanism("secrets:RekeyCommit", config);
  }

  /** The inputs that the component passes to its first resource. */
  attemptInputs = (inputs: RekeyInputs): Properties => {
    const { shareReferences, shareFindings } = inspectShares(inputs);
    return given({ target: this.keys, ...inputsOf<object>(rekeyAttempt, inputs), shareReferences, shareFindings });
  };

  private sharesInputs(inputs: RekeyInputs): Properties {
    const { attempt } = this.attempt.outputs();
    const { currentShares, newShares } = inspectShares(inputs);
    return given({ target: this.keys, ...inputsOf<object>(rekeyShares, inputs), attempt, currentShares, newShares });
  }

  private commitInputs(inputs: RekeyInputs): Properties {
    const { submission } = this.shares.outputs();
    const { currentShares } = inspectShares(inputs);
    return given({ target: this.keys, ...inputsOf<object>(rekeyCommit, inputs), submission, currentShares });
  }

  /** The output of the step that submits current shares. */
  get submission(): Submission {
    return this.shares.outputs().submission as Submission;
  }

  /** The new shares. */
  get candidate(): ShareSet {
    return this.submission.candidate as ShareSet;
  }

  /** Runs `pulumi up`: the three resources in order, until one fails. `until` kills the command line after that resource. `remembers` continues the process of another resource. */
  async up(inputs: RekeyInputs, until: "attempt" | "shares" | "commit" = "commit", options?: { remembers: boolean }): Promise<string[]> {
    const done: string[] = [];
    done.push(await this.attempt.up(this.attemptInputs(inputs), options));
    if (until === "attempt") return done;
    done.push(await this.shares.up(this.sharesInputs(inputs), options));
    if (until === "shares") return done;
    done.push(await this.commit.up(this.commitInputs(inputs), options));
    return done;
  }

  /** The failures of the check of the inputs. */
  problems = (inputs: RekeyInputs): Promise<string[]> => this.attempt.problems(this.attemptInputs(inputs));

  fails = (inputs: RekeyInputs): Promise<StewardError> =>
    this.up(inputs).then(
      (done) => {
        throw new Error(`it went through: ${done.join(", ")}`);
      },
      (error: StewardError) => error,
    );

  /** The id with which an `up` stops, or the code of any other error. */
  stops = async (inputs: RekeyInputs): Promise<string> => {
    const { code, details } = await this.fails(inputs);
    return details.rule ?? code;
  };

  async refresh(): Promise<void> {
    for (const each of [this.attempt, this.shares, this.commit]) if (each.state) await each.refresh();
  }

  /** Deletes the resources as the engine does, in reverse order and in one process. */
  async destroy(): Promise<void> {
    const left = [this.commit, this.shares, this.attempt].filter(({ state }) => state);
    for (const [index, each] of left.entries()) await each.destroy({ remembers: index > 0 });
  }

  /** The valid set in the outputs of the component. */
  get outputs(): {
    shares: string[];
    encryptedShares: { fingerprint: string; share: string }[];
    fingerprints: string[];
    progress: RekeyProgress;
    complete: boolean;
  } {
    return this.commit.outputs() as never;
  }
}

/** A Vault whose keys a test may change: the sandbox in each dialect, or a real one for this test. */
export interface RekeyTarget {
  dialect: RekeyDialect;
  keys: Keys;
  namespace?: string;
  /** The gateway in front of it, which the provider's requests pass. */
  gateway: Gateway;
  token: string;
  config: Record<string, object>;
  /** The connection of a program, with the token in the variable STEWARD_TOKEN. */
  connection: Record<string, object>;
  /** A program about the unseal keys, for the keys of this target. */
  program(text: string): string;
  sandbox?: Sandbox;
  /** The shares at the start. */
  first: string[];
  /** Sends a request outside Pulumi. */
  outOfBand(method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Seals the service, so that an attempt is lost, and unseals it with these shares. */
  sealAndUnseal(shares: string[]): Promise<void>;
  /** Resolves to true if these shares are valid. Changes nothing. */
  opens(shares: string[]): Promise<boolean>;
  stop(): Promise<void>;
}

/** The number of shares at the start of a sandbox, and their threshold. */
export interface First {
  shares: number;
  threshold: number;
}

async function onSandbox({ dialect, keys }: Column, { shares, threshold }: First): Promise<RekeyTarget> {
  const seal = keys === "recovery" ? "stored" : "shamir";
  const sandbox = await start({ dialect, seal, unsealShares: shares, unsealThreshold: threshold });
  const target = await before(sandbox.secrets.url, sandbox.secrets.token, { dialect, keys });
  return {
    ...target,
    sandbox,
    first: sandbox.secrets.shares,
    async sealAndUnseal(shares) {
      // Without recovery keys, only a restart unseals it.
      if (shares.length === 0) return sandbox.secrets.failover();
      await sandbox.secrets.seal();
      if (!(await sandbox.secrets.unseal(shares))) throw new Error("these shares are not valid");
    },
    opens: (shares) => sandbox.secrets.opens(shares),
    async stop() {
      await target.gateway.close();
      await sandbox.close();
    },
  };
}

async function onReal(column: Real, hasKeys: boolean): Promise<RekeyTarget> {
  const server = await (hasKeys ? column.begin() : startOpenBaoWithStaticSeal({ recoveryShares: 0 }));
  const target = await onServer(server, column);
  return { ...target, stop: () => target.stop().then(server.stop) };
}

/** The keys of a real server, or of a new namespace on it. */
export async function onServer(
  server: Awaited<ReturnType<typeof startVault>>,
  { dialect, keys, namespace }: Pick<Real, "dialect" | "keys" | "namespace">,
): Promise<RekeyTarget> {
  const first = namespace ? await createTenant(server, namespace) : server.keys;
  const target = await before(server.address, server.token, { dialect, keys, namespace });
  const { outOfBand } = target;
  return {
    ...target,
    first,
    async sealAndUnseal(shares) {
      // Without recovery keys, only a restart unseals it: the attempt is lost as well.
      if (shares.length === 0) return void (await outOfBand("DELETE", "sys/rekey/init"));
      const put = async (path: string, body?: object): Promise<Record<string, unknown>> => {
        const { json } = await call({ url: server.address, token: server.token }, "PUT", `/v1/sys/${path}`, body);
        return json?.data ?? json ?? {};
      };
      await put("seal");
      let sealed: unknown;
      // A seal of the namespace alone does not end its attempt.
      if (namespace) for (const key of server.keys.slice(0, 3)) await put("unseal", { key });
      const unseal = namespace ? `namespaces/${namespace}/unseal` : "unseal";
      for (const key of shares) ({ sealed } = await put(unseal, { key }));
      if (sealed !== false) throw new Error("these shares are not valid");
    },
    // An attempt to generate a root token, which is canceled in the end: its last share is verified like the unseal keys.
    async opens(shares) {
      const send: RekeyTarget["outOfBand"] = (method, end, body) => outOfBand(method, `sys/generate-root/${end}`, body);
      await send("DELETE", "attempt");
      const { nonce, required } = (await send("PUT", "attempt", {})).body as { nonce: string; required: number };
      let complete = false;
      for (const key of shares.slice(0, required)) complete = Boolean((await send("PUT", "update", { key, nonce })).body.complete);
      await send("DELETE", "attempt");
      return complete;
    },
    stop: () => target.gateway.close(),
  };
}

async function before(
  address: string,
  token: string,
  { dialect, keys, namespace }: Pick<Real, "namespace"> & Pick<Column, "dialect" | "keys">,
): Promise<Omit<RekeyTarget, "first" | "sandbox" | "sealAndUnseal" | "opens" | "stop">> {
  const wire = wireOf(dialect, keys);
  const gateway = await startGateway(address, wire);
  const settings = given({ address: gateway.url, dialect, namespace });
  const config = { "steward:default": { secrets: { ...settings, token } } };
  const connection = { "steward:default": { secrets: { ...settings, tokenEnv: "STEWARD_TOKEN" } } };
  const program = (text: string): string =>
    keys === "unseal"
      ? text
      : text.replaceAll("secretShares:", 'target: "recovery", secretShares:').replaceAll(/(getRekey\w+\()\)/g, '$1{ target: "recovery" })');
  const outOfBand: RekeyTarget["outOfBand"] = async (method, path, body) => {
    const [verb, place] = wire.sent(method, `/v1/${namespace ? `${namespace}/` : ""}${path}`);
    const { status, json } = await call({ url: address, token }, verb, place, body);
    return { status, body: /^sys\/(rekey|generate-root)\//.test(path) ? wire.fields(json) : (json ?? {}) };
  };
  return { dialect, keys, ...(namespace ? { namespace } : {}), gateway, token, config, connection, program, outOfBand };
}

const fiveOfThree: First = { shares: 5, threshold: 3 };

/** A kind of service and of keys. */
interface Column {
  name: string;
  dialect: RekeyDialect;
  keys: Keys;
}
interface Real extends Column {
  begin: typeof startVault;
  /** A namespace of OpenBao with unseal keys of its own, which are those to replace. */
  namespace?: string;
}
interface RekeyTargetEntry extends Column {
  namespace?: string;
  start(first?: First): Promise<RekeyTarget>;
}

const { REAL_VAULT_ADDRESS, REAL_OPENBAO_ADDRESS } = process.env;
const vault: Real[] = [
  { name: "real Vault", dialect: "hashicorp", keys: "unseal", begin: startVault },
  { name: "real Vault, recovery keys", dialect: "hashicorp", keys: "recovery", begin: startVaultWithTransitSeal },
];
const openbao: Real[] = [
  { name: "real OpenBao", dialect: "openbao", keys: "unseal", begin: startOpenBao },
  { name: "real OpenBao, recovery keys", dialect: "openbao", keys: "recovery", begin: startOpenBaoWithStaticSeal },
  { name: "real OpenBao, tenant", dialect: "openbao", keys: "unseal", begin: startOpenBao, namespace: "tenant" },
];
/** Each night, all of them. */
const real = [...vault, ...(REAL_OPENBAO_ADDRESS ? openbao : [])].filter(({ name }) => isNight || !/Vault,|tenant/.test(name));

const ofSandbox: Column[] = [
  ...rekeyDialects.map((dialect): Column => ({ name: `sandbox, ${dialect}`, dialect, keys: "unseal" })),
  { name: "sandbox, openbao, recovery keys", dialect: "openbao", keys: "recovery" },
  { name: "sandbox, hashicorp, recovery keys", dialect: "hashicorp", keys: "recovery" },
];

/** The services for rekeys. A real one always starts with five shares and a threshold of three, or without recovery keys. */
export const allRekeyTargets: RekeyTargetEntry[] = REAL_VAULT_ADDRESS
  ? real.map((column) => ({ ...column, start: (first = fiveOfThree) => onReal(column, first.shares > 0) }))
  : ofSandbox.map((column) => ({ ...column, start: (first = fiveOfThree) => onSandbox(column, first) }));

/** True for the services that TESTS=real has only in the sandbox. */
const isNeverReal = ({ dialect, keys }: Column): boolean => dialect === "standard" || (dialect === "hashicorp" && keys === "recovery");
/** True for one service with each kind of keys. */
const isUsual = ({ dialect, keys }: Column): boolean => dialect === (keys === "recovery" ? "openbao" : "hashicorp");

/** The services for suites about rekeys. TESTS=all has those that TESTS=real does not start, and a quick run has one with each kind of keys. */
export const rekeyTargets = REAL_VAULT_ADDRESS || isNight ? allRekeyTargets : allRekeyTargets.filter(isWhole ? isNeverReal : isUsual);

/** Starts a service with recovery keys, a real one if there is one. */
export async function startRecovery(dialect: "hashicorp" | "openbao"): Promise<RekeyTarget> {
  const column = [...vault, ...openbao].find((each) => each.dialect === dialect && each.keys === "recovery") as Real;
  return REAL_VAULT_ADDRESS ? onReal(column, true) : onSandbox(column, fiveOfThree);
}

/** Those that may have no recovery keys yet, and start without them. */
export const firstKeysTargets: RekeyTargetEntry[] = allRekeyTargets
  .filter(({ dialect, keys }) => dialect === "openbao" && keys === "recovery")
  .map(({ start, ...column }) => ({ ...column, start: (first = { shares: 0, threshold: 0 }) => start(first) }));

/** The services for suites that start Pulumi: each real service, but one of the sandbox for each kind of keys, or one of both. */
export const slowRekeyTargets = REAL_VAULT_ADDRESS
  ? rekeyTargets
  : allRekeyTargets.filter(({ dialect, keys }) => dialect === "openbao" && (isNight || keys === "recovery"));

/** Makes the programs of a project those of this service, whose keys they may not name. */
export function onService<T extends Pick<Story, "folder" | "program" | "typescript" | "example" | "config">>(
  project: T,
  target: RekeyTarget,
): T {
  const write = project.program.bind(project);
  const copy = project.example.bind(project);
  project.program = (source) => write(target.program(source));
  project.example = (name) => {
    const copied = copy(name);
    project.typescript(target.program(readFileSync(join(project.folder, "program/index.ts"), "utf8")));
    return copied;
  };
  project.config(target.connection);
  return project;
}

/** A stack on a service. */
export const stackOn = (
  { config, keys }: RekeyTarget,
  Mechanism?: new (token: string, config: Record<string, object>) => Engine,
): RekeyStack => new RekeyStack(config, Mechanism, keys);

/** Runs a function on a new service. */
export async function withRekeyTarget<T>(
  start: (first?: First) => Promise<RekeyTarget>,
  first: First,
  use: (target: RekeyTarget) => Promise<T>,
): Promise<T> {
  const target = await start(first);
  try {
    return await use(target);
  } finally {
    await target.stop();
  }
}

/** Runs a suite on each target. Each test begins with a new service. */
export function onEachRekeyTarget(
  what: string,
  suite: (current: () => RekeyTarget, dialect: RekeyDialect) => void,
  targets = rekeyTargets,
): void {
  describe.each(targets)(`${what} ($name)`, ({ start, dialect }) => {
    let current: RekeyTarget;
    beforeEach(async () => {
      current = await start();
    });
    suite(() => current, dialect);
    afterEach(() => current.stop());
  });
}
