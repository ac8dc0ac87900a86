import { Command } from "commander";
import { StewardError } from "../../provider/contract/errors";
import { noEngine } from "../../provider/contract/operation";
import { module, mount } from "../discover";
import { connectionsOf, SearchOptions } from "../discover/search";
import { readConfiguration } from "../discover/stack";
import { print, Terminal } from "../terminal";
import { expected } from "./expected";
import { observer, readServer } from "./read";
import { Comparison } from "./shape";

interface ShapesOptions extends Pick<SearchOptions, "connection" | "mount" | "module"> {
  stack?: string;
}

/** Adds `pulumi-steward shapes`, for the owner of an installation on which nobody has tested the package. */
export function addShapes(program: Command, terminal: Terminal): void {
  program
    .command("shapes")
    .description(
      "Compare the responses of the servers with what the package reads. Sends only GET requests, after the login of the connection, and prints no value.",
    )
    .option("--stack <stack>", "the stack whose configuration contains the servers", undefined)
    .option("--connection <name>", "the connection of the configuration, steward:<name>", "default")
    .option("--mount <path>", "a mount of the Nomad secrets engine to read besides those that Vault lists; repeatable", mount, [])
    .option("--module <module>", "a module to read, as <organization>/<name>/<provider>; repeatable", module, [])
    .addHelpText(
      "after",
      `
Prints each request with its status, and the attributes of the responses with their types:
  missing   the package reads it, and the server does not send it
  changed   it has another type
  unknown   the package does not read it, which is no problem

The output has no address, name, id, token or value, so you can attach it to an issue. The servers are those of pulumi-steward discover.

Exit code: 0 everything that the package reads is there, 1 something is missing, changed or cannot be read, 2 usage error.`,
    )
    .action((options: ShapesOptions) => shapes(terminal, options).catch(withoutNames));
}

/** An error without its message, which may contain addresses and names. */
function withoutNames(error: unknown): never {
  const { code, details } = error as StewardError;
  // "EPIPE": the reader closed the pipe.
  if (code === "ERR_NO_CONNECTION" || String(code) === "EPIPE" || details?.rule === "shapes") throw error;
  const reason = `the servers cannot be read (${code ?? (error as Error).name})`;
  throw new StewardError({ code: code ?? "ERR_INVALID_INPUT", reason, hint: "`pulumi-steward discover` prints the whole message." });
}

/** The template of a path: the one with the fewest placeholders that matches. */
function templateOf(templates: readonly string[], path: string): string {
  const placeholders = (template: string): number => template.split("<").length;
  const matches = (template: string): boolean =>
    new RegExp(`^${template.replace(/<(\w+)>/g, (_, name) => (name === "mount" ? ".+" : "[^/]+"))}$`).test(path);
  return templates.filter(matches).sort((a, b) => placeholders(a) - placeholders(b))[0] ?? "<another path>";
}

async function shapes(terminal: Terminal, options: ShapesOptions): Promise<void> {
  const config = await readConfiguration(terminal, options.stack);
  const silent = { info: () => {}, warn: () => {} };
  const answers = new Map<string, Comparison & { statuses: Set<number> }>();
  const observe = observer(({ server: { system, dialect } }, path, status, body) => {
    const known = expected[dialect] ?? {};
    const template = templateOf(Object.keys(known), path);
    const key = `${system} (${dialect}) GET ${template}`;
    const answer = answers.get(key) ?? Object.assign(new Comparison(known[template] ?? {}), { statuses: new Set<number>() });
    answers.set(key, answer);
    answer.statuses.add(status);
    answer.add(body);
    return body;
  });
  const sources = { config, environment: terminal.environment, cache: new Map(), engine: noEngine, log: silent, observe };
  const failed: string[] = [];
  for (const operation of connectionsOf(sources, options.connection)) failed.push(...(await readServer(operation, options)));
  for (const [key, answer] of [...answers].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const line of [`${key}: ${[...answer.statuses].sort().join(", ")}`, ...answer.lines()]) await print(terminal, line);
  for (const each of [...new Set(failed)].sort()) await print(terminal, `cannot be read: ${each}`);
  const verdicts = [...answers.values()].flatMap((answer) => [...answer.seen.keys()].map((path) => answer.verdict(path)));
  const [missing = 0, changed = 0, unknown = 0] = ["missing", "changed", "unknown"].map(
    (each) => verdicts.filter((verdict) => verdict === each).length,
  );
  await print(terminal, `${verdicts.length} attributes: ${missing} missing, ${changed} changed, ${unknown} unknown`);
  if (missing + changed + failed.length > 0)
    throw new StewardError({ code: "ERR_UNEXPECTED_RESPONSE", rule: "shapes", reason: "not everything that the package reads is there" });
}
