// @ts-check
// Renders the parts of a page of docs/api: prose, code, types and tables.
const path = require("node:path");

/**
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).DeclarationReflection} Declared
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).Comment} Comment
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).CommentDisplayPart} Part
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).SomeType} Type
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).Reflection} Reflection
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).ParameterReflection} Parameter
 * @typedef {Map<Reflection, { page: string, anchor: string }>} Places The place of each public name.
 * @typedef {Awaited<ReturnType<typeof renderers>>} Renderers
 */

/** @param {Part} part */
const isBlock = ({ kind, text }) => kind === "code" && text.startsWith("```");

/** A Markdown table without its empty columns. @param {readonly string[]} header @param {readonly (readonly string[])[]} rows */
function table(header, rows) {
  const used = header.map((name, column) => name === "" || rows.some((row) => row[column]));
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells
      .filter((_, column) => used[column])
      .map((cell) => cell.replaceAll("|", "\\|").replace(/\n+/g, "<br>"))
      .join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A value as inline code, which may contain backticks. @param {string} value */
const inline = (value) => (value.includes("`") ? `\`\` ${value} \`\`` : `\`${value}\``);

/** The renderers of a page. @param {string} file The page. @param {Places} places */
async function renderers(file, places) {
  const { ReferenceType, ArrayType, IntersectionType, UnionType } = await import("typedoc");

  /** @param {Reflection | undefined} target */
  const linkTo = (target) => {
    const place = target && places.get(target);
    if (!place) return undefined;
    return place.page === file ? place.anchor || "#" : path.posix.relative(path.posix.dirname(file), place.page) + place.anchor;
  };

  /** Prose and blocks of code. @param {readonly Part[]} [parts] */
  function prose(parts = []) {
    const text = parts.map((part) => {
      if (isBlock(part)) return `\n\n${part.text}\n\n`;
      // A page of the package, which editors show by its path.
      const [, page] = (part.kind === "code" && /^`(docs\/.+\.md)`$/.exec(part.text)) || [];
      if (page) return `[${part.text}](${path.posix.relative(path.posix.dirname(`docs/api/${file}`), page)})`;
      if (part.kind !== "inline-tag") return part.text.replace(/(?<!\n)\n(?!\n|- )/g, " ");
      const address = linkTo(/** @type {Declared} */ (part.target));
      return address ? `[\`${part.text}\`](${address})` : `\`${part.text}\``;
    });
    return text
      .join("")
      .replace(/ *\n{2,} */g, "\n\n")
      .trim();
  }

  /** The values of a tag. @param {Comment | undefined} comment @param {`@${string}`} name */
  const tags = (comment, name) => comment?.blockTags.filter((each) => each.tag === name) ?? [];

  /** The prose of a tag; empty without it. @param {Comment | undefined} comment @param {`@${string}`} name */
  const tag = (comment, name) =>
    tags(comment, name)
      .map(({ content }) => prose(content))
      .join("\n\n");

  /** The value of a tag that TypeDoc reads as code, on one line. A phrase is no code. @param {Comment | undefined} comment @param {"@default" | "@example"} name */
  const value = (comment, name) =>
    tag(comment, name).replace(/^```ts\s([\s\S]*?)\s```$/, (_, code) =>
      name === "@default" && /^[^"[{].* /.test(code) ? code : inline(code.replace(/\s*\n\s*/g, " ")),
    );

  /** The link to the first public name in a type. @param {Type | undefined} type @returns {string | undefined} */
  function explained(type) {
    if (type instanceof ReferenceType) return linkTo(type.reflection) ?? type.typeArguments?.map(explained).find(Boolean);
    if (type instanceof ArrayType) return explained(type.elementType);
    if (type instanceof UnionType || type instanceof IntersectionType) return type.types.map(explained).find(Boolean);
    return undefined;
  }

  /** @param {Type | undefined} type */
  function typed(type) {
    const text = `\`${String(type ?? "").replace(/\s+/g, " ")}\``;
    const address = explained(type);
    return address ? `[${text}](${address})` : text;
  }

  /** @param {readonly Parameter[]} [parameters] */
  const listed = (parameters = []) =>
    parameters
      .map(({ name, flags, type, defaultValue }) => {
        const called = name.startsWith("__") ? "options" : `${flags.isRest ? "..." : ""}${name}`;
        return `${called}${flags.isOptional || defaultValue ? "?" : ""}: ${type}`;
      })
      .join(", ");

  return { linkTo, listed, prose, tag, tags, typed, value };
}

module.exports = { table, renderers };
