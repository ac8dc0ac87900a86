import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Resource } from "@pulumi/pulumi/resource";
import { parse } from "yaml";
import { platform, secrets } from "../../provider";

export const root = join(__dirname, "../..");

/** Every page for users, by its path from the root. */
export const pages: string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "sandbox/README.md",
  "examples/README.md",
  "examples/company/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((file) => `docs/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".md")),
];

export const readPage = (page: string): string => readFileSync(join(root, page), "utf8");

/** The reference page of a resource, `secrets.SchedulerRole`. */
export const pageOf = (name: string): string =>
  pages.find((page) => page.startsWith("docs/api/") && readPage(page).includes(`\n# ${name}\n`)) ?? "";

export interface Block {
  language: string;
  /** The code without the indentation of a list. */
  text: string;
  before: string;
  /** The anchor of the section with the block, which begins with a heading of the second level. */
  section: string;
}

/** The anchor that GitHub generates for a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** The languages of pictures and output, which a reader does not run. */
export const shown = ["mermaid", "text"];

/** All blocks of a page, in order. */
export function allBlocks(page: string): Block[] {
  const whole = readPage(page);
  const found = [...whole.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)];
  const fences = whole.match(/^[ >]*(```|~~~)/gm)?.length ?? 0;
  if (fences !== 2 * found.length) throw new Error(`${page} has a block that is not recognized.`);
  return found.map(({ index, 1: indentation = "", 2: language = "", 3: text = "" }) => {
    const before = whole.slice(0, index);
    const [, heading = ""] = [...before.matchAll(/^## (.*)$/gm)].at(-1) ?? [];
    return { language, text: text.replace(new RegExp(`^${indentation}`, "gm"), ""), before, section: anchorOf(heading) };
  });
}

/** The blocks of a language in a page. */
export const blocks = (page: string, language: string): string[] =>
  allBlocks(page).flatMap((block) => (block.language === language ? [block.text] : []));

/** Every resource, by its name in a program. */
export const classes: string[] = Object.entries({ secrets, platform }).flatMap(([system, names]) =>
  Object.entries(names)
    .filter(([, value]) => typeof value === "function" && value.prototype instanceof Resource)
    .map(([name]) => `${system}.${name}`),
);

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

export interface Job {
  environment?: string;
  permissions?: Record<string, string>;
  env: Record<string, string>;
  steps: Step[];
}

export interface Workflow {
  permissions: Record<string, string>;
  env?: Record<string, string>;
  jobs: Record<"preview" | "deploy" | "drift", Job>;
}

interface GitlabJob {
  extends?: string;
  environment?: string | object;
  variables?: Record<string, string>;
  before_script: string[];
  script: string[];
}

/** The pipelines of docs/guides/continuous-integration.md: the action, the workflow of GitHub and the jobs of GitLab. */
export function pipelines() {
  const [actionText = "", ...texts] = blocks("docs/guides/continuous-integration.md", "yaml");
  const [github, gitlab] = texts.map((text) => parse(text));
  const action = parse(actionText) as { runs: { steps: Step[] } };
  return {
    actionText,
    action,
    github: github as Workflow,
    gitlab: gitlab as Record<".operations" | ".vault" | keyof Workflow["jobs"], GitlabJob>,
  };
}

/** The commands of Pulumi in the pipeline for GitHub Actions, which must equal those for GitLab CI. */
export function pipelineCommands(): string[] {
  const { github, gitlab } = pipelines();
  const lines = Object.values(github.jobs).map(({ steps }) => steps.at(-1)?.run ?? "");
  expect([gitlab.preview, gitlab.deploy, gitlab.drift].flatMap((job) => job.script)).toEqual(lines);
  return lines;
}

/** The nightly command of a page as arguments of the command line, for the test's stack. */
export function nightly(page: string): string[] {
  const [, options = ""] = /^pulumi refresh --stack prod (.*) --non-interactive$/m.exec(blocks(page, "sh").join("\n")) ?? [];
  return ["refresh", ...options.split(" ")];
}

/** The exit code whose row in docs/guides/drift.md begins with this meaning. */
function exitCode(meaning: string): number {
  const rows = [...readPage("docs/guides/drift.md").matchAll(/^\| (\d+) +\| (.*)$/gm)];
  const [code, ...others] = rows.filter(([, , text = ""]) => text.startsWith(meaning)).map(([, number]) => Number(number));
  if (code === undefined || others.length > 0) throw new Error(`docs/guides/drift.md does not have one row "${meaning}".`);
  return code;
}
export const exitCodes = {
  none: exitCode("no drift"),
  drift: exitCode("**drift**"),
  unasked: exitCode("a server could not be read"),
  noStack: exitCode("the stack does not exist"),
};

/** The policy of a function of the scheduler on its reference page. */
export const schedulerPolicyOf = (page: string, name: string): string => {
  const [, part = ""] = readPage(`docs/api/scheduler/${page}.md`).split(`\n## ${name}()\n`);
  return /```hcl\n([\s\S]*?)```/.exec(part)?.[1] ?? "";
};
