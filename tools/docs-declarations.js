// @ts-check
// Reads the docstrings with TypeDoc and assigns each public name to a page of docs/api.
const path = require("node:path");
const { root } = require("./command");

/**
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).DeclarationReflection} Declared
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).Reflection} Reflection
 * @typedef {{ file: string, title: string, rank: number, members: Declared[] }} Page `rank`: the precedence of the member that gives the page its title.
 */

/** Source files that share a page, by the prefix of their path. Every other file has its own page. */
const families = [
  { files: "provider/secrets/rekey/", page: "secrets/rekey", title: "secrets.Rekey" },
  { files: "provider/secrets/scheduler-role-list", page: "secrets/scheduler-roles", title: "secrets.SchedulerRoles" },
  { files: "provider/platform/action", page: "platform/actions", title: "Inputs and outputs of all actions" },
  ...["page", "read"].map((name) => ({
    files: `provider/platform/settings/${name}.`,
    page: "platform/settings",
    title: "Inputs and outputs of all settings",
  })),
  ...["module-version", "module-versions"].map((name) => ({
    files: `provider/platform/${name}.`,
    page: "platform/module-versions",
    title: "Module versions",
  })),
  ...["workspace", "workspaces"].map((name) => ({
    files: `provider/platform/${name}.`,
    page: "platform/workspaces",
    title: "Workspaces",
  })),
  ...["client", "list", "jobs", "deployments", "nodes"].map((name) => ({
    files: `provider/scheduler/${name}.`,
    page: "scheduler/lists",
    title: "Lists of the scheduler",
  })),
  { files: "provider/scheduler/filter", page: "scheduler/filter", title: "Filters" },
  { files: "provider/steward-error", page: "errors", title: "Errors" },
  ...["program/resource", "comparison", "inputs", "lifecycle/adoption"].map((name) => ({
    files: `provider/${name}.`,
    page: "types",
    title: "Types that all resources share",
  })),
  { files: "sandbox/", page: "sandbox", title: "pulumi-steward-sandbox" },
];

/** The page of a generated class or of its function. @param {string} system @param {string} name */
const pageOfClass = (system, name) =>
  `${system}/${name
    .replace(/^get|Args$/g, "")
    .replace(/(?!^)[A-Z]/g, "-$&")
    .toLowerCase()}`;

/**
 * The pages by name, and the place of each public name.
 * @returns {Promise<{ pages: Map<string, Page>, places: Map<Reflection, { page: string, anchor: string }> }>}
 */
async function readDeclarations() {
  const { Application, ReflectionKind } = await import("typedoc");
  /** The public names of a package. @param {string} part @param {string} tsconfig */
  async function read(part, tsconfig) {
    const application = await Application.bootstrap({
      entryPoints: [path.join(root, part, "index.ts")],
      tsconfig: path.join(root, tsconfig),
      blockTags: ["@change", "@default", "@example", "@permissions", "@requests", "@see", "@unreadable"],
      sort: ["source-order"],
      excludePrivate: true,
      skipErrorChecking: true,
      disableGit: true,
      sourceLinkTemplate: "{path}",
      logLevel: "Error",
    });
    const project = await application.convert();
    if (!project) throw new Error("TypeDoc could not read the sources.");
    return project.children ?? [];
  }

  /** @type {Map<string, Page>} */
  const pages = new Map();
  /** The place of each public name. @type {Map<Reflection, { page: string, anchor: string }>} */
  const places = new Map();

  /** @param {Declared} member @param {string} system */
  function place(member, system) {
    if (member.kindOf(ReflectionKind.Namespace)) {
      for (const each of member.children ?? []) place(each, member.name);
      return;
    }
    // The same declaration under the name of another system.
    if (member.kindOf(ReflectionKind.Reference)) return;
    // The constants of an enumeration are on the page of its type.
    if (member.kindOf(ReflectionKind.Variable)) return;
    const source = (member.sources ?? member.signatures?.[0]?.sources)?.[0]?.fullFileName ?? "";
    const file = path.relative(root, source).replaceAll(path.sep, "/");
    const family = families.find(({ files }) => file.startsWith(files));
    const relative = file
      .replace(/^provider\/(program\/)?/, "")
      .replace("platform/settings/", "platform/")
      .replace(/\.ts$/, "");
    const name = family?.page ?? (relative.endsWith("/classes") ? pageOfClass(system, member.name) : relative);
    const page = pages.get(name) ?? { file: `${name}.md`, title: family?.title ?? "", rank: 0, members: [] };
    pages.set(name, page);
    page.members.push(member);
    const isResource = member.kindOf(ReflectionKind.Class) && family?.title !== "Errors";
    const called = system ? `${system}.${member.name}` : member.name;
    const rank = isResource ? 2 : member.signatures ? 1 : 0;
    if (!family && rank >= page.rank) {
      page.title = member.signatures ? `${called}()` : called;
      page.rank = rank;
    }
    places.set(member, { page: page.file, anchor: isResource ? "" : `#${member.name.toLowerCase()}` });
  }
  const members = [...(await read("provider", "tsconfig.build.json")), ...(await read("sandbox", "sandbox/tsconfig.build.json"))];
  for (const member of members) place(member, "");
  return { pages, places };
}

module.exports = { readDeclarations };
