import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AnyDefinition } from "../../provider/contract/definition";
import { filesOf } from "../../tools/new";
import { ResourceCase } from "../cases/case";
import { SettingsCase } from "../cases/settings";
import { temporaryFolder } from "./cleanup";

const root = join(__dirname, "../..");

/** The arguments of `npm run new`. */
const resources = [
  ["secrets/greeting-card"],
  ["secrets/greeting-wall", "sys/greetings/wall/:name"],
  ["secrets/greeting-role", "auth/greetings/role/:name"],
  ["platform/greeting-board"],
  ["platform/secret-board"],
  ["platform/settings/greeting"],
] as const;

/** Makes this resource one that only Vault has. */
const inOneDialect = ([file, text]: [string, string]): [string, string] => {
  const isServed = 'export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";\n';
  return [
    file,
    text
      .replace(/^( +)token: "secrets:GreetingWall",$/m, '$&\n$1dialects: ["hashicorp"],')
      .replace(/^export const below = "sys";$/m, `$&\n${isServed}`),
  ];
};

/** Makes the value of this resource a secret, as its author would. */
const withSecretValue = ([file, text]: [string, string]): [string, string] => {
  if (!file.endsWith("provider/platform/secret-board.ts")) return [file, text];
  const changes: [RegExp, string][] = [
    [/^(import .* from "\.\.\/contract\/operation";)$/m, '$1\nimport { secretOf, WithSecrets } from "../contract/secret";'],
    [/(?<=<)SecretBoard(?:Inputs|State)\b/g, 'WithSecrets<$&, "value">'],
    [/(?<=Definition<.*, )SecretBoardState\b/, 'WithSecrets<$&, "value">'],
    [/asString\(attributes\.value\)/, "secretOf($&)"],
    [/(?<=attributes: \{ )value/, "value: value.value()"],
    [/(?<=value: \{ input: nonEmptyStr, )/, "secret: true, "],
  ];
  return [file, changes.reduce((changed, [part, by]) => changed.replace(part, by), text)];
};

/** The files that `npm run new` writes for a resource, by their absolute paths. */
export const filesFor = (resource: string, path?: string): [file: string, text: string][] =>
  [...filesOf(resource, path)].map(([file, text]) => [join(root, file), text]);

/** Those of a resource of each kind. */
export const newFiles: ReadonlyMap<string, string> = new Map(
  resources
    .flatMap(([resource, path]) => filesFor(resource, path))
    .map(inOneDialect)
    .map(withSecretValue),
);

/** Loads such files, and adds their routes to the sandbox. They are in a separate folder, and import everything else from the repository. */
export function load(files: ReadonlyMap<string, string>) {
  const folder = temporaryFolder();
  const loaded = (part: string): Record<string, unknown>[] =>
    [...files].flatMap(([file, text], index) => {
      if (!file.startsWith(join(root, part))) return [];
      const copy = join(folder, `${index}.ts`);
      writeFileSync(
        copy,
        text.replace(/from "(\..+?)"/g, (_, name) => `from ${JSON.stringify(join(dirname(file), name))}`),
      );
      return [require(copy)];
    });
  const definitions = loaded("provider").flatMap((each) => Object.values(each)) as AnyDefinition[];
  for (const system of ["secrets", "platform"]) {
    const routes = `../../sandbox/${system}/routes`;
    const { routeFiles } = jest.requireActual(routes);
    jest.doMock(routes, () => ({ routeFiles: [...routeFiles, ...loaded(`sandbox/${system}`)] }));
  }
  const cases = loaded("test/cases");
  return {
    definitions,
    cases: cases.flatMap((each) => each.cases as ResourceCase[]),
    settingsCases: cases.flatMap(({ settings }) => (settings as SettingsCase | undefined) ?? []),
  };
}
