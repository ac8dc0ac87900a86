// @ts-check
// Creates the three files of a minimal new resource from the templates in tools/new. It works on the sandbox.
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { Problem, root, succeed } = require("./command");

/** The folders for the files of each system's templates. @type {Record<string, { template: string, route: string }>} */
const systems = {
  secrets: { template: "secrets", route: "sandbox/secrets/routes" },
  platform: { template: "platform", route: "sandbox/platform/routes" },
  "platform/settings": { template: "settings", route: "sandbox/platform/routes" },
};

/**
 * The parts of the path of a named object outside the mount. Below `sys`, Vault names the type of the mount in its responses.
 * @param {string} apiPath `sys/quotas/rate-limit/:name`
 */
function partsOf(apiPath) {
  const [, folder] = /^\/?(?:v1\/)?([a-z][\w/-]*)\/(?::name|<name>|\{name\})$/.exec(apiPath) ?? [];
  const [, below, under] = /^(auth\/[^/]+|[^/]+)\/(.+)$/.exec(folder ?? "") ?? [];
  if (!folder || !below || !under)
    throw new Problem(`The path "${apiPath}" must be that of a named object, such as sys/quotas/rate-limit/:name.`);
  const route = `/${folder.replace(/^auth\/token\//, "token/")}`;
  return { folder, below, under, route, mountType: below === "sys" ? "system" : path.posix.basename(below) };
}

/**
 * The files of a resource by their paths in the repository.
 * @param {string} resource `secrets/greeting-card`
 * @param {string} [apiPath] The path of a named object. If omitted, the resource is below the mount of the Nomad secrets engine.
 * @returns {Map<string, string>}
 */
function filesOf(resource, apiPath) {
  const system = path.posix.dirname(resource);
  const name = path.posix.basename(resource);
  const of = Object.hasOwn(systems, system) ? systems[system] : undefined;
  if (!of)
    throw new Problem(
      `The argument must be the system and the noun of the resource: ${Object.keys(systems).join("/<noun>, ")}/<noun>. The system of Vault and OpenBao is secrets, that of Terraform Enterprise platform.`,
    );
  if (!/^([a-z][a-z0-9]*|[A-Z][A-Z0-9]+)(-([a-z][a-z0-9]*|[A-Z][A-Z0-9]+))*$/.test(name))
    throw new Problem(`The noun "${name}" must be in kebab case, such as greeting-card, with abbreviations in capitals, such as SCIM.`);
  if (apiPath !== undefined && system !== "secrets") throw new Problem("Only secrets/<noun> takes a path.");
  const template = apiPath === undefined ? of.template : "named";
  const words = of.template === "settings" ? `${name.replace(/-settings$/, "")}-settings` : name;
  const slug = words.toLowerCase();
  const constant = slug.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  if (ts.identifierToKeywordKind(ts.factory.createIdentifier(constant)))
    throw new Problem(`"${name}" is a keyword of TypeScript: choose another noun.`);
  /** @type {Record<string, string>} */
  const values = {
    noun: slug,
    id: slug.replace(/-settings$/, ""),
    constant,
    Type: constant.replace(/^./, (letter) => letter.toUpperCase()),
    words: words.replaceAll("-", " "),
    ...(apiPath !== undefined && partsOf(apiPath)),
  };
  const filled = (/** @type {string} */ part) =>
    fs
      .readFileSync(path.join(root, "tools/new", template, `${part}.txt`), "utf8")
      .replace(/<(\w+)>/g, (placeholder, key) => values[key] ?? placeholder);
  return new Map([
    [`provider/${system}/${slug}.ts`, filled("provider")],
    [`${of.route}/${slug}.ts`, filled("route")],
    [`test/cases/${slug}.ts`, filled("case")],
  ]);
}

/** Writes the files of a resource, and returns their paths. @param {readonly string[]} args @param {string} [folder] The repository, or a copy of it. */
async function create([resource = "", apiPath], folder = root) {
  const files = filesOf(resource, apiPath);
  const existing = [...files.keys()].find((file) => fs.existsSync(path.join(folder, file)));
  if (existing) throw new Problem(`${existing} already exists: choose another noun, or remove the file.`);
  for (const [file, text] of files) fs.writeFileSync(path.join(folder, file), text);
  const biome = path.join(root, "node_modules/@biomejs/biome/bin/biome");
  await succeed(process.execPath, [biome, "check", "--write", "--vcs-enabled=false", ...files.keys()], { cwd: folder });
  return [...files.keys()];
}

/** @param {readonly string[]} files */
const nextSteps = (files) =>
  `Wrote ${files.join(", ")}.\nNext: run npx jest test/provider/cases, then follow docs/development/add-a-resource.md.\n`;

module.exports = { create, filesOf, nextSteps };
