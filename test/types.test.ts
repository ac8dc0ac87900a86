import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scheduler } from "../provider";
import { compile, emptyProgram, fullProgram, usersProgram } from "./support/compile";

/** The public names of each file that exports some. */
const publicNames = new Map(
  [
    "provider/index.ts",
    ...["secrets", "platform"].flatMap((system) => [`provider/${system}/index.ts`, `provider/${system}/classes.ts`]),
    "provider/scheduler/index.ts",
  ].map((file) => {
    const index = readFileSync(join(__dirname, "..", file), "utf8");
    const lists = [...index.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
    const own = [...index.matchAll(/^export (?:class|interface|function) (\w+)/gm)].map(([, name = ""]) => name);
    return [file, [...lists, ...own].filter(Boolean)] as const;
  }),
);

/** The type instantiations of a program with every public name, by name. Today they are 21.5. */
const budget = 24;
const advice = `A public name costs more than ${budget} type instantiations on average, which every program pays when it compiles. Compare the average before
and after your change. If one new type is the cause, write its members out instead of computing them with conditional or mapped types. If the cost is
worth it, raise \`budget\` in test/types.test.ts.`;

test("a program with every public name stays within its budget of type instantiations for each, and never loads zod", () => {
  const [empty, full, users] = [compile(emptyProgram), compile(fullProgram()), compile(usersProgram())];
  expect([empty.errors, full.errors, users.errors]).toEqual([[], [], []]);
  expect(empty.instantiations).toBeGreaterThan(0);
  expect(users.instantiations).toBeLessThan(full.instantiations);
  const average = (users.instantiations - empty.instantiations) / [...publicNames.values()].flat().length;
  if (average > budget) throw new Error(`${average.toFixed(1)} instantiations per name. ${advice}`);
  expect(full.declarations.some((file) => file.includes("dist/provider/secrets/"))).toBe(true);
  expect(full.declarations.filter((file) => /node_modules\/(zod|undici|openpgp|lossless-json|openapi-types)\//.test(file))).toEqual([]);
});

test.each([...publicNames])("that program uses every public name of %s", (_, names) => {
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(fullProgram()))).toEqual([]);
});

test("the page of functions names every function of the scheduler", () => {
  const functions = Object.entries(scheduler).flatMap(([name, value]) => (typeof value === "function" ? [`${name}(`] : []));
  expect(functions.length).toBeGreaterThanOrEqual(8);
  const page = readFileSync(join(__dirname, "../docs/guides/functions.md"), "utf8");
  expect(functions.filter((name) => !page.includes(name))).toEqual([]);
});

test("a misspelled attribute does not compile", () => {
  const { errors } = compile('import { secrets } from "pulumi-steward"; new secrets.SchedulerRole("r", { name: "web", polices: [] });');
  expect(errors.join()).toContain("'polices' does not exist");
});

/** The files of packages that a program has loaded in a separate process, since jest keeps modules that other files have loaded. */
function loadedBy(program: string): string[] {
  const script = `${program};console.log(JSON.stringify(Object.keys(require.cache).flatMap((file)=>/node_modules.(.*)/.exec(file)?.[1]??[])))`;
  const { stdout } = spawnSync(process.execPath, ["-e", script], { cwd: join(__dirname, ".."), encoding: "utf8" });
  return JSON.parse(stdout);
}

test.each([
  ["provider/registry/resources", "Pulumi's SDK", /^@(pulumi|grpc)/],
  ["provider/engine/runtime", "Pulumi's SDK", /^@(pulumi|grpc)/],
  // The native plugin loads only its messages.
  ["provider/engine/plugin-server", "Pulumi's SDK except its messages", /^@pulumi.pulumi.(?!proto[\\/])/],
  ["provider/index", "an HTTP client or another dependency of requests", /^(undici|openpgp|hono|commander|lossless-json)/],
])("%s does not load %s", (name, _, unwanted) => {
  const loaded = loadedBy(`require("./dist/${name}")`);
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((file) => unwanted.test(file))).toEqual([]);
});
