// @ts-check
// Renders the example of a resource for the schema: in TypeScript as its comment has it, and the same resource in Python and YAML.
const { runInNewContext } = require("node:vm");
const ts = require("typescript");
const { stringify } = require("yaml");
const { Problem } = require("./command");

/** A file whose content is the value. */
class Content {
  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }
}

/** The value of an expression, or undefined unless it is the same on each run. @param {ts.Node | undefined} node @returns {Record<string, unknown> | undefined} */
function literalOf(node) {
  const fs = { readFileSync: (/** @type {string} */ file) => new Content(file) };
  try {
    return runInNewContext(`(${node?.getText() ?? "{}"})`, { fs, Date: undefined });
  } catch {
    return undefined;
  }
}

/**
 * The resource of a type in an example, if its inputs are literals.
 * @param {string} code @param {string} type `secrets.SchedulerRole`
 */
function declaredIn(code, type) {
  const source = ts.createSourceFile("example.ts", code, ts.ScriptTarget.ES2022, true);
  /** @type {{ code: string, name: string, inputs: Record<string, unknown> }[]} */
  const found = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isNewExpression(node) && node.expression.getText() === type) {
      const [name, object] = node.arguments ?? [];
      const inputs = literalOf(object);
      if (name && ts.isStringLiteral(name) && inputs) found.push({ code: `${node.getText()};`, name: name.text, inputs });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found[0];
}

/** @param {unknown} value @returns {string} */
function python(value) {
  if (value instanceof Content) return `open(${JSON.stringify(value.file)}).read()`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${python(each)}`)
    .join(", ")}}`;
}

/** @param {string} name */
const snakeCase = (name) => name.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();

/** @param {unknown} _ @param {unknown} value */
const readFile = (_, value) => (value instanceof Content ? { "fn::readFile": value.file } : value);

/**
 * The part of a description that Pulumi's registry shows as an example, from the first one whose inputs are literals.
 * @param {string} token `secrets:SchedulerRole` @param {readonly string[]} examples The `@example` tags: a title and a block of code.
 */
function exampleOf(token, examples) {
  const [system = ""] = token.split(":");
  const type = token.replace(":", ".");
  for (const example of examples) {
    const [, title = "", block = ""] = /^(.*)\n```ts\n([\s\S]*?)\n```/.exec(example) ?? [];
    const resource = declaredIn(block, type);
    if (!resource) continue;
    const { code, name, inputs } = resource;
    const files = code.includes("fs.") ? 'import * as fs from "node:fs";\n' : "";
    const args = Object.entries(inputs).map(([key, value]) => `,\n    ${snakeCase(key)}=${python(value)}`);
    const properties = args.length > 0 ? { properties: inputs } : {};
    const yaml = stringify({ resources: { [name]: { type: `steward:${token}`, ...properties } } }, readFile, { lineWidth: 0 });
    return [
      "{{% examples %}}\n## Example Usage\n{{% example %}}",
      `### ${title}`,
      `\`\`\`typescript\n${files}import { ${system} } from "pulumi-steward";\n\n${code}\n\`\`\``,
      `\`\`\`python\nfrom pulumi_steward import ${system}\n\n${type}(${JSON.stringify(name)}${args.join("")})\n\`\`\``,
      `\`\`\`yaml\n${yaml.trim()}\n\`\`\``,
      "{{% /example %}}\n{{% /examples %}}",
    ].join("\n\n");
  }
  throw new Problem(`One @example of ${token} needs literals as inputs, so that it can be shown in Python and YAML.`);
}

module.exports = { exampleOf };
