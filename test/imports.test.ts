import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { defaultLimits } from "../provider/limits";

const root = join(__dirname, "..");
const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file));
/** The imports of a file; without those of types alone, where these are left out. */
const imports = (file: string, leftOut = /(?!)/g): string[] =>
  [
    ...readFileSync(join(root, file), "utf8")
      .replace(leftOut, "")
      .matchAll(/(?:from|require\(|import\()\s*"([^"]+)"/g),
  ].map(([, name = ""]) => (name.startsWith(".") ? relative(root, join(root, dirname(file), name)) : name));

const systems = ["secrets", "platform", "scheduler"].map((system) => `provider/${system}/`);
const provider = files("provider").map((file) => ({ file, imports: imports(file), loads: imports(file, /^import type .*$/gm) }));
const offenders = (wrong: (file: string, name: string) => boolean): string[] =>
  provider.flatMap((each) => each.imports.filter((name) => wrong(each.file, name)).map((name) => `${each.file} imports ${name}`));

test("the search finds files and imports", () => {
  expect(provider.length).toBeGreaterThan(10);
  expect(provider.flatMap((each) => each.imports)).toContain("undici");
});

test("no system imports another system", () => {
  const systemOf = (path: string): string | undefined => systems.find((system) => `${path}/`.startsWith(system));
  expect(
    offenders((file, name) => systemOf(file) !== undefined && systemOf(name) !== undefined && systemOf(file) !== systemOf(name)),
  ).toEqual([]);
});

test("the provider has no circular imports", () => {
  const paths = new Map(
    provider.map(({ file, imports }) => [file, imports.flatMap((name) => [`${name}.ts`, `${name}/index.ts`])] as [string, string[]]),
  );
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (paths.get(from) ?? []).some((next) => next === to || (!seen.has(next) && Boolean(seen.add(next)) && reaches(next, to, seen)));
  expect(provider.map(({ file }) => file).filter((file) => reaches(file, file))).toEqual([]);
});

test("a definition knows Pulumi by its types alone", () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const name of provider.find((each) => each.file === file)?.loads ?? [])
      for (const next of [`${name}.ts`, `${name}/index.ts`]) visit(next);
  };
  visit("provider/definitions.ts");
  expect(seen.has("provider/secrets/scheduler-role.ts")).toBe(true);
  const wrong = (name: string): boolean => /^@pulumi\/|^provider\/(adapters|resource|program)\b/.test(name);
  expect(
    provider
      .filter(({ file }) => seen.has(file))
      .flatMap(({ file, loads }) => loads.filter(wrong).map((name) => `${file} imports ${name}`)),
  ).toEqual([]);
});

test("the life cycle knows no system and no Pulumi mechanism", () => {
  const isForeign = (name: string): boolean => /^@pulumi\/|^provider\/(adapters|secrets|platform|scheduler)\b/.test(name);
  expect(offenders((file, name) => file.startsWith("provider/lifecycle/") && isForeign(name))).toEqual([]);
});

test("only the entry points of resources and functions import an adapter", () => {
  const beginnings = ["provider/resource.ts", "provider/program.ts"];
  const mayImport = (file: string): boolean => beginnings.includes(file) || file.startsWith("provider/adapters/");
  expect(offenders((file, name) => name.startsWith("provider/adapters") && !mayImport(file))).toEqual([]);
});

test("only the two lists and their adapter import a system's files", () => {
  const lists = ["provider/index.ts", "provider/definitions.ts"];
  expect(
    offenders((file, name) => systems.some((system) => name.startsWith(system) && !file.startsWith(system)) && !lists.includes(file)),
  ).toEqual([]);
});

test("no root file names a product or a variable of one", () => {
  const names = /vault|nomad|terraform|\btfe\b|openbao|hashicorp|[A-Z]_(ADDR|TOKEN|NAMESPACE)\b/i;
  const roots = provider.map(({ file }) => file).filter((file) => dirname(file) === "provider");
  expect(roots.filter((file) => names.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("only the adapters and the program's side print", () => {
  const prints = (text: string): boolean =>
    text.split("\n").some((line) => /\bconsole\.|process\.std/.test(line) && !line.startsWith(" *"));
  const printing = provider.map(({ file }) => file).filter((file) => prints(readFileSync(join(root, file), "utf8")));
  expect(printing.filter((file) => !file.startsWith("provider/adapters/"))).toEqual([]);
  expect(offenders((file, name) => name === "@pulumi/pulumi/log" && file !== "provider/program.ts")).toEqual([]);
});

test("only http.ts and sockets.ts import undici, and the provider never imports the sandbox", () => {
  const door = ["provider/http.ts", "provider/sockets.ts"];
  expect(offenders((file, name) => name === "undici" && !door.includes(file))).toEqual([]);
  expect(offenders((file, name) => name === "provider/sockets" && !door.includes(file))).toEqual([]);
  expect(offenders((_, name) => name.startsWith("sandbox") || name.includes("pulumi-steward/sandbox"))).toEqual([]);
});

test("no test changes an object that the provider exports", () => {
  const changes = files("test").flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const names = [...text.matchAll(/^import \{([^}]+)\} from "[./]+\/provider\b[^"]*"/gm)].flatMap(([, list = ""]) =>
      list.split(/[,\s]+/),
    );
    const isChanged = (name: string): boolean => new RegExp(`Object\\.assign\\(${name}\\b|^\\s*${name}\\.\\w+ = `, "m").test(text);
    return names.filter((name) => name && isChanged(name)).map((name) => `${file} changes ${name}`);
  });
  expect(changes).toEqual([]);
  expect(Object.isFrozen(defaultLimits)).toBe(true);
});

test("nothing imports the commands", () => {
  const wrong = [...files("provider"), ...files("sandbox")].flatMap((file) =>
    imports(file)
      .filter((name) => name.startsWith("command"))
      .map((name) => `${file} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});

test("the sandbox never imports the provider, so they cannot share a mistake", () => {
  const wrong = files("sandbox").flatMap((file) =>
    imports(file)
      .filter((name) => name.startsWith("provider"))
      .map((name) => `${file} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});
