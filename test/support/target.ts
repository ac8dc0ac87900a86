import { randomBytes } from "node:crypto";
import { Sandbox, Service, start } from "../../sandbox/index";
import { call } from "./call";

/** A Vault or an OpenBao for tests: the sandbox in either dialect, or a real one. */
export interface Target {
  dialect: "standard" | "hashicorp";
  /** True for an OpenBao, whose Nomad secrets engine differs from Vault's only in the names of roles. */
  isOpenBao: boolean;
  address: string;
  token: string;
  /** Set if the service is the sandbox. */
  sandbox?: Sandbox;
  /** The scheduler next to it, with a management token. */
  scheduler: { address: string; token: string };
  /** The configuration of a connection to it. */
  config(more?: object): Record<string, object>;
  /** Sends a request outside Pulumi. */
  outOfBand(method: string, path: string, body?: object): Promise<{ status: number; data: Record<string, unknown> | undefined }>;
  /** Mounts a new Nomad secrets engine, at a nested path. */
  newMount(): Promise<string>;
  stop(): Promise<void>;
}

const { REAL_VAULT_ADDRESS: real, REAL_VAULT_TOKEN = "", REAL_SCHEDULER_ADDRESS = "", REAL_SCHEDULER_TOKEN = "" } = process.env;
const { REAL_NOMAD_ADDRESS: realNomad, REAL_OPENBAO_ADDRESS: openBao, REAL_OPENBAO_TOKEN = "", OPENBAO_NOMAD_PLUGIN } = process.env;
/** The Nomad behind a real Vault: a real one or, where none is installed, that of a sandbox. */
const nomad = { address: REAL_SCHEDULER_ADDRESS, token: REAL_SCHEDULER_TOKEN };

/** The targets of a contract suite: a real server if one is configured, otherwise the sandbox in both dialects. */
export const targets: Starter[] = real
  ? [
      onServer("real Vault", "hashicorp", { address: real, token: REAL_VAULT_TOKEN }),
      ...(openBao && OPENBAO_NOMAD_PLUGIN ? [onServer("real OpenBao", "openbao", { address: openBao, token: REAL_OPENBAO_TOKEN })] : []),
    ]
  : (["standard", "hashicorp"] as const).map(onSandbox);

/** Those and an OpenBao, for what differs there. */
export const withOpenBao: Starter[] = real ? targets : [...targets, onSandbox("openbao")];

type Product = "standard" | "hashicorp" | "openbao";
interface Starter {
  name: string;
  start(): Promise<Target>;
}

function onServer(name: string, product: Product, own: Target["scheduler"]): Starter {
  return { name, start: async () => target(product, own, nomad, async () => {}) };
}

function onSandbox(product: Product): Starter {
  return {
    name: `sandbox, ${product}`,
    start: async () => {
      const sandbox = await start({ dialect: product });
      const at = ({ url, token }: Service): { address: string; token: string } => ({ address: url, token });
      return { ...target(product, at(sandbox.secrets), at(sandbox.scheduler), () => sandbox.close()), sandbox };
    },
  };
}

/** A policy of a page for a target. The sandbox rejects the limits of parameters, which it does not enforce. */
export const policyFor = ({ sandbox }: Target, policy: string): string =>
  sandbox ? policy.replace(/^ *allowed_parameters = .*\n/gm, "") : policy;

/** Creates the policy `readonly` in the scheduler, which the sandbox has from the start. */
export async function ensureReadonlyPolicy({ sandbox, scheduler }: Target): Promise<void> {
  if (sandbox || !realNomad) return;
  const policy = { Name: "readonly", Rules: 'namespace "*" { policy = "read" }\nnode { policy = "read" }' };
  const headers = { "X-Nomad-Token": scheduler.token };
  const body = JSON.stringify(policy);
  expect((await fetch(`${scheduler.address}/v1/acl/policy/readonly`, { method: "PUT", headers, body })).status).toBe(200);
}

/** A target, with a new mount. */
export const atNewMount = async (target: Target): Promise<Target & { mount: string }> => ({ ...target, mount: await target.newMount() });

/** Runs a suite on each target. `current()` returns the current one. */
export function onEachTarget(what: string, suite: (current: () => Target) => void, chosen = targets): void {
  describe.each(chosen)(`${what} ($name)`, ({ start }) => {
    let current: Target;
    beforeAll(async () => {
      current = await start();
    });
    afterAll(() => current.stop());
    suite(() => current);
  });
}

function target(product: Product, own: Target["scheduler"], scheduler: Target["scheduler"], stop: Target["stop"]): Target {
  const { address, token } = own;
  const isOpenBao = product === "openbao";
  const dialect = isOpenBao ? "hashicorp" : product;
  const outOfBand: Target["outOfBand"] = async (method, path, body) => {
    const { status, json } = await call({ url: address, token }, method, `/v1/${path}`, body);
    return { status, data: json?.data };
  };
  return {
    dialect,
    isOpenBao,
    address,
    token,
    scheduler,
    config: (more) => ({ "steward:default": { secrets: { address, token, dialect: product, ...more } } }),
    outOfBand,
    newMount: async () => {
      const mount = `test/${randomBytes(6).toString("hex")}`;
      const { status } = await outOfBand("POST", `sys/mounts/${mount}`, { type: dialect === "standard" ? "scheduler" : "nomad" });
      expect(status).toBe(204);
      return mount;
    },
    stop,
  };
}
