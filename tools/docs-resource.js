// @ts-check
// Renders what the definition and the case of a resource decide: the traits of its fields, its import, requests and permissions.
const fs = require("node:fs");
const path = require("node:path");
const { Problem } = require("./command");
// Jest compiles TypeScript itself.
if (typeof jest === "undefined") require("./typescript");
const { neverDiffers } = require("../provider/contract/comparison");
const { dialects } = require("../provider/secrets/dialects");
const { decisive, rekeyFields } = require("../provider/secrets/rekey/inputs");

/**
 * @typedef {object} Traits
 * @property {string} change The effect of changing the input.
 * @property {string} preset The default of the input.
 * @property {string} secret
 * @property {string} writeOnly
 * @typedef {{ change: string, preset: string, isOptional: boolean }} Said What the comment of a field says, by its tags.
 * @typedef {import("../provider/contract/definition").AnyDefinition} Definition
 * @typedef {import("../provider/contract/definition").Field} Field
 * @typedef {{ create: string[], update: string[], refresh: string[], delete: string[] }} Requests `GET /v1/<mount>/role/<name>`
 * @typedef {{ id: string, neverCreates?: string[], hashicorp?: Requests, standard?: Requests }} Case
 */

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

/** The definition of a resource; undefined for any other page, and for `secrets.Rekey`, which consists of three. @param {string} title `secrets.SchedulerRole` @returns {Definition | undefined} */
function definitionOf(title) {
  // Loaded here, since `npm run generate` may just have written it.
  const { definitions } = require("../provider/registry/resources");
  return definitions.find((/** @type {Definition} */ { token }) => token === title.replace(".", ":"));
}

/** The fields of a resource; undefined for any other page. @param {string} title @returns {Definition["fields"] | undefined} */
function fieldsOf(title) {
  if (title !== "secrets.Rekey") return definitionOf(title)?.fields;
  const shared = /** @type {Definition["fields"]} */ (rekeyFields);
  const steps = ["secrets.RekeyAttempt", "secrets.RekeyShares", "secrets.RekeyCommit"].map((step) => definitionOf(step)?.fields ?? {});
  // A change is one of the rekey if it is one of a step.
  const compared = (/** @type {string} */ name) =>
    steps.map((fields) => fields[name]).find((field) => field?.input && field.compare !== neverDiffers);
  const inputs = Object.keys(shared).map((name) => {
    const field = compared(name);
    return [name, { ...shared[name], compare: field ? field.compare : neverDiffers }];
  });
  // The outputs are those of the component.
  return {
    ...Object.fromEntries(inputs),
    shares: { secret: true },
    encryptedShares: {},
    fingerprints: {},
    progress: {},
    complete: {},
    record: {},
  };
}

/** The names of the fields of a resource, in the order of its definition. @param {string} title */
const fieldNames = (title) => Object.keys(fieldsOf(title) ?? {});

/** The default of a field as code, if all dialects have the same. @param {Field} field */
function presetOf(field) {
  const values = Object.keys(dialects).map((dialect) => JSON.stringify(field.default?.(/** @type {never} */ ({ server: { dialect } }))));
  return values[0] !== undefined && new Set(values).size === 1 ? `\`${values[0]}\`` : "";
}

/** The effect of changing an input, as far as the definition knows it. @param {string} title @param {string} name @param {Field} field */
function effectOf(title, name, field) {
  if (field.replaces) return "replaces the resource";
  if (title === "secrets.Rekey" && /** @type {readonly string[]} */ (decisive).includes(name)) return "starts a new rekey";
  return field.compare === neverDiffers ? "takes effect with the next update" : "updates";
}

/**
 * The effect of changing an input. A comment can only add to what the definition says: its `@change` begins with the effect.
 * @param {string} title @param {string} name @param {Field} field @param {string} said
 */
function changeOf(title, name, field, said) {
  const effect = effectOf(title, name, field);
  if (!said) return effect;
  const place = `The comment of ${name} of ${title} says "@change ${said}", but by its definition a change ${effect}`;
  if (said === effect) throw new Problem(`${place}: remove the tag.`);
  if (!said.startsWith(effect)) throw new Problem(`${place}: begin with that.`);
  return said;
}

/**
 * The traits of a field. Its definition takes precedence over its comment. Throws if they contradict each other.
 * @param {string} title @param {string} name @param {Said} said @returns {Traits}
 */
function traitsOf(title, name, said) {
  const fields = fieldsOf(title);
  if (!fields) return { change: "", preset: said.preset || (said.isOptional ? "" : "required"), secret: "", writeOnly: "" };
  const field = fields[name];
  if (!field) throw new Problem(`${name} of ${title} has no row in the fields of its definition.`);
  const preset = presetOf(field);
  if (said.preset && preset && said.preset !== preset)
    throw new Problem(`The comment of ${name} of ${title} says that the default is ${said.preset}, but by its definition it is ${preset}.`);
  return {
    change: field.input ? changeOf(title, name, field, said.change) : "",
    preset: field.required ? "required" : preset || said.preset,
    secret: field.secret || field.secretOutput ? "yes" : "",
    writeOnly: field.writeOnly ? "yes" : field.requestOnly ? "not stored" : "",
  };
}

const operations = /** @type {const} */ (["create", "update", "refresh", "delete"]);

/** The cases of all resources. @returns {Record<string, Case>} */
const cases = () => JSON.parse(fs.readFileSync(path.join(__dirname, "requests.json"), "utf8"));

/** The case of a resource. @param {string} title @returns {Case | undefined} */
const caseOf = (title) => cases()[title.replace(".", ":")];

/** Requests in a cell of a table. @param {readonly string[]} requests */
const cellOf = (requests) => requests.map((request) => `\`${request}\``).join("\n") || "none";

/** @param {string} title */
function importPart(title) {
  const { readById, discover, token, id: template } = definitionOf(title) ?? {};
  if (!readById) {
    const reason = typeof discover === "string" ? discover : "it is an operation, not an object on the server";
    return ["## Import", `This resource cannot be imported: ${reason}.`];
  }
  // The server chooses the id of some objects.
  const id = caseOf(title)?.id || template;
  return [
    "## Import",
    `The id is \`${template}\`. An import by id [requires the native plugin](../../guides/import.md#import-by-id), whereas an import from a file does not.`,
    `\`\`\`sh\npulumi import steward:${token} example ${id}\n\`\`\``,
    `\`${title}.get("example", "${id}")\` reads the object without managing it.`,
  ];
}

/** @param {string} title @param {Case | undefined} of @param {string} notes The `@requests` of the comment. */
function requestsPart(title, of, notes) {
  const required = definitionOf(title)?.dialects;
  const dialect = required ? `Requires the dialect ${required.map((each) => `\`${each}\``).join(" or ")}.` : "";
  const requests = of?.hashicorp ?? of?.standard;
  if (!requests) {
    if (!notes) throw new Problem(`The comment of ${title} requires @requests, since no case in test/cases has its requests.`);
    return ["## Requests", notes];
  }
  const rows = operations.map((operation) => [operation.replace(/^./, (letter) => letter.toUpperCase()), cellOf(requests[operation])]);
  return ["## Requests", dialect, table(["Operation", "Requests"], rows), notes];
}

/** The operations whose requests differ between the dialects. */
function standardRequests() {
  const rows = Object.entries(cases()).flatMap(([token, { hashicorp, standard }]) =>
    operations.flatMap((operation) => {
      const [of, differs] = [hashicorp?.[operation] ?? [], standard?.[operation] ?? []];
      if (!hashicorp || !standard || JSON.stringify(of) === JSON.stringify(differs)) return [];
      return [[`\`${token.replace(":", ".")}\``, operation, cellOf(of), cellOf(differs)]];
    }),
  );
  return table(["Resource", "Operation", "Dialect `hashicorp`", "Dialect `standard`"], rows);
}

/**
 * The capabilities that Vault requires of a request. It has none for its own token, which the policy `default` permits.
 * @param {string} request
 * @param {readonly string[]} neverCreates
 * @returns {string[]}
 */
function capabilitiesOf(request, neverCreates) {
  const [method = "", path = ""] = request.split(" ");
  if (path === "/v1/auth/token/lookup-self") return [];
  if (method === "GET") return [path.endsWith("?list=true") ? "list" : "read"];
  if (method === "DELETE") return ["delete"];
  return neverCreates.includes(path) ? ["update"] : ["create", "update"];
}

/** The parameters to which a policy limits a request: those for the leases of one role, since a path of leases covers all engines. @param {string} path @param {string} mount */
function parametersOf(path, mount) {
  if (!path.startsWith("sys/leases/")) return "";
  const lease = `"lease_id" = ["${mount}/creds/deploy/*"]`;
  return path === "sys/leases/revoke" ? `{ ${lease}, "sync" = [] }` : `{ ${lease} }`;
}

/**
 * The Vault policy that permits requests.
 * @param {readonly string[]} requests
 * @param {readonly string[]} neverCreates The paths whose writes never create an object.
 * @param {string} [mount]
 */
function policyOf(requests, neverCreates, mount = "nomad") {
  /** @type {Map<string, Set<string>>} */
  const paths = new Map();
  for (const request of requests) {
    const [, address = ""] = request.split(" ");
    const path = address
      .replace(/^\/v1\/|\?.*$/g, "")
      .replace("<mount>", mount)
      .replace("<role>", "deploy")
      .replace(/<\w+>$/, "*");
    if (/</.test(path)) throw new Problem(`The policy for ${request} requires a rule in tools/docs-resource.js.`);
    const capabilities = capabilitiesOf(request, neverCreates);
    if (capabilities.length > 0) paths.set(path, new Set([...(paths.get(path) ?? []), ...capabilities]));
  }
  const lines = [...paths].map(([path, capabilities]) => {
    const listed = ["create", "read", "update", "delete", "list"].filter((each) => capabilities.has(each)).map((each) => `"${each}"`);
    const parameters = parametersOf(path, mount);
    const entries = parameters
      ? [`capabilities       = [${listed.join(", ")}]`, `allowed_parameters = ${parameters}`]
      : [`capabilities = [${listed.join(", ")}]`];
    return `path "${path}" {\n${entries.map((entry) => `  ${entry}\n`).join("")}}`;
  });
  return lines.sort().join("\n");
}

/** @param {string} title @param {Case | undefined} of @param {string} said The `@permissions` of the comment. */
function permissionsPart(title, of, said) {
  const requests = Object.values(of?.hashicorp ?? of?.standard ?? {}).flat();
  const isPlatform = title.startsWith("platform.");
  if (requests.length === 0 || (isPlatform && !requests.every((request) => / \/api\/v2\/admin\//.test(request)))) {
    if (!said) throw new Problem(`The comment of ${title} requires @permissions, since its requests do not decide them.`);
    return ["## Permissions", said];
  }
  const has = (/** @type {string} */ part) => requests.some((request) => request.includes(part));
  const example = has("<mount>") ? `, here for the mount \`nomad\`${has("<role>") ? " and the role `deploy`" : ""}` : "";
  const derived = isPlatform
    ? ["A site administrator's token: see [Create a token](../../getting-started/terraform-enterprise.md#1-create-a-token)."]
    : [
        `The connection needs a Vault token with this policy${example}:`,
        `\`\`\`hcl\n${policyOf(requests, of?.neverCreates ?? [])}\n\`\`\``,
      ];
  return ["## Permissions", ...derived, said];
}

/** The sections after the outputs. @param {string} title @param {string} requests The `@requests` of the comment. @param {string} permissions Its `@permissions`. */
const resourceParts = (title, requests, permissions) =>
  [...importPart(title), ...requestsPart(title, caseOf(title), requests), ...permissionsPart(title, caseOf(title), permissions)].filter(
    Boolean,
  );

module.exports = { cases, fieldNames, policyOf, resourceParts, standardRequests, table, traitsOf };
