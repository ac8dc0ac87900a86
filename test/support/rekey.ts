import { StewardError } from "../../provider/errors";
import { RekeyInputs } from "../../provider/secrets";
import { ShareSet } from "../../provider/secrets/rekey/crypto";
import { inspectShares } from "../../provider/secrets/rekey/inputs";
import { Submission } from "../../provider/secrets/rekey/submit";
import { Sandbox, start } from "../../sandbox/index";
import { startOpenBao, startVault } from "../../tools/servers";
import { call } from "./call";
import { Engine } from "./engine";
import { Gateway, startGateway } from "./gateway";
import { RekeyDialect, rekeyDialects, wireOf } from "./rekey-wire";

type Properties = Record<string, unknown>;

const given = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

/** The inputs of a rekey from five shares to three, with a threshold of two. */
export const inputsFrom = (shares: readonly string[], more: Partial<RekeyInputs> = {}): RekeyInputs => ({
  secretShares: 3,
  secretThreshold: 2,
  currentShares: shares.slice(0, 3),
  keepSharesInState: true,
  ...more,
});

/** A rekey in a program: its three resources, under an engine that can be stopped between any two. */
export class RekeyStack {
  readonly attempt: Engine;
  readonly shares: Engine;
  readonly commit: Engine;

  constructor(config: Record<string, object>, Mechanism: new (token: string, config: Record<string, object>) => Engine = Engine) {
    this.attempt = new Mechanism("secrets:RekeyAttempt", config);
    this.shares = new Mechanism("secrets:RekeyShares", config);
    this.commit = new Mechanism("secrets:RekeyCommit", config);
  }

  /** The inputs that the component passes to its first resource. */
  attemptInputs = ({ currentShares, newShares, ...more }: RekeyInputs): Properties =>
    given({ ...more, ...inspectShares({ currentShares, newShares }) });

  private sharesInputs({ currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares }: RekeyInputs): Properties {
    const { attempt } = this.attempt.outputs();
    return given({ attempt, currentShares, newShares, waitSeconds, replaceBackup, onConflict, discardShares });
  }

  private commitInputs({ currentShares, newShares, proof, removeBackup, onConflict, discardShares }: RekeyInputs): Properties {
    const { submission } = this.shares.outputs();
    return given({ submission, currentShares, newShares, proof, removeBackup, onConflict, discardShares });
  }

  /** The output of the step that submits current shares. */
  get submission(): Submission {
    return this.shares.outputs().submission as Submission;
  }

  /** The new shares. */
  get candidate(): ShareSet {
    return this.submission.candidate as ShareSet;
  }

  /** Runs `pulumi up`: the three resources in order, until one fails. `until` kills the command line after that resource. */
  async up(inputs: RekeyInputs, until: "attempt" | "shares" | "commit" = "commit"): Promise<string[]> {
    const done: string[] = [];
    done.push(await this.attempt.up(this.attemptInputs(inputs)));
    if (until === "attempt") return done;
    done.push(await this.shares.up(this.sharesInputs(inputs)));
    if (until === "shares") return done;
    done.push(await this.commit.up(this.commitInputs(inputs)));
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

  /** The live set in the outputs of the component. */
  get outputs(): {
    shares: string[];
    encryptedShares: { fingerprint: string; share: string }[];
    fingerprints: string[];
    complete: boolean;
  } {
    return this.commit.outputs() as never;
  }
}

/** A secrets service whose unseal keys a test may change: the sandbox in each dialect, or a real one for this test. */
export interface RekeyTarget {
  dialect: RekeyDialect;
  /** The gateway in front of it, which the provider's requests pass. */
  gateway: Gateway;
  token: string;
  config: Record<string, object>;
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

async function onSandbox(dialect: RekeyTarget["dialect"], { shares, threshold }: First): Promise<RekeyTarget> {
  const sandbox = await start({ dialect, unsealShares: shares, unsealThreshold: threshold });
  const target = await before(sandbox.secrets.url, sandbox.secrets.token, dialect);
  return {
    ...target,
    sandbox,
    first: sandbox.secrets.shares,
    async sealAndUnseal(shares) {
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

async function onReal(dialect: RealDialect): Promise<RekeyTarget> {
  const server = await (dialect === "openbao" ? startOpenBao() : startVault());
  const target = await before(server.address, server.token, dialect);
  const { outOfBand } = target;
  return {
    ...target,
    first: server.keys,
    async sealAndUnseal(shares) {
      await outOfBand("PUT", "sys/seal");
      let sealed: unknown;
      for (const key of shares) sealed = (await outOfBand("PUT", "sys/unseal", { key })).body.sealed;
      if (sealed !== false) throw new Error("these shares are not valid");
    },
    // An attempt to generate a root token, which is canceled in the end: its last share is verified like the unseal keys.
    async opens(shares) {
      const path = dialect === "openbao" ? "sys/generate-root-token" : "sys/generate-root";
      const send: RekeyTarget["outOfBand"] = async (method, end, body) => {
        const { status, body: json } = await outOfBand(method, `${path}/${end}`, body);
        return { status, body: dialect === "openbao" ? ((json.data ?? {}) as Record<string, unknown>) : json };
      };
      await send("DELETE", "attempt");
      const { nonce, required } = (await send("PUT", "attempt", {})).body as { nonce: string; required: number };
      let complete = false;
      for (const key of shares.slice(0, required)) complete = Boolean((await send("PUT", "update", { key, nonce })).body.complete);
      await send("DELETE", "attempt");
      return complete;
    },
    async stop() {
      await target.gateway.close();
      await server.stop();
    },
  };
}

async function before(
  address: string,
  token: string,
  dialect: RekeyTarget["dialect"],
): Promise<Pick<RekeyTarget, "dialect" | "gateway" | "token" | "config" | "outOfBand">> {
  const wire = wireOf(dialect);
  const gateway = await startGateway(address, wire);
  const config = { "steward:default": { secrets: { address: gateway.url, token, dialect } } };
  const outOfBand: RekeyTarget["outOfBand"] = async (method, path, body) => {
    const [verb, place] = wire.sent(method, `/v1/${path}`);
    const { status, json } = await call({ url: address, token }, verb, place, body);
    return { status, body: path.startsWith("sys/rekey/") ? wire.fields(json) : (json ?? {}) };
  };
  return { dialect, gateway, token, config, outOfBand };
}

const fiveOfThree: First = { shares: 5, threshold: 3 };

type RealDialect = "hashicorp" | "openbao";
const { REAL_VAULT_ADDRESS, REAL_OPENBAO_ADDRESS } = process.env;
const real: { name: string; dialect: RealDialect }[] = [
  { name: "real Vault", dialect: "hashicorp" },
  ...(REAL_OPENBAO_ADDRESS ? [{ name: "real OpenBao", dialect: "openbao" as const }] : []),
];

interface RekeyTargetEntry {
  name: string;
  dialect: RekeyDialect;
  start(first?: First): Promise<RekeyTarget>;
}

/** The services for suites about rekeys. A real one always starts with five shares and a threshold of three. */
export const rekeyTargets: RekeyTargetEntry[] = REAL_VAULT_ADDRESS
  ? real.map(({ name, dialect }) => ({ name, dialect, start: () => onReal(dialect) }))
  : rekeyDialects.map((dialect) => ({
      name: `sandbox, ${dialect}`,
      dialect,
      start: (first = fiveOfThree) => onSandbox(dialect, first),
    }));

/** The services for suites that start Pulumi: one dialect is enough, but each real service. */
export const slowRekeyTargets: RekeyTargetEntry[] = REAL_VAULT_ADDRESS ? rekeyTargets : rekeyTargets.slice(-1);

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
export function onEachRekeyTarget(what: string, suite: (current: () => RekeyTarget) => void): void {
  describe.each(rekeyTargets)(`${what} ($name)`, ({ start }) => {
    let current: RekeyTarget;
    beforeEach(async () => {
      current = await start();
    });
    afterEach(() => current.stop());
    suite(() => current);
  });
}
