import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Sandbox, start } from "../../sandbox/index";
import { call } from "../support/call";
import { Ended, steward } from "./holder";

// Helpers for the stories of `pulumi-steward discover`. Each test runs in a new folder.

const home = process.cwd();
/** The working directory of the current test. */
export let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "steward-discover-"));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

interface Entry {
  type: string;
  name: string;
  id: string;
}

const allWritten = (file = "import.json"): Entry[] => JSON.parse(readFileSync(join(folder, file), "utf8")).resources;
const isEngine = ({ type }: Entry): boolean => type.endsWith(":SchedulerEngine");
/** The resources without those of the mounts, which only the dialect `hashicorp` has. */
export const written = (file?: string): Entry[] => allWritten(file).filter((each) => !isEngine(each));
/** The ids of the mounts. */
export const engines = (): string[] => allWritten().flatMap((each) => (isEngine(each) ? [each.id] : []));
export const rows = (file?: string): string[] => written(file).map(({ type, name, id }) => `${type.replace("steward:", "")} ${name} ${id}`);

/** A script instead of Pulumi's command line, which records its arguments. */
export function pulumi(script: string): Record<string, string> {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin/pulumi"), `#!/bin/sh\necho "$@" >> ${folder}/asked\n${script}\n`);
  chmodSync(join(folder, "bin/pulumi"), 0o755);
  return { PATH: [join(folder, "bin"), process.env.PATH].join(delimiter) };
}

/** A script that prints this configuration. */
export function configured(config: Record<string, object | string>): Record<string, string> {
  writeFileSync(join(folder, "Pulumi.yaml"), "name: story\nruntime: yaml\n");
  const entries = Object.entries(config).map(([key, value]) => [key, { value: typeof value === "string" ? value : JSON.stringify(value) }]);
  writeFileSync(join(folder, "config.json"), JSON.stringify(Object.fromEntries(entries)));
  return pulumi(`cat ${folder}/config.json`);
}

type Discover = (variables: Record<string, string>, ...options: string[]) => Promise<Ended & { sent: string[] }>;

export interface Stage {
  sandbox: Sandbox;
  dialect: "standard" | "hashicorp";
  isReal: boolean;
  /** The mount of the Nomad secrets engine. */
  mount: string;
  write(path: string, body: object): Promise<void>;
  role(path: string): Promise<void>;
  /** Sets a secret that the platform returns. */
  setCostKey(value: string): Promise<void>;
  deprecate(module: string, version: string): Promise<void>;
  /** The variables that name one server. */
  only(system: "secrets" | "platform"): Record<string, string>;
  /** Runs the command for the native plugin. Returns its requests, too, in order. */
  discover: Discover;
  /** The same for dynamic resources. */
  discoverProgram: Discover;
}

/** Runs a suite on a sandbox of each dialect. Each test begins with a new one. */
export function onEachSandbox(what: string, suite: (stage: () => Stage) => void): void {
  describe.each(["standard", "hashicorp"] as const)(`${what}, %s`, (dialect) => {
    let stage: Stage;
    beforeAll(async () => {
      stage = stageOf(await start({ dialect }), dialect);
    });
    beforeEach(async () => {
      await stage.sandbox.reset();
      const attributes = { "api-rate-limiting-enabled": false };
      await call(stage.sandbox.platform, "PATCH", "/api/v2/admin/general-settings", { data: { attributes } });
    });
    afterAll(() => stage.sandbox.close());
    suite(() => stage);
  });
}

function stageOf(sandbox: Sandbox, dialect: Stage["dialect"]): Stage {
  const write: Stage["write"] = async (path, body) => expect((await call(sandbox.secrets, "POST", `/v1/${path}`, body)).status).toBe(204);
  const discover =
    (...mechanism: string[]): Discover =>
    async (variables, ...options) => {
      const before = sandbox.requests().length;
      const ended = await steward(variables, ["discover", ...mechanism, ...options]);
      const sent = sandbox.requests().slice(before);
      return { ...ended, sent: sent.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`) };
    };
  const isReal = dialect === "hashicorp";
  const patch = async (path: string, data: object): Promise<void> =>
    expect((await call(sandbox.platform, "PATCH", `/api/v2/${path}`, { data })).status).toBe(200);
  return {
    sandbox,
    dialect,
    isReal,
    mount: isReal ? "nomad" : "scheduler",
    write,
    role: (path) => write(path, { policies: "deploy", type: "client" }),
    setCostKey: (value) => {
      const cloud = isReal ? "aws" : "cloud-a";
      const attributes = { [`${cloud}-access-key-id`]: "AKIA", [`${cloud}-secret-key`]: value };
      return patch("admin/cost-estimation-settings", { attributes });
    },
    deprecate: (module, version) => {
      const attributes = { deprecation: { "deprecated-status": "Deprecated", reason: "old" } };
      const path = `organizations/acme/registry-modules/private/acme/${module}/aws/${version}`;
      return patch(path, { type: "module-versions", attributes });
    },
    only: (system) => {
      const names = system === "secrets" ? /^(VAULT|SECRETS)_/ : /^(TFE|PLATFORM)_/;
      return Object.fromEntries(Object.entries(sandbox.env).filter(([name]) => names.test(name)));
    },
    discover: discover("--native"),
    discoverProgram: discover(),
  };
}
