import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Resource } from "@pulumi/pulumi/resource";
import { parse } from "yaml";
import { platform, secrets } from "../../provider";

export const root = join(__dirname, "../..");

/** Every page that a user reads, by its path from the root. */
export const pages: string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((file) => `docs/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".md")),
];

export const readPage = (page: string): string => readFileSync(join(root, page), "utf8");

/** The blocks of a language in a page, without the indentation of the list that they may stand in. */
export function blocks(page: string, language: string): string[] {
  const found = readPage(page).matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm);
  return [...found].flatMap(([, indentation = "", name, text = ""]) =>
    name === language ? [text.replace(new RegExp(`^${indentation}`, "gm"), "")] : [],
  );
}

/** Every resource, as a program names it. */
export const classes: string[] = Object.entries({ secrets, platform }).flatMap(([system, names]) =>
  Object.entries(names)
    .filter(([, value]) => typeof value === "function" && value.prototype instanceof Resource)
    .map(([name]) => `${system}.${name}`),
);

/** The last line of a page's pipeline, as arguments of the command line; the test's stack is another one. */
export function nightly(page: string): string[] {
  const [github = "", gitlab = ""] = blocks(page, "yaml");
  const { jobs } = parse(github) as { jobs: Record<string, { steps: { run?: string }[] }> };
  const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const { script } = Object.values(parse(gitlab) as Record<string, { script: string[] }>)[0] as { script: string[] };
  expect(script).toEqual(lines);
  const [, args = ""] = /^pulumi (.*) --non-interactive$/.exec(lines.at(-1) ?? "") ?? [];
  return args.replace("--stack prod ", "").split(" ");
}

const codes = [...readPage("docs/how-to-find-drift.md").matchAll(/^\| (\d+) +\|/gm)].map(([, number]) => Number(number));
const [none = -1, drift = -1, unasked = -1, noStack = -1] = codes;
/** What docs/how-to-find-drift.md says of exit codes. */
export const exitCodes = { none, drift, unasked, noStack };
