// @ts-check
// Creates the three files of a minimal new resource from the templates in tools/new. It works on the sandbox.
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { capture, Problem, root } = require("./command");

/** The folders for the files of each system's templates. @type {Record<string, { template: string, provider: string, route: string }>} */
const systems = {
  secrets: { template: "secrets", provider: "provider/secrets", route: "sandbox/secrets/routes" },
  platform: { template: "platform", provider: "provider/platform", route: "sandbox/platform/routes" },
  "platform/settings": { template: "settings", provider: "provider/platform/settings", route: "sandbox/platform/routes" },
};

/** The files of a resource by their paths in the repository. @param {string} resource `secrets/greeting-card` @returns {Map<string, string>} */
function filesOf(resource) {
  const system = path.posix.dirname(resource);
  const name = path.posix.basename(resource);
  const of = Object.hasOwn(systems, system) ? systems[system] : undefined;
  if (!of)
    throw new Problem(`The argument must be the system and the noun of the resource: ${Object.keys(systems).join("/<noun>, ")}/<noun>.`);
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name))
    throw new Problem(`The noun "${name}" must be in kebab case, such as greeting-card.`);
  const id = name.replace(/-settings$/, "");
  const slug = of.template === "settings" ? `${id}-settings` : name;
  const constant = slug.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  if (ts.identifierToKeywordKind(ts.factory.createIdentifier(constant)))
    throw new Problem(`"${name}" is a keyword of TypeScript: choose another noun.`);
  /** @type {Record<string, string>} */
  const values = {
    noun: slug,
    id,
    constant,
    Type: constant.replace(/^./, (letter) => letter.toUpperCase()),
    words: slug.replaceAll("-", " "),
  };
  values.article = /^[aeiou]/.test(slug) ? "an" : "a";
  const filled = (/** @type {string} */ part) =>
    fs
      .readFileSync(path.join(root, "tools/new", of.template, `${part}.txt`), "utf8")
      .replace(/<(noun|id|constant|Type|words|article)>/g, (_, key) => values[key] ?? "");
  return new Map([
    [`${of.provider}/${slug}.ts`, filled("provider")],
    [`${of.route}/${slug}.ts`, filled("route")],
    [`test/cases/${slug}.ts`, filled("case")],
  ]);
}

/** Writes the files of a resource. @param {readonly string[]} args @param {string} [folder] The repository, or a copy of it. */
async function create([resource = ""], folder = root) {
  const files = filesOf(resource);
  const there = [...files.keys()].find((file) => fs.existsSync(path.join(folder, file)));
  if (there) throw new Problem(`${there} already exists: choose another noun, or remove the file.`);
  for (const [file, text] of files) fs.writeFileSync(path.join(folder, file), text);
  const biome = path.join(root, "node_modules/@biomejs/biome/bin/biome");
  const { code, output } = await capture(process.execPath, [biome, "check", "--write", "--vcs-enabled=false", ...files.keys()], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(output);
  const next = "Next: run npm run generate, then follow docs/development/add-a-resource.md.";
  process.stdout.write(`${[...files.keys(), next].join("\n")}\n`);
  return 0;
}

module.exports = { create, filesOf };
