import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { sourceFiles } from "../tools/command";
import { compileAll } from "./support/compile";
import {
  allBlocks,
  anchorOf,
  blocks,
  classes,
  Job,
  pageOf,
  pages,
  pipelineCommands,
  pipelines,
  readPage,
  root,
  shown,
} from "./support/pages";

/** The declarations that a block may use: common imports, those of earlier blocks, and the reader's own. */
const granted = `
import * as childProcess from "node:child_process";
import * as fileSystem from "node:fs";
import * as Pulumi from "@pulumi/pulumi";
import * as steward from "pulumi-steward";
import * as sandboxes from "pulumi-steward-sandbox";
declare global {
  export import pulumi = Pulumi;
  export import fs = fileSystem;
  export import platform = steward.platform;
  export import Provider = steward.Provider;
  export import scheduler = steward.scheduler;
  export import secrets = steward.secrets;
  const config: Pulumi.Config;
  const spawn: typeof childProcess.spawn;
  const start: typeof sandboxes.start;
  const access: steward.secrets.SchedulerAccess;
  const web: steward.secrets.SchedulerRole;
  const certificate: string;
  const job: object;
}
`;

test("every program in the documentation compiles", () => {
  const snippets = pages.flatMap((page) =>
    [...blocks(page, "ts"), ...blocks(page, "typescript")].map(
      (text, index) => [`${page.replace(/[/.]/g, "-")}-${index + 1}.mts`, `${text}\nexport {};\n`] as const,
    ),
  );
  expect(snippets.length).toBeGreaterThan(40);
  const { errors } = compileAll({ "granted.d.ts": granted, ...Object.fromEntries(snippets) }, "jest");
  expect(errors).toEqual([]);
});

test("both pipelines run the same commands on a runner, install the program, and the tutorials run the command of the night", () => {
  const { action, github, gitlab } = pipelines();
  const [preview = "", deploy = "", drift = ""] = pipelineCommands();
  expect([preview, deploy].map((command) => command.split(" ").slice(0, 4).join(" "))).toEqual([
    "pulumi preview --stack prod",
    "pulumi up --stack prod",
  ]);
  for (const page of ["vault", "terraform-enterprise"]) expect(blocks(`docs/getting-started/${page}.md`, "sh")).toContain(`${drift}\n`);
  expect(Object.values(github.jobs)).toEqual(Array(3).fill(expect.objectContaining({ "runs-on": "ubuntu-latest" })));
  expect(action.runs.steps.map(({ run }) => run)).toContain("npm ci");
  // A tag that moves would run with the identity for Vault. examples/company has the same pipeline.
  const steps = [action.runs.steps, ...Object.values(github.jobs).map((job) => job.steps)].flat();
  const actions = steps.flatMap(({ uses = "./" }) => (uses.startsWith("./") ? [] : [uses]));
  expect(actions).toHaveLength(5);
  expect(actions.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  expect(gitlab[".operations"].before_script).toContain("npm ci");
  expect(gitlab[".vault"]).toMatchObject({ extends: ".operations" });
});

test("a preview gets only credentials that read and none of Vault, and the other jobs get theirs from the environment `prod`", () => {
  const { github, gitlab } = pipelines();
  const { preview, deploy, drift } = github.jobs;
  const secret = (name: string): string => `\${{ secrets.${name} }}`;
  expect(preview.env).toEqual({ PULUMI_ACCESS_TOKEN: secret("PULUMI_READ_TOKEN") });
  expect(preview).toMatchObject({ if: "github.event.pull_request.head.repo.full_name == github.repository" });
  expect(preview.environment).toBeUndefined();
  const role = ({ steps }: Job): unknown => steps.find((step) => step.with)?.with?.["vault-role"];
  expect([preview, deploy, drift].map(role)).toEqual([undefined, "steward", "steward-read"]);
  // Only these jobs can request the identity that Vault accepts.
  const identity = { contents: "read", "id-token": "write" };
  expect([github.permissions, preview.permissions, deploy.permissions, drift.permissions]).toEqual([
    { contents: "read" },
    undefined,
    identity,
    identity,
  ]);
  expect([gitlab.preview, gitlab.deploy, gitlab.drift].map((job) => job.extends)).toEqual([".operations", ".vault", ".vault"]);
  expect(gitlab[".operations"]).not.toHaveProperty("id_tokens");
  expect([deploy, drift].map((job) => job.environment)).toEqual(["prod", "prod"]);

  expect(gitlab.preview.variables).toEqual({ PULUMI_ACCESS_TOKEN: "$PULUMI_READ_TOKEN" });
  expect([gitlab.preview, gitlab.deploy, gitlab.drift].map((job) => job.environment)).toEqual([
    undefined,
    "prod",
    { name: "prod", action: "verify" },
  ]);
  // The only lines that the page adds to a job, which a preview never gets.
  const text = readPage("docs/guides/continuous-integration.md");
  for (const name of ["TFE_TOKEN", "SMTP_PASSWORD"]) expect(text).toContain(`\`${name}: ${secret(name)}\``);
});

test("the pipelines install the Pulumi CLI with which the tests run", () => {
  const [, version] = /^const version = "(.+)"/m.exec(readFileSync(join(root, "tools/pulumi.js"), "utf8")) ?? [];
  const { action, gitlab } = pipelines();
  expect(action.runs.steps.flatMap((step) => step.with?.["pulumi-version"] ?? [])).toEqual([version]);
  expect(gitlab[".operations"]).toMatchObject({ image: { name: `pulumi/pulumi-nodejs:${version}` } });
});

test.each(classes)("%s has a page with a minimal and a real example, its import, its requests and its permissions", (name) => {
  const page = pageOf(name);
  const text = readPage(page);
  const [minimal = "", real = ""] = blocks(page, "ts").filter((block) => block.includes(`new ${name}(`));
  expect(minimal).not.toBe("");
  expect(real.length).toBeGreaterThan(minimal.length);
  for (const row of [/^\| API \| \[.+\]\(https:/m, /^\| Cannot be read back \| .+\. \|$/m]) expect(text).toMatch(row);
  expect(text).toContain("## Inputs\n\n| Name |");
  expect([...text.matchAll(/^## (?:Examples|Inputs|Outputs|Import|Requests|Permissions)$/gm)].map(String)).toEqual(
    ["Examples", "Inputs", "Outputs", "Import", "Requests", "Permissions"].map((heading) => `## ${heading}`),
  );
  expect(text).toMatch(/^(\| Create \||- ).*`(GET|POST|PUT) \/(v1|api)\//m);
  // Each input and output has a description.
  expect(text.match(/^\| `\w+` .*\| {2}\|$/gm)).toBeNull();
  // TODOs of a template.
  expect(text).not.toContain("TODO");
});

/** A row of a table of fields: its name, and its example. */
const exampleOfField = /^\| `(\w+)\??` \|.*<br>Example: (`{1,2}) ?(.+?) ?\2 \|$/gm;

test("the example of each field compiles as its value", () => {
  const programs = pages
    .filter((page) => page.startsWith("docs/api/"))
    .flatMap((page) => {
      const [, title = ""] = /^# (.+)$/m.exec(readPage(page)) ?? [];
      const system = /^docs\/api\/(secrets|platform|scheduler)\//.exec(page)?.[1];
      return readPage(page)
        .split(/^## /m)
        .flatMap((section) => {
          const [heading = ""] = section.split("\n", 1);
          const type = heading === "Inputs" ? `${title}Args` : system ? `${system}.${heading}` : `steward.${heading}`;
          return [...section.matchAll(exampleOfField)].map(
            ([, field, , value = ""]) => `export const ${field}: ${type}["${field}"] = ${value.replaceAll("\\|", "|")};`,
          );
        });
    });
  expect(programs.length).toBeGreaterThan(40);
  const files = Object.fromEntries(programs.map((program, index) => [`example-${index}.mts`, `${program}\n`]));
  expect(compileAll({ "granted.d.ts": granted, ...files }, "jest").errors).toEqual([]);
});

/** The paths of a policy, sorted. */
const pathsIn = (policies: string): string[] => policies.match(/^path [\s\S]+?^}$/gm)?.sort() ?? [];

test("the policy in docs/getting-started/vault.md permits what the pages of the resources say", () => {
  const [all = ""] = blocks("docs/getting-started/vault.md", "hcl");
  // The page adopts an engine, and links to the policy for a new one.
  const resources = classes.filter((name) => name.startsWith("secrets.Scheduler") && name !== "secrets.SchedulerEngine");
  const policies = resources.flatMap((name) => blocks(pageOf(name), "hcl").flatMap(pathsIn));
  expect(resources.length).toBeGreaterThanOrEqual(5);
  const narrowed = policies.map((text) => text.replace("nomad/creds/deploy", "nomad/creds/web"));
  expect(pathsIn(all)).toEqual([...new Set(narrowed)].sort());
});

/** The anchors that GitHub generates for headings. */
function anchors(page: string): string[] {
  const text = readPage(page).replace(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** The pages of this repository on GitHub, to which published pages link for files that the package leaves out. */
const onGitHub = /^https:\/\/github\.com\/pulumi-steward\/pulumi-steward\/(blob|raw)\/main\//;

/** The links of a page to this repository: the path from its root, the anchor, and whether the link is relative. */
const linksOf = (page: string): { target: string; anchor: string; relative: boolean }[] => {
  const text = readPage(page).replace(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)|^\[.+\]: (\S+)$/gm)].flatMap(([, inline, reference]) => {
    const link = inline ?? reference ?? "";
    const relative = !/^(https?|mailto):/.test(link);
    if (!relative && !onGitHub.test(link)) return [];
    const [file = "", anchor = ""] = link.split("#");
    const inRepository = relative ? posix.join(dirname(page), file) : file.replace(onGitHub, "");
    return [{ target: file ? posix.normalize(inRepository) : page, anchor, relative }];
  });
};

test.each(pages)("every link of %s has a target", (page) => {
  const broken = linksOf(page).filter(({ target, anchor }) => {
    if (!existsSync(join(root, target))) return true;
    return Boolean(anchor) && (!target.endsWith(".md") || !anchors(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});

/** The packages, by the folder of each in this repository. */
test.each(["", "sandbox"])("every relative link in the published package of /%s resolves inside it", (folder) => {
  const { files } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { files: string[] };
  const has = (name: string, entry: string): boolean => name === entry || name.startsWith(`${entry}/`);
  // npm publishes these three without being told.
  const isPublished = (path: string): boolean => {
    const name = posix.relative(folder, path);
    const [excluded, included] = [files.filter((file) => file.startsWith("!")), files.filter((file) => !file.startsWith("!"))];
    return (
      ["README.md", "LICENSE", "package.json", ...included].some((entry) => has(name, entry)) &&
      !excluded.some((entry) => has(name, entry.slice(1)))
    );
  };
  const published = pages.filter(isPublished);
  expect(published).toContain(posix.join(folder, "README.md"));
  const lost = published.flatMap((page) =>
    linksOf(page).flatMap(({ target, relative }) => (relative && !isPublished(target) ? [{ page, target }] : [])),
  );
  expect(lost).toEqual([]);
});

test("the README has at most 150 lines of at most 100 columns, except for its tables and links", () => {
  const lines = readPage("README.md").trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.filter((line) => line.length > 100 && !/^\||^\[\w+\]: /.test(line))).toEqual([]);
});

test("docs/reference/compatibility.md has the versions with which the tests run", () => {
  const source = (file: string): string => readFileSync(join(root, file), "utf8");
  const found = (file: string, pattern: RegExp): string => pattern.exec(source(file))?.[1] ?? "missing";
  const { engines, peerDependencies, devDependencies } = JSON.parse(source("package.json"));
  const number = (range: string): string => range.replace(/^\D+/, "");
  const sdks = [peerDependencies["@pulumi/pulumi"], devDependencies["@pulumi/pulumi"]].map(number);
  const newest = found("test/installations.test.ts", /newest = "(.+)"/);
  const cli = found(".github/workflows/nightly.yml", /pulumi-version: (\S+)/);
  const rows = [
    `| Vault ${found("tools/go/vault/go.mod", /hashicorp\/vault v(\S+)/)} `,
    `| ${number(engines.node)} `,
    `| ${[...sdks, newest].join(", ")} `,
    `| ${found("tools/pulumi.js", /^const version = "(.+)"/m)}, ${cli}, each also with the newer SDK ${newest} `,
  ];
  expect(rows.filter((row) => !readPage("docs/reference/compatibility.md").includes(row))).toEqual([]);
});

test("no page installs the packages from npm, where the names are free, and each links to the tarballs", () => {
  const install = /\bnpm (?:install|i|exec)\b[^\n`]*\bpulumi-steward.*/g;
  const installs = pages.flatMap((page) => [...readPage(page).matchAll(install)].map(([command]) => ({ page, command })));
  expect(installs.length).toBeGreaterThanOrEqual(12);
  const tarball = /(?:\.\.\/pulumi-steward|vendor)\/pulumi-steward-(?:sandbox-)?0\.1\.0\.tgz/g;
  expect(installs.filter(({ command }) => /(?<![\w./-])pulumi-steward/.test(command.replace(tarball, "")))).toEqual([]);
  const links = (page: string): boolean =>
    linksOf(page).some(({ target, anchor }) => target === "README.md" && anchor === "install-and-use");
  expect(installs.filter(({ page }) => page !== "README.md" && !links(page))).toEqual([]);
});

// npx without --no installs a missing package from npm, and without a terminal it does not ask. The changelog describes commands, and runs none.
test("every npx of a package of this project has --no, and no message installs one by name", () => {
  const sources = sourceFiles("*.md", "*.ts", "*.js", "*.mjs", "*.yml", "*.yaml", "*.json").filter((file) => file !== "CHANGELOG.md");
  const commands = sources.flatMap((file) => readPage(file).match(/\bnpx\b[^\n`"]*\bpulumi-steward.*/g) ?? []);
  expect(commands.length).toBeGreaterThanOrEqual(20);
  const code = sources
    .filter((file) => /^(provider|command|sandbox)\/.*\.ts$/.test(file))
    .map(readPage)
    .join("\n");
  expect(code.match(/\bnpm (?:install|i|exec)\b.*\bpulumi-steward.*/g)).toBeNull();
  // npx takes an option that follows the name directly for its own, except after `--`.
  expect(commands.filter((command) => !/^npx --no (?:-- |[\w-]+(?![\w-]| -))/.test(command))).toEqual([]);
});

test("no page of commands writes a token into the history of the shell or the list of processes", () => {
  const leak = /.*(?:export [^\n]*_TOKEN=\S|curl [^|\n]*\$\w*TOKEN\b).*/g;
  const commands = (page: string): string[] => ["sh", "bash", "yaml"].flatMap((language) => blocks(page, language));
  const written = pages.flatMap((page) => commands(page).flatMap((text) => text.replaceAll("\\\n", " ").match(leak) ?? []));
  expect(written).toEqual([]);
});

test("the README and the tutorials need the same Node and Pulumi", () => {
  const needs = ["README", ...["vault", "nomad", "terraform-enterprise"].map((name) => `docs/getting-started/${name}`)].map((page) =>
    /Node 22 .*?3\.259 or later/s.exec(readPage(`${page}.md`).replace(/\[([^\]]+)\][[(][^\])]+[\])]/g, "$1"))?.[0].replace(/\s+/g, " "),
  );
  expect(new Set(needs)).toEqual(new Set(["Node 22 or later (20.18.1 with an older SDK), the Pulumi CLI 3.259 or later"]));
});

test("docs/api/errors.md lists each error code with its cause and its remedy", () => {
  const [, type = ""] = /type ErrorCode =([^;]+);/.exec(readFileSync(join(root, "provider/contract/steward-error.ts"), "utf8")) ?? [];
  const codes = type.match(/ERR_\w+/g) ?? [];
  const entries = [...readPage("docs/api/errors.md").matchAll(/^- `(ERR_\w+)`: (.+)$/gm)];
  expect(codes.length).toBeGreaterThan(15);
  expect(entries.map(([, code]) => code)).toEqual(codes);
  // The remedy is a sentence of its own after the cause.
  expect(entries.flatMap(([, code, entry = ""]) => (/^[^ ].*\w\. \[?[A-Z].*\.$/.test(entry) ? [] : [code]))).toEqual([]);
});

test("every page is reachable from the README", () => {
  const seen = new Set(["README.md"]);
  for (const page of seen) for (const { target } of linksOf(page)) if (pages.includes(target)) seen.add(target);
  expect(pages.filter((page) => !seen.has(page))).toEqual([]);
});

test("every picture is on a page", () => {
  const linked = pages.flatMap((page) => linksOf(page).map(({ target }) => target));
  expect(readdirSync(join(root, "docs/pictures")).filter((file) => !linked.includes(`docs/pictures/${file}`))).toEqual([]);
});

test("a test in test/real follows every page with commands or programs", () => {
  const suites = readdirSync(join(root, "test/real"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(root, "test/real", file), "utf8"));
  // The examples of the reference compile, and its resources have suites. Contributors' pages are for this repository.
  const others = /^(docs\/(api|development)\/|CONTRIBUTING|CHANGELOG)/;
  const isFollowed = (title: string): boolean => suites.some((text) => text.includes(`test("${title}"`));
  const followed = pages
    .filter((page) => !others.test(page))
    .flatMap((page) => allBlocks(page).flatMap(({ language, section }) => (shown.includes(language) ? [] : [{ page, section }])));
  expect(new Set(followed.map(({ page }) => page)).size).toBeGreaterThanOrEqual(11);
  const missing = followed.map(({ page, section }) => (isFollowed(page) ? "" : `${page}#${section}`));
  expect([...new Set(missing)].filter((title) => title && !isFollowed(title))).toEqual([]);
});

test("every example is deployed by a test, and is in the index of the examples", () => {
  const folder = join(root, "test/end-to-end");
  const tests = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  // The example that `npm run up` and test/demo.test.ts deploy.
  const demonstration = readFileSync(join(root, "Pulumi.yaml"), "utf8");
  const examples = readdirSync(join(root, "examples")).filter((name) => statSync(join(root, "examples", name)).isDirectory());
  expect(examples.length).toBeGreaterThanOrEqual(8);
  const missing = examples.filter(
    (name) =>
      !demonstration.includes(`examples/${name}`) &&
      !tests.some((text) => new RegExp(`(\\.example\\(|test\\.each\\(.*)"${name}"`).test(text)),
  );
  expect(missing).toEqual([]);
  expect(examples.filter((name) => !readPage("examples/README.md").includes(`[${name}](${name}/`))).toEqual([]);
});

test("the command of docs/rekey/recovery.md completes a state that was cut off anywhere", () => {
  const command = blocks("docs/rekey/recovery.md", "sh").find((block) => block.includes("> complete.json")) as string;
  const [, program = ""] = /^node -e '(.*)' < state\.json > complete\.json$/s.exec(command.trim()) as RegExpExecArray;
  const resource = (type: string) => ({ type, outputs: { text: '"}]}}}', nested: [{ list: [{}] }] } });
  const types = ["RekeyAttempt", "RekeyShares", "RekeyCommit"];
  const pending = [{ resource: resource("RekeyCommit"), type: "updating" }];
  const latest = { manifest: { time: "" }, resources: types.map(resource), pending_operations: pending };
  const state = JSON.stringify({ version: 3, checkpoint: { stack: "dev", latest } }, undefined, 4);
  const completed = (input: string): { checkpoint: { latest: typeof latest } } =>
    JSON.parse(execFileSync(process.execPath, ["-e", program], { input, encoding: "utf8" }));
  expect(completed(state)).toEqual(JSON.parse(state));
  const end = state.indexOf("RekeyCommit");
  for (const cut of [end, end + 150, state.indexOf("pending_operations"), state.length - 40, state.length - 1]) {
    const kept = completed(state.slice(0, cut)).checkpoint.latest.resources.map(({ type }) => type);
    expect(kept).toEqual(types.slice(0, kept.length));
    expect(kept).toContain("RekeyShares");
  }
});
