import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { preProcessFile } from "typescript";

const root = join(__dirname, "..");

interface SourceFile {
  file: string;
  /** The imports. Those from this repository are paths from its root, without extension. */
  imports: string[];
}

const imports = (file: string): string[] =>
  preProcessFile(readFileSync(join(root, file), "utf8"), true, true).importedFiles.map(({ fileName: name }) =>
    name.startsWith(".") ? relative(root, join(root, dirname(file), name)) : name,
  );
const sources = (folder: string): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/(^|\/)(dist|node_modules)\//.test(file))
    .map((file) => join(folder, file))
    .map((file) => ({ file, imports: imports(file) }));

const folders = ["provider", "command", "sandbox"] as const;
const [provider = [], command = [], sandbox = []] = folders.map(sources);
const offenders = (files: SourceFile[], wrong: (file: string, name: string) => boolean): string[] =>
  files.flatMap((each) => each.imports.filter((name) => wrong(each.file, name)).map((name) => `${each.file} imports ${name}`));
const isIn = (path: string, ...folders: string[]): boolean => folders.some((folder) => `${path}/`.startsWith(`${folder}/`));

test.each(folders)("%s/ has no circular imports", (folder) => {
  const files = sources(folder);
  const paths = new Map(
    files.map(({ file, imports }) => [file, imports.flatMap((name) => [`${name}.ts`, `${name}.d.ts`, `${name}/index.ts`])] as const),
  );
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (paths.get(from) ?? []).some((next) => next === to || (!seen.has(next) && Boolean(seen.add(next)) && reaches(next, to, seen)));
  expect(files.map(({ file }) => file).filter((file) => reaches(file, file))).toEqual([]);
});

test("no system of the sandbox imports another system", () => {
  const systemOf = (path: string): string | undefined => /^sandbox\/(secrets|platform|scheduler)\//.exec(path)?.[1];
  expect(offenders(sandbox, (file, name) => Boolean(systemOf(file) && systemOf(name)) && systemOf(file) !== systemOf(name))).toEqual([]);
});

const systems = ["secrets", "platform", "scheduler"].map((system) => `provider/${system}`);

/** The parts of the provider. Each imports only parts of earlier lines, and files of its own part. */
const floors = [
  ["text"],
  ["contract"],
  ["connection"],
  ["http"],
  ["lifecycle"],
  ["program"],
  ["secrets", "platform", "scheduler"],
  ["registry"],
  ["engine", "index"],
];

/** The same of the rekey: the shares step commits the new shares of holders. */
const rekeyFloors = [
  ["protocol"],
  ["definition", "inputs"],
  ["attempt"],
  ["submission"],
  ["commit"],
  ["shares"],
  ["classes"],
  ["index", "status"],
];

test.each([
  ["provider", floors],
  ["provider/secrets/rekey", rekeyFloors],
])("no import of %s/ leads to the same or a higher floor", (folder, floors) => {
  const partOf = (path: string): string => relative(folder, path).replace(/[/.].*$/, "");
  const floorOf = (path: string): number => floors.findIndex((parts) => parts.includes(partOf(path)));
  const inFolder = provider.filter(({ file }) => isIn(file, folder));
  expect(inFolder.map(({ file }) => file).filter((file) => floorOf(file) === -1)).toEqual([]);
  const climbs = (file: string, name: string): boolean =>
    isIn(name, folder) && partOf(name) !== partOf(file) && floorOf(name) >= floorOf(file);
  expect(offenders(inFolder, climbs)).toEqual([]);
});

test("no system imports the life cycle: a request carries what a resource may ask", () => {
  expect(offenders(provider, (file, name) => isIn(file, ...systems) && isIn(name, "provider/lifecycle"))).toEqual([]);
});

test("only the login, the rekey and the lookup of a lease call a server without a claim", () => {
  const uses = ({ file }: SourceFile): boolean =>
    /\bcallWithoutClaim\b|\bsend\b[^}]*\} from "[./]*http"|\bas (unknown as )?(Writer|Claim)\b/.test(
      readFileSync(join(root, file), "utf8"),
    );
  const allowed = [
    "secrets/client.ts",
    "secrets/login.ts",
    "secrets/rekey/",
    "secrets/scheduler-token.ts",
    "platform/client.ts",
    "platform/settings/api.ts",
    "scheduler/client.ts",
  ];
  const inSystems = provider.filter(({ file }) => isIn(file, ...systems));
  expect(
    inSystems
      .filter(uses)
      .map(({ file }) => file)
      .filter((file) => !allowed.some((each) => file.startsWith(`provider/${each}`))),
  ).toEqual([]);
});

test("only the lists and the files for components import a system's files", () => {
  const lists = [
    "provider/index.ts",
    "provider/registry/resources.ts",
    "provider/registry/functions.ts",
    "provider/engine/plugin-components.ts",
  ];
  const isForeign = (file: string, name: string): boolean => systems.some((system) => isIn(name, system) && !isIn(file, system));
  expect(offenders(provider, (file, name) => isForeign(file, name) && !lists.includes(file))).toEqual([]);
});

test.each(["secrets", "platform", "scheduler"])("sandbox/%s has the files of every system", (system) => {
  const parts = ["dialect", "http-error", "index", "records", "response", "seed", "service", "wire"];
  const files = sandbox.map(({ file }) => file);
  expect(files).toEqual(expect.arrayContaining(parts.map((part) => `sandbox/${system}/${part}.ts`)));
  expect(files.some((file) => isIn(file, `sandbox/${system}/routes`))).toBe(true);
});

test("only the start of the sandbox imports its page", () => {
  expect(
    offenders(sandbox, (file, name) => isIn(name, "sandbox/page") && file !== "sandbox/index.ts" && !isIn(file, "sandbox/page")),
  ).toEqual([]);
});

test("no file of the contract names a product or a variable of one", () => {
  const names = /vault|nomad|terraform|\btfe\b|openbao|hashicorp|[A-Z]_(ADDR|TOKEN|NAMESPACE)\b/i;
  const contract = provider.map(({ file }) => file).filter((file) => isIn(file, "provider/contract"));
  expect(contract.filter((file) => names.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("only the log, the engine's side and the plugin's entry point print", () => {
  const prints = (text: string): boolean =>
    text.split("\n").some((line) => /\bconsole\.|process\.std/.test(line) && !line.startsWith(" *"));
  const printing = provider.map(({ file }) => file).filter((file) => prints(readFileSync(join(root, file), "utf8")));
  expect(printing.filter((file) => !isIn(file, "provider/text/log.ts", "provider/engine"))).toEqual([]);
  expect(offenders(provider, (file, name) => name === "@pulumi/pulumi/log" && file !== "provider/program/program.ts")).toEqual([]);
});

test("only http/ imports undici", () => {
  const door = ["provider/http/exchange.ts", "provider/http/index.ts", "provider/http/sockets.ts"];
  expect(offenders(provider, (file, name) => name === "undici" && !door.includes(file))).toEqual([]);
  expect(offenders(provider, (file, name) => name === "provider/http/sockets" && !door.includes(file))).toEqual([]);
});

test("the provider and the sandbox never import each other, so they share no mistake, and nothing imports the commands", () => {
  const others =
    (...folders: string[]) =>
    (_: string, name: string) =>
      name !== "pulumi-steward/package.json" && isIn(name, ...folders, "pulumi-steward-sandbox", "pulumi-steward");
  expect(offenders(provider, others("sandbox", "command"))).toEqual([]);
  const itsOwnVersion = "pulumi-steward-sandbox/package.json";
  const wrong = others("provider", "command");
  expect(offenders(sandbox, (file, name) => name !== itsOwnVersion && wrong(file, name))).toEqual([]);
});

test("the commands import the sandbox only by the name of its package", () => {
  expect(offenders(command, (_, name) => isIn(name, "sandbox"))).toEqual([]);
  expect(offenders(command, (file, name) => isIn(name, "pulumi-steward-sandbox") && !file.startsWith("command/sandbox"))).toEqual([]);
});

test.each([
  [".", [provider, command]],
  ["sandbox", [sandbox]],
])("the package in %s imports exactly the dependencies that it declares", (folder, files) => {
  const { name, dependencies, peerDependencies = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const packages = files
    .flat()
    .flatMap((each) => each.imports)
    .filter((each) => !isIn(each, ...folders) && !each.startsWith("node:") && !builtinModules.includes(each))
    .map((each) => each.split("/", each.startsWith("@") ? 2 : 1).join("/"))
    .filter((each) => each !== name);
  // gRPC and Protocol Buffers are loaded from Pulumi's SDK.
  const typesOnly = ["openapi-types", "@grpc/grpc-js", "google-protobuf"];
  // openpgp requires eckey-utils, and does not declare it.
  const declared = Object.keys({ ...dependencies, ...peerDependencies }).filter((each) => each !== "eckey-utils");
  expect([...new Set(packages)].filter((each) => !typesOnly.includes(each)).sort()).toEqual(declared.sort());
});
