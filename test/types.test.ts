import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scheduler } from "../provider";
import { compile, emptyProgram, fullProgram, usersProgram } from "./support/compile";
import { classes } from "./support/pages";

test("a program with every public name costs at most 5,000 type instantiations and never loads zod", () => {
  const [empty, full, users] = [compile(emptyProgram), compile(fullProgram()), compile(usersProgram())];
  expect([empty.errors, full.errors, users.errors]).toEqual([[], [], []]);
  expect(empty.instantiations).toBeGreaterThan(0);
  expect(users.instantiations).toBeLessThan(full.instantiations);
  expect(users.instantiations - empty.instantiations).toBeLessThanOrEqual(5000);
  expect(full.declarations.some((file) => file.includes("dist/provider/secrets/"))).toBe(true);
  expect(full.declarations.filter((file) => /node_modules\/(zod|undici|openpgp|lossless-json|openapi-types)\//.test(file))).toEqual([]);
});

test.each([
  "provider/index.ts",
  ...["secrets", "platform"].flatMap((system) => [`provider/${system}/index.ts`, `provider/${system}/classes.ts`]),
  "provider/scheduler/index.ts",
])("that program uses every public name of %s", (file) => {
  const index = readFileSync(join(__dirname, "..", file), "utf8");
  const lists = [...index.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
  const own = [...index.matchAll(/^export (?:class|interface|function) (\w+)/gm)].map(([, name = ""]) => name);
  const names = [...lists, ...own].filter(Boolean);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(fullProgram()))).toEqual([]);
});

test("docs/README.md names every resource, and the page of functions every function of the scheduler", () => {
  const index = readFileSync(join(__dirname, "../docs/README.md"), "utf8");
  expect(classes.length).toBeGreaterThanOrEqual(17);
  const rows = classes.map((name) => `| [\`${name}\`](api/`);
  expect(rows.filter((row) => !index.includes(row))).toEqual([]);
  const functions = Object.entries(scheduler).flatMap(([name, value]) => (typeof value === "function" ? [`${name}(`] : []));
  expect(functions.length).toBeGreaterThanOrEqual(8);
  const page = readFileSync(join(__dirname, "../docs/guides/functions.md"), "utf8");
  expect(functions.filter((name) => !page.includes(name))).toEqual([]);
});

test("a misspelled attribute does not compile", () => {
  const { errors } = compile('import { secrets } from "pulumi-steward"; new secrets.SchedulerRole("r", { name: "web", polices: [] });');
  expect(errors.join()).toContain("'polices' does not exist");
});

// Runs in a separate process, since jest keeps modules that other files have loaded.
test.each(["definitions", "engine/runtime"])("provider/%s does not load Pulumi's SDK", (name) => {
  const script = `require("./dist/provider/${name}");console.log(Object.keys(require.cache).filter((file)=>/node_modules.@(pulumi|grpc)/.test(file)).length, Object.keys(require.cache).length > 100)`;
  const { stdout } = spawnSync(process.execPath, ["-e", script], { cwd: join(__dirname, ".."), encoding: "utf8" });
  expect(stdout.trim()).toBe("0 true");
});

test("the native plugin loads only the messages of Pulumi's SDK", () => {
  const script = `require("./dist/provider/engine/plugin-server");console.log(JSON.stringify(Object.keys(require.cache).flatMap((file)=>/@pulumi.pulumi.(.*)/.exec(file)?.[1]??[])))`;
  const { stdout } = spawnSync(process.execPath, ["-e", script], { cwd: join(__dirname, ".."), encoding: "utf8" });
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((file) => !/^proto[\\/]/.test(file))).toEqual([]);
});

test("importing the package loads no HTTP client and no other dependency of requests", () => {
  const script =
    'require("pulumi-steward");console.log(Object.keys(require.cache).filter((file)=>/node_modules.(undici|openpgp|hono|commander|lossless-json)/.test(file)).length)';
  expect(spawnSync(process.execPath, ["-e", script], { cwd: join(__dirname, ".."), encoding: "utf8" }).stdout.trim()).toBe("0");
});
