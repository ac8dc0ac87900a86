import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { Fault, PlatformService, Sandbox } from "../../sandbox/index";
import { call } from "./call";
import { Engine } from "./engine";
import { sentBy, startSandbox } from "./sandbox";

type Attributes = Record<string, unknown>;

/** A platform for tests: the sandbox in one dialect. */
export interface Platform {
  dialect: "standard" | "hashicorp";
  sandbox: Sandbox;
  service: PlatformService;
  config(more?: object): Record<string, object>;
  engine(token: string, more?: object): Engine;
  /** Connects the functions of this process to the platform. */
  configureProgram(): void;
  /** Adds a fault to the next request with this path: a response, or another action. A body that is not a string is sent as JSON. */
  fault(path: RegExp, fault: Partial<Omit<Fault, "body">> & { body?: unknown }): void;
  /** Responds to the next read of these settings, or the next request of another method, with these attributes. */
  show(settings: string, attributes: Attributes, method?: string): void;
  /** Sends a request outside Pulumi. */
  outOfBand(method: string, path: string, body?: object, token?: string): Promise<{ status: number; body: Document }>;
  /** Reads settings by their name in the specification. Attributes have the package's names. */
  held(settings: string): Promise<Attributes>;
  change(settings: string, attributes: Attributes): Promise<void>;
  /** The requests of an operation, sorted: the order of parallel requests is not significant. */
  requests(operation: () => Promise<unknown>): Promise<string[]>;
}

interface Document {
  data: { id: string; attributes: Attributes };
  errors?: { title?: string; detail?: string }[];
}

const clouds: [string, string][] = [
  ["cloud-a-", "aws-"],
  ["cloud-b-", "gcp-"],
  ["cloud-c-", "azure-"],
];

/** The package's name of an attribute. */
export const attributeName = (wire: string): string =>
  clouds
    .reduce((name, [from, to]) => name.replace(new RegExp(`^${to}`), from), wire)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The name in the specification of settings, by the id of their document. */
export const settingsName = (id: string): string => (id === "twilio" ? "sms" : id);

/** Runs a suite in both dialects. Each test begins with a new platform without a rate limit. */
export function onEachPlatform(what: string, suite: (current: () => Platform, dialect: Platform["dialect"]) => void): void {
  describe.each(["standard", "hashicorp"] as const)(`${what} (%s)`, (dialect) => {
    let sandbox: Sandbox;
    let current: Platform;
    beforeAll(async () => {
      sandbox = await startSandbox({ dialect });
      current = platform(dialect, sandbox);
    });
    beforeEach(async () => {
      await sandbox.reset();
      await current.change("general", { apiRateLimitingEnabled: false });
    });
    suite(() => current, dialect);
  });
}

export function platform(dialect: Platform["dialect"], sandbox: Sandbox): Platform {
  const service = sandbox.platform;
  const real = dialect === "hashicorp";
  const path = (settings: string): string => `/api/v2/admin/${real && settings === "sms" ? "twilio" : settings}-settings`;
  const wire = (name: string): string => {
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return real ? clouds.reduce((renamed, [from, to]) => renamed.replace(from, to), kebab) : kebab;
  };
  const wired = (attributes: Attributes): Attributes =>
    Object.fromEntries(Object.entries(attributes).map(([name, value]) => [wire(name), value]));
  const outOfBand: Platform["outOfBand"] = async (method, at, body, token) => {
    const { status, json } = await call(service, method, at, body, token);
    return { status, body: json };
  };
  const fault: Platform["fault"] = (at, { body, ...more }) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    sandbox.faults.add({ system: "platform", path: at, action: "respond", ...more, body: text });
  };
  const config: Platform["config"] = (more) => ({
    "steward:default": { platform: { address: service.url, token: service.token, dialect, ...more } },
  });
  return {
    dialect,
    sandbox,
    service,
    config,
    engine: (token, more) => new Engine(`platform:${token}`, config(more)),
    configureProgram() {
      setAllConfig(Object.fromEntries(Object.entries(config()).map(([key, value]) => [key, JSON.stringify(value)])));
    },
    fault,
    show: (settings, attributes, method = "GET") =>
      fault(new RegExp(settings), {
        method,
        status: 200,
        body: { data: { id: settings, type: `${settings}-settings`, attributes: wired(attributes) } },
      }),
    outOfBand,
    async held(settings) {
      const { body } = await outOfBand("GET", path(settings));
      return Object.fromEntries(Object.entries(body.data.attributes).map(([name, value]) => [attributeName(name), value]));
    },
    async change(settings, attributes) {
      const { status, body } = await outOfBand("PATCH", path(settings), { data: { attributes: wired(attributes) } });
      if (status !== 200) throw new Error(`${settings}: ${status} ${JSON.stringify(body)}`);
    },
    async requests(operation) {
      const { sent } = await sentBy(sandbox, operation);
      return sent.map((request) => request.replace("/api/v2/admin/", "")).sort();
    },
  };
}
