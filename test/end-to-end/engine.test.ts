import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Declaration, dependenciesOf, Options, Program, Reference, Secret } from "../support/deployment";
import { InProcessProject } from "../support/in-process-project";
import { Project } from "../support/project";
import { Call, kept, keptByStandIn, Recording, realUrn, recordingVariable, source, thing, World } from "./recording";

// One stack goes through every operation, with the real engine and with the stand-in.

interface Chapter {
  title: string;
  operation: "up" | "preview" | "refresh" | "destroy";
  program?: Program;
  options?: Options;
  world?: World;
  fails?: boolean;
}

const of = (resource: string, output: string): Reference => new Reference(resource, output);
const declare = (name: string, inputs: object = {}, more: Partial<Declaration> = {}): Declaration => ({
  name,
  type: thing,
  inputs: { name, value: 1, ...inputs },
  ...more,
});
const group = (name: string, more: Partial<Declaration> = {}): Declaration => ({
  name,
  type: "recording:Group",
  isComponent: true,
  inputs: {},
  ...more,
});

/** Runs a failing resource last, so that the steps before it are always the same. */
const after = (...dependsOn: string[]): Partial<Declaration> => ({ dependsOn });
const secrets = declare(
  "d",
  { value: new Secret("canary"), nested: { open: 1, shut: new Secret("canary") }, list: [new Secret("canary"), 2] },
  { secretOutputs: ["hidden"] },
);
const base = (last: object, ...more: Declaration[]): Program => [
  declare("a"),
  declare("b", { value: of("a", "computed"), echo: of("a", "value") }),
  group("g"),
  declare("inner", {}, { parent: "g" }),
  { ...secrets, inputs: { ...secrets.inputs, ...last }, ...after("b", "inner") },
  ...more,
];
const component = (value: string, fails?: string): Program => [
  group("g", { outputs: { value: of("inner", "computed"), secret: new Secret(value), hidden: of("inner", "hidden"), fixed: 1 } }),
  declare("inner", { value, fails }, { parent: "g", secretOutputs: ["hidden"] }),
];
const replaceable = (a: object, trigger = "two"): Program => [
  secrets,
  declare("a", a, { ...after("d"), replaceOnChanges: ["value"] }),
  declare("b", { first: of("a", "computed") }),
  declare("c", { value: of("a", "computed") }),
  declare("n", { first: of("b", "computed") }),
  declare("triggered", {}, { replacementTrigger: trigger }),
  declare("after triggered", { first: of("triggered", "computed") }, { replacementTrigger: { at: [trigger] }, deleteBeforeReplace: true }),
  declare("o", {}, after("a")),
];
const settled = { value: 2, key: "k", first: "g" };
const moved = (w: object, ...more: Declaration[]): Program => [
  group("h", { aliases: ["recording:Group::g"] }),
  declare("renamed", { name: "a", ...settled }, { aliases: [`${thing}::a`] }),
  declare("w", { value: of("renamed", "computed"), ...w }, { parent: "h" }),
  declare("p", { value: 2 }, after("w")),
  ...more,
];
const inner = declare("inner", {}, { parent: "h" });
const failing = (fails: string | undefined, ...more: Declaration[]): Program => [
  declare("free"),
  declare("f", { fails }, after("free")),
  declare("computed", { value: of("f", "computed") }),
  declare("echo", { value: of("f", "value") }),
  declare("last", {}, after("echo")),
  ...more,
];

const up = (title: string, program?: Program, more: Partial<Chapter> = {}): Chapter => ({ title, operation: "up", program, ...more });
const fails = true;
const inGroup = (name: string): string => `recording:Group$${thing}::${name}`;

const chapters: Chapter[] = [
  up("a component with outputs", component("one")),
  up("a component whose outputs change", component("two")),
  up("a component with unknown outputs after a failure", component("three", "update"), { fails }),
  { title: "destroy removes everything", operation: "destroy" },
  { title: "preview of creations with unknown values", operation: "preview", program: base({}) },
  up("creations, one of which fails partway", base({}, declare("e", { fails: "create partly" }, after("d"))), { fails }),
  up("update of a partially created resource", base({}, declare("e", {}, after("d")))),
  { title: "preview of an update with dependents", operation: "preview", program: [declare("a", { value: 2 }), ...base({}).slice(1)] },
  up(
    "an update that removes secrets and fails partway",
    base({ value: "plain", nested: undefined, list: ["open"], fails: "update partly" }),
    { fails },
  ),
  up("an update and deletions", replaceable({ value: 2 }, "one")),
  {
    title: "preview of replacements by a changed input and by a trigger",
    operation: "preview",
    program: replaceable({ value: 2, key: "k" }),
  },
  up("a create-before-delete replacement and replacements by a trigger", replaceable({ value: 2, key: "k" })),
  up("a delete-before-replace replacement with its dependents", replaceable({ value: 2, key: "k", first: "f" })),
  up("a replacement whose creation fails after its deletion", replaceable({ ...settled, fails: "create" }), { fails }),
  up("the next run completes the replacement", replaceable(settled)),
  up(
    "replacements with --replace, and a deletion that fails",
    replaceable(settled).map((each) => (each.name === "n" ? { ...each, deleteBeforeReplace: true } : each)),
    { options: { replace: [`${thing}::n`, `${thing}::d`] }, world: { d: "undeletable" }, fails },
  ),
  {
    title: "refresh of changed and deleted resources",
    operation: "refresh",
    world: { a: { value: 9 }, c: "gone", d: { value: "changed" } },
  },
  up("up --refresh", replaceable(settled), { options: { refresh: true }, world: { n: "gone" } }),
  up("resources renamed and moved, with and without aliases", moved({}, inner)),
  up("up of targets only", moved({ value: 5 }, declare("q"), declare("r", { value: 3 })), {
    options: { targets: [...["w", "inner"].map(inGroup), `${thing}::r`] },
  }),
  up("a target without its dependents", moved({ value: 6 }).slice(0, 3), { options: { targets: [inGroup("w")] }, fails }),
  up(
    "a target that needs an unknown output of a resource outside the targets",
    moved({}, declare("s"), declare("t", { value: of("s", "computed") })),
    { options: { targets: [`${thing}::t`] } },
  ),
  up("a target that depends on a new resource outside the targets", moved({}, declare("s"), declare("u", { value: of("s", "value") })), {
    options: { targets: [`${thing}::u`] },
    fails,
  }),
  up("a failure stops the run", failing("create"), { fails }),
  up(
    "under --continue-on-error a failure stops only its dependents",
    failing("create", declare("read", {}, { get: "some/id" }), declare("half", { fails: "create partly" }, { replaceOnChanges: ["*"] })),
    { options: { continueOnError: true }, fails },
  ),
  up("the next run creates the rest", failing(undefined, declare("read", { key: "k" }), declare("half", {}, { replaceOnChanges: ["*"] }))),
  up("an input that check rejects", failing("check"), { fails }),
  up(
    "a failed update with its dependents, and a deletion of its dependency",
    failing("update")
      .slice(1)
      .map((each) => (each.name === "f" ? { ...each, dependsOn: [] } : each)),
    { options: { continueOnError: true }, fails },
  ),
  { title: "destroy of a target that other resources depend on", operation: "destroy", options: { targets: [`${thing}::f`] }, fails },
  {
    title: "destroy with a deletion that fails",
    operation: "destroy",
    options: { continueOnError: true },
    world: { echo: "undeletable" },
    fails,
  },
];

describe("the stand-in behaves like Pulumi's engine", () => {
  let project: Project;
  let recording: Recording;
  let inProcess: InProcessProject;
  beforeAll(() => {
    project = new Project();
    recording = new Recording(join(project.folder, "recording"));
    project.with({ [recordingVariable]: recording.file });
    inProcess = new InProcessProject({}, () => () => recording.provider());
  });

  const flags = ({ operation, options = {} }: Chapter): string[] => [
    operation,
    "--diff",
    ...(operation === "preview" ? [] : ["--yes", "--skip-preview"]),
    ...["--parallel", "1"],
    ...(options.targets ?? []).flatMap((urn) => ["--target", realUrn(urn)]),
    ...(options.replace ?? []).flatMap((urn) => ["--replace", realUrn(urn)]),
    ...(options.refresh ? ["--refresh"] : []),
    ...(options.continueOnError ? ["--continue-on-error"] : []),
  ];
  const state = (): Record<string, unknown>[] => JSON.parse(readFileSync(project.stateFile, "utf8")).checkpoint.latest?.resources ?? [];

  // The tests share one stack: each starts from the state that the previous one left.
  test.each(chapters)("$title", async (chapter) => {
    for (const each of [project, inProcess]) if (chapter.program) each.program(source(chapter.program));
    recording.begin(chapter.world);
    const run = await project.pulumi(...flags(chapter));
    const [calls, resources] = [recording.calls(), kept(state())];
    expect({ output: run.output, succeeded: run.code === 0 }).toMatchObject({ succeeded: !chapter.fails });
    const byUrn = (list: Record<string, unknown>[]): unknown[] =>
      [...list].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

    recording.begin(chapter.world);
    const ran = await inProcess.pulumi(...flags(chapter));
    expect({ output: ran.output, succeeded: ran.code === 0 }).toMatchObject({ succeeded: !chapter.fails });
    expect(ordered(recording.calls(), chapter.program)).toEqual(ordered(calls, chapter.program));
    expect(byUrn(keptByStandIn(inProcess.checkpoint()))).toEqual(byUrn(resources));
    expect(run.changes).toEqual(expect.arrayContaining(ran.changes));
    // A step that did not start has no heading.
    if (!chapter.fails) for (const heading of ran.output.match(/^[+~-] \S+: \(.*\)$/gm) ?? []) expect(run.output).toContain(heading);
    const values = run.changes.filter((line) => line.startsWith("~ ") && !/^~ (computed|hidden):/.test(line));
    expect(ran.changes.filter((line) => line.startsWith("~ ")).sort()).toEqual(values.sort());
  });
});

const nameOf = ({ args }: Call): string => String((args.at(-1) as { name?: string }).name ?? args[0]);

/** The calls for each resource, and for each pair of dependent resources, in order. All other calls may come in any order. */
function ordered(calls: Call[], program: Program = []): Record<string, Call[]> {
  const called = (name: string): string => String(program.find((declaration) => declaration.name === name)?.inputs.name);
  const pairs = program.flatMap((declaration) => dependenciesOf(declaration).map((name) => [called(name), called(declaration.name)]));
  const left = [...new Set(calls.map(nameOf))].filter((name) => !program.some(({ inputs }) => inputs.name === name));
  // Removed resources are deleted after all declared ones.
  pairs.push(...left.flatMap((name) => program.map(({ inputs }) => [name, String(inputs.name)])));
  const sets = [...[...new Set(calls.map(nameOf))].map((name) => [name]), ...pairs].map((names) => [...new Set(names)].sort());
  return Object.fromEntries(sets.map((names) => [names.join(), calls.filter((call) => names.includes(nameOf(call)))]));
}
