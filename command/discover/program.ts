import { isDeepStrictEqual } from "node:util";
import { defaultsOf, namesWith, publicNames, variableFor } from "../../provider/contract/fields";
import { Operation } from "../../provider/contract/operation";
import { isReference } from "../../provider/contract/secret";
import { Properties } from "../../provider/lifecycle/properties";
import { isObject } from "../../provider/text/json";
import { declaredSecrets, Imported } from "./state";

/** The key in the stack's configuration of a secret that the server shows: `costEstimationCloudASecretKey`. */
export const configurationKey = ({ name }: Imported, field: string): string =>
  `${name}-${field}`.replace(/\W+(.)/g, (_, letter: string) => letter.toUpperCase());

/** A string in JSON, without characters that change how a reader or an editor shows the others. */
export const escaped = (json: string): string =>
  json.replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()].map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`).join(""),
  );

/** The TypeScript program that declares these resources. */
export function programOf(resources: readonly Imported[]): string {
  const modules = [...new Set(resources.map(({ definition }) => definition.system.name))].sort();
  const usesConfiguration = resources.some((each) => declaredSecrets(each).length > 0);
  const head = [
    ...(usesConfiguration ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
    `import { ${modules.join(", ")} } from "pulumi-steward";`,
    ...(usesConfiguration ? ["", "const config = new pulumi.Config();"] : []),
  ];
  return escaped(`${[...head, ...resources.map(declaration)].join("\n")}\n`);
}

function declaration(resource: Imported): string {
  const { definition, name, operation, inputs, readable } = resource;
  const lost = Object.keys(resource.discovered.unreadable ?? {}).join(", ");
  const lines = declared(definition, operation, inputs).map(([field, value]) => {
    const isConfigured = readable.includes(field);
    const why = field === "onDelete" ? `  // A destroy could not restore ${lost}, and would disable these settings.\n` : "";
    return `${why}  ${keyOf(field)}: ${isConfigured ? `config.requireSecret("${configurationKey(resource, field)}")` : literal(value, "  ")},`;
  });
  const hidden = readable
    .filter((field) => inputs[field] === undefined)
    .map((field) => `  // The server has a secret ${field}. To manage it, add: ${keyOf(field)}: { env: "${variableFor(name, field)}" },`);
  const type = definition.token.replace(":", ".");
  return ["", `new ${type}(${JSON.stringify(name)}, {`, ...lines, ...hidden, "}, { protect: true });"].join("\n");
}

/** The inputs in the order of the definition, those of the id first, without those that have their default. */
function declared(definition: Imported["definition"], operation: Operation, inputs: Properties): [string, unknown][] {
  const defaults = defaultsOf(definition.fields, operation);
  const names = new Set([...publicNames(definition), ...namesWith(definition.fields, "input")]);
  return [...names].flatMap((name): [string, unknown][] =>
    inputs[name] === undefined || isDeepStrictEqual(inputs[name], defaults[name]) ? [] : [[name, inputs[name]]],
  );
}

/** The key of a property. TypeScript expects a function under a literal `constructor`, also in a record. */
function keyOf(name: string): string {
  if (name in {}) return `[${JSON.stringify(name)} as string]`;
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function literal(value: unknown, indent: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(", ")}]`;
  if (!isObject(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${keyOf(key)}: ${literal(inner, `${indent}  `)}`);
  return isReference(value) ? `{ ${pairs.join(", ")} }` : `{\n${pairs.map((pair) => `${indent}  ${pair},\n`).join("")}${indent}}`;
}
