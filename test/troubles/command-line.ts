import { readFileSync } from "node:fs";
import { definitions } from "../../provider/registry/resources";
import { Clock } from "../../sandbox/clock";
import { Faults } from "../../sandbox/faults";
import { Log } from "../../sandbox/log";
import { dropHeader, listen, Server } from "../../sandbox/server";
import { afterKill } from "../support/after-kill";
import { Declaration, Options, Resource, sourceOf, urnOf } from "../support/deployment";
import { ended, nativeProject, Project } from "../support/project";
import { Operation } from "./history";
import { MechanismName, Runner, Told } from "./runner";
import { responseOf, Trouble, troubleKey, troublesByKey } from "./wire";
import { Origins, Serve, World } from "./world";

const prefix = "urn:pulumi:dev::story::";
/** The prefix of a resource's type. */
const before: Record<MechanismName, string> = { dynamic: "pulumi-nodejs:dynamic/steward/", native: "steward:" };

/** Runs the real command line, with the provider in a separate process and listening servers. It cannot count steps, so it counts writes. */
export class CommandLine implements Runner {
  resources: Resource[] = [];
  pending: string[] = [];
  lostTokens = 0;
  private readonly project = new Project();
  private troubles = new Map<string, Trouble>();
  private stop: Operation["stop"];
  private writes: string[] = [];
  private counts = { write: 0, read: 0 };
  private readonly known = new Map<string, Trouble>();
  private strike: () => void = () => {};

  private constructor(
    private readonly servers: readonly Server[],
    readonly mechanism: MechanismName,
  ) {}

  static async create(world: World, mechanism: MechanismName): Promise<CommandLine> {
    const clock = new Clock();
    const shared = { log: new Log(clock), faults: new Faults(), clock };
    const servers: Server[] = [];
    let runner: CommandLine | undefined;
    const origins: Partial<Origins> = { scheduler: "http://127.0.0.1:4646" };
    for (const [name, serve] of world.serving()) {
      const fetch = (request: Request): Promise<Response> => (runner as CommandLine).serve(request, serve);
      const server = await listen({ name: name === "platform" ? "platform" : "secrets", fetch }, 0, shared);
      servers.push(server);
      origins[name] = server.url;
    }
    world.moveTo(origins as Origins);
    runner = new CommandLine(servers, mechanism);
    const isNative = mechanism === "native";
    if (isNative) runner.project.files({ "Pulumi.yaml": nativeProject() });
    runner.project.config({ ...world.config(), "steward:native": isNative as never });
    return runner;
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
    this.project.remove();
  }

  stored = (): string => JSON.stringify(this.resources);

  private realUrn = (urn: string): string => prefix + urn.replace(/(secrets|platform):/, `${before[this.mechanism]}$1:`);
  private shortUrn = (urn: string): string => urn.replace(prefix, "").replace(before[this.mechanism], "");

  async run(operation: Operation, program: readonly Declaration[], chosen: Pick<Options, "targets" | "replace">): Promise<Told> {
    const { troubles, stop, continueOnError } = operation;
    Object.assign(this, { troubles: troublesByKey(troubles), stop, writes: [], counts: { write: 0, read: 0 } });
    this.known.clear();
    const [command = "", refresh] = operation.operation.split(" ");
    const isUp = command === "up";
    this.project.program(source(program, this.realUrn));
    // A killed run leaves the stack locked.
    if (this.pending.length > 0) await this.project.pulumi(...afterKill.cancel.split(" "));
    this.pending = [];
    const child = await this.project.launch(
      command,
      ...(command === "preview" ? [] : ["--yes", "--skip-preview"]),
      ...(command === "preview" ? ["--expect-no-changes"] : []),
      ...(refresh ? ["--refresh"] : []),
      ...(isUp && continueOnError ? ["--continue-on-error"] : []),
      ...(chosen.targets ?? []).flatMap((urn) => ["--target", this.realUrn(urn)]),
      ...(chosen.replace ?? []).flatMap((urn) => ["--replace", this.realUrn(urn)]),
    );
    let isKilled = false;
    this.strike = () => {
      isKilled = stop?.how === "kill";
      child.kill(isKilled ? "SIGKILL" : "SIGINT");
      // The engine may wait for its program forever. A user presses Ctrl-C again.
      const again = setTimeout(() => child.kill("SIGINT"), 60_000);
      child.once("close", () => clearTimeout(again));
    };
    const { code, output } = await ended(child);
    this.strike = () => {};
    this.load(program, isKilled);
    const isQuiet = !/^ {4}(~|\+|-|\+-) ?\d+ /m.test(output);
    return {
      succeeded: code === 0 || (command === "preview" && !isQuiet),
      errors: errorsIn(output, program),
      operations: new Map(command === "preview" && !isQuiet ? [["a resource", "change"]] : []),
      deleted: [],
      drift: command === "refresh" && !isQuiet ? ["a resource"] : [],
      performed: [],
      steps: [],
      printed: output.split("\n"),
      writes: this.writes,
    };
  }

  /** Applies the fault of the run to a request, and the same one to its retries. */
  private async serve(request: Request, serve: Serve): Promise<Response> {
    const { method, url } = request;
    const body = method === "GET" ? undefined : await request.text();
    const isToken = method === "GET" && url.includes("/creds/");
    const isWrite = (body !== undefined && !url.endsWith("/lookup")) || isToken;
    const answer = (): Response | Promise<Response> => serve(new Request(url, { method, headers: request.headers, body }));
    const of = isWrite ? "write" : "read";
    const key = JSON.stringify([method, url, body]);
    const trouble = this.known.get(key) ?? this.troubles.get(troubleKey(++this.counts[of], of));
    if (trouble) this.known.set(key, trouble);
    if (isWrite && this.counts.write === this.stop?.at) this.strike();
    const lost = (): Response => new Response(null, { headers: { [dropHeader]: "" } });
    if (trouble === "lost before") return lost();
    const [status, text] = responseOf(trouble) ?? [];
    if (status) return new Response(text, { status });
    const response = await answer();
    if (isWrite && response.ok) this.writes.push(`${method} ${new URL(url).pathname}`);
    if (trouble && isToken && response.ok) this.lostTokens++;
    return trouble ? lost() : response;
  }

  private load(program: readonly Declaration[], isKilled: boolean): void {
    const file = this.project.stateFile;
    const { resources = [], pending_operations: pending = [] } = JSON.parse(readFileSync(file, "utf8")).checkpoint.latest ?? {};
    type Stored = { urn: string; type: string; id?: string; inputs?: object; outputs?: object };
    const ours = (resources as Stored[]).filter(({ type }) => definitions.some(({ token }) => type === before[this.mechanism] + token));
    this.resources = ours.map(
      (each) =>
        ({
          id: "",
          inputs: {},
          outputs: {},
          ...each,
          urn: this.shortUrn(each.urn),
          type: each.type.replace(before[this.mechanism], ""),
        }) as Resource,
    );
    const begun = (pending as { resource: Stored }[]).map(({ resource }) => this.shortUrn(resource.urn));
    // Operations in progress are not always recorded in the state.
    this.pending = isKilled
      ? [...begun, ...program.map(({ type, name, parent }) => urnOf(type, name, parent && `story:Group::${parent}`))]
      : [];
  }
}

function errorsIn(output: string, program: readonly Declaration[]): string[] {
  const diagnostics = output.split(/^Diagnostics:$/m)[1]?.split(/^Resources:$/m)[0] ?? "";
  return diagnostics.split(/\n(?= {2}\S)/).map((text) => {
    const [, type = "", name = ""] = /^\s*(\S+) \((\S+)\):/.exec(text) ?? [];
    const declared = program.find((each) => each.name === name && type.endsWith(each.type));
    const urn = declared && urnOf(declared.type, declared.name, declared.parent && `story:Group::${declared.parent}`);
    return `${urn ?? name}: ${text.replace(/^[^\n]*\n\s*(error: )?/, "")}`;
  });
}

/** The program as a user would write it: the classes set these options. */
const source = (program: readonly Declaration[], realUrn: (urn: string) => string): string =>
  sourceOf(
    program.map(({ secretOutputs: _, deleteBeforeReplace: __, ...declaration }) => declaration),
    ({ type, isComponent }) => (isComponent ? `new pulumi.ComponentResource(${JSON.stringify(type)}, ` : `new ${type.replace(":", ".")}(`),
    realUrn,
  );
