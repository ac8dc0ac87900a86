import { parseArgs } from "node:util";
import { runInThisContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";
import * as settings from "@pulumi/pulumi/runtime/settings";
import * as state from "@pulumi/pulumi/runtime/state";
import { clearCache } from "../../provider/engine/dynamic-runtime";
import {
  Deployment,
  Monitor,
  Options,
  Properties,
  plain,
  Script,
  StartProcess,
  sealed,
  shownOutputs,
  stackUrn,
  urnPrefix,
} from "./deployment";
import { runProgram } from "./in-process-program";
import { changesOf, counted, headingOf, kindOf, words } from "./in-process-terminal";
import { limited, provider } from "./limits";
import "./realms";
import { Run, Stack } from "./stack";
import { StateResource } from "./state";

/**
 * A project in this process: the program runs with the SDK and the package's classes, over the stand-in of the engine and the package's providers.
 * Each operation is a separate process for the providers. The terminal shows only what the tests read.
 */
export class InProcessProject extends Stack {
  private readonly deployment: Deployment;
  private secretKeys: string[] = [];
  /** The outputs of the stack, after the first run. */
  private results: Properties | undefined;
  private readonly backups: string[] = [];

  constructor(variables: Record<string, string> = {}, startProcess: StartProcess = stewardProcess) {
    super(variables);
    this.deployment = new Deployment(startProcess, {});
  }

  config(config: Record<string, object>): this {
    this.deployment.config = structuredClone(config);
    return this;
  }

  async set(key: string, value: string, ...options: string[]): Promise<void> {
    const { config } = this.deployment;
    const [name = "", ...path] = options.includes("--path") ? key.split(".") : [key];
    const full = name.includes(":") ? name : `story:${name}`;
    if (options.includes("--secret")) this.secretKeys.push(full);
    const last = path.pop();
    if (!last) config[full] = value as unknown as object;
    else {
      const parent = path.reduce((inner, part) => inner[part] as Properties, config[full] as Properties);
      parent[last] = value;
    }
  }

  async pulumi(...args: string[]): Promise<Run> {
    // The command line previews first, and stops if that fails.
    if (args[0] === "up" && !args.includes("--skip-preview")) {
      const options = args.slice(1).filter((option) => option !== "--yes");
      const previewed = await this.operate(["preview", ...options]);
      if (previewed.code !== 0) return previewed;
    }
    return this.operate(args);
  }

  private async operate(args: string[]): Promise<Run> {
    const { positionals, values } = parseArgs({ args, options: flags, allowPositionals: true });
    const [operation] = positionals as [keyof typeof words];
    const options: Options = {
      targets: values.target?.map(short),
      replace: values.replace?.map(short),
      refresh: values.refresh,
      continueOnError: values["continue-on-error"],
      parallel: values.parallel ? Number(values.parallel) : undefined,
      previewOnly: values["preview-only"],
    };
    const printed: string[] = [];
    let outputs: string[] = [];
    const script: Script = async (engine) => {
      outputs = shownOutputs(await this.run(engine, operation === "preview"));
    };
    const ending = await this.inProcess(printed, () =>
      operation === "up" || operation === "preview" ? this.deployment[operation](script, options) : this.deployment[operation](options),
    );
    if (operation === "destroy" && ending.succeeded && this.deployment.resources.length === 0) this.results = undefined;
    this.backups.push(this.deployment.stored() + JSON.stringify(sealed(this.results ?? {})));
    // Other values that a refresh reads are not drift.
    const shown = ending.performed.filter((step) => step.kind !== "refresh" || ending.drift.includes(step.old.urn));
    const isUnexpected = values["expect-no-changes"] && shown.some((step) => kindOf(step) !== undefined);
    const changes = shown.flatMap(changesOf);
    const errors = [...ending.errors, ...(isUnexpected ? ["no changes were expected"] : [])].map(
      (error) => `error: ${error.replace(/^\S+::\S+: /, "").replaceAll("\n", "\nerror: ")}`,
    );
    const lines = [...printed, ...shown.flatMap(headingOf), ...changes, ...errors, ...outputs];
    const output = [...lines, "Resources:", ...counted(shown, operation)].join("\n");
    return { code: !ending.succeeded ? 1 : isUnexpected ? 7 : 0, output, changes };
  }

  /** Runs an operation with the environment, the terminal and the folder of this process, which are restored at the end. */
  private async inProcess<T>(printed: string[], operation: () => Promise<T>): Promise<T> {
    const [environment, { log, warn }, folder] = [process.env, { ...console }, process.cwd()];
    process.chdir(this.programFolder);
    process.env = { ...environment, ...this.variables, ...this.more };
    console.log = (...parts: unknown[]) => void printed.push(parts.map(String).join(" "));
    console.warn = console.log;
    try {
      return await operation();
    } finally {
      process.chdir(folder);
      process.env = environment;
      Object.assign(console, { log, warn });
    }
  }

  /** Runs the program, and returns the outputs of the stack. */
  private async run(engine: Parameters<Script>[0], isPreview: boolean): Promise<Properties> {
    const monitor = new Monitor(engine);
    const errors = await rejections(() =>
      withLocalStorage(async () => {
        pulumi.runtime.setMockOptions(monitor, "story", "dev", isPreview);
        const texts = Object.entries(this.deployment.config).map(([key, value]) => [
          key,
          typeof value === "string" ? value : JSON.stringify(value),
        ]);
        pulumi.runtime.setAllConfig(Object.fromEntries(texts), this.secretKeys);
        await awaitFeatureSupport();
        await pulumi.runtime.runInPulumiStack(() => limited(() => runProgram(this.programFolder)));
        await pulumi.runtime.disconnect();
      }),
    );
    if (errors.length > 0) throw new Error(errors.join("\n"));
    if (!isPreview) this.results = monitor.outputs;
    return monitor.outputs;
  }

  async resources(): Promise<StateResource[]> {
    const stack = this.results ? [{ urn: stackUrn, outputs: plain(this.results) }] : [];
    const resources = this.deployment.resources.map(({ urn, id, inputs, outputs }) => ({
      urn: urnPrefix + urn,
      id,
      inputs: plain(inputs),
      outputs: plain(outputs),
    }));
    return [...stack, ...resources];
  }

  /** The current content of the backend. */
  checkpoint = (): string => this.deployment.stored();

  stored(): string {
    return this.backups.join("\n");
  }
}

const short = (urn: string): string => urn.replace(urnPrefix, "");

const stewardProcess: StartProcess = () => {
  clearCache();
  return (type) => provider(type.replace(/^pulumi-nodejs:dynamic\/steward\//, ""));
};

// Internals that the SDK's declarations hide: a separate store for each program, and the engine's features.
const { withLocalStorage } = state as unknown as { withLocalStorage<T>(callback: () => Promise<T>): Promise<T> };
const { awaitFeatureSupport } = settings as unknown as { awaitFeatureSupport(): Promise<void> };

/** Node's own process: jest gives tests a copy, which receives no rejections. */
const node = runInThisContext("process") as NodeJS.Process;

/** The output for rejections, as in the real command line: each error is printed once, with its stack unless it is a RunError. */
async function rejections(program: () => Promise<void>): Promise<string[]> {
  const errors = new Set<unknown>();
  const listeners = node.listeners("unhandledRejection");
  node.removeAllListeners("unhandledRejection");
  node.on("unhandledRejection", (error) => void errors.add(error));
  try {
    await program().catch((error) => errors.add(error));
    // Node reports a rejection after all ready tasks have run.
    await new Promise(setImmediate);
  } finally {
    node.removeAllListeners("unhandledRejection");
    for (const listener of listeners) node.on("unhandledRejection", listener);
  }
  const told = [...errors].map((error) => (pulumi.RunError.isInstance(error) ? error.message : String((error as Error).stack)));
  return [...new Set(told)];
}

const flag = { type: "boolean" } as const;
const list = { type: "string", multiple: true } as const;
const flags = {
  ...{ yes: flag, "skip-preview": flag, diff: flag, "expect-no-changes": flag, "continue-on-error": flag, refresh: flag },
  ...{ "preview-only": flag, target: list, replace: list, parallel: { type: "string" as const } },
} as const;
