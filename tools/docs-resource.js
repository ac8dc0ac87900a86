// @ts-check
// Renders the sections of a resource that its definition and its case decide: import, requests and permissions.
const { Problem } = require("./command");
const { definitionOf } = require("./docs-fields");
const { exampleId, neverCreatesOf, operations, policyOf, requestsOf } = require("./docs-requests");
const { table } = require("./docs-text");

/**
 * @typedef {import("./docs-declarations").Declared} Declared
 * @typedef {import("./docs-text").Renderers} Renderers
 */

const importGuide = "../../guides/import.md";
const tokenOfAdministrator =
  "The token of a site administrator: see [Create a token](../../getting-started/terraform-enterprise.md#1-create-a-token).";

/** @param {string} title */
function importPart(title) {
  const definition = definitionOf(title);
  if (!definition?.readById) {
    const { discover } = definition ?? {};
    const reason = typeof discover === "string" ? discover : "it is an operation, which leaves nothing to read on the server";
    return ["## Import", `This resource cannot be imported: ${reason}.`];
  }
  const { token, id: template } = definition;
  const id = exampleId(title, template);
  const shape = template === id ? `\`${id}\`` : `\`${template}\``;
  return [
    "## Import",
    `The id is ${shape}. An import [requires the native plugin](${importGuide}).`,
    `\`\`\`sh\npulumi import steward:${token} example ${id}\n\`\`\``,
    `\`${title}.get("example", "${id}")\` reads it without managing it.`,
  ];
}

/** @param {readonly string[]} requests */
const cell = (requests) => requests.map((request) => `\`${request}\``).join("\n") || "none";

/** @param {string} title @param {string} notes The `@requests` of the comment. */
function requestsPart(title, notes) {
  const { dialects } = definitionOf(title) ?? {};
  const dialect = dialects && `Requires the dialect ${dialects.map((each) => `\`${each}\``).join(" or ")}.`;
  const [one, other] = [requestsOf(title, "hashicorp"), requestsOf(title, "standard")];
  const [hashicorp, standard] = [one ?? other, other ?? one];
  if (!hashicorp || !standard) {
    if (!notes) throw new Problem(`The comment of ${title} requires @requests, since no case in test/cases has its requests.`);
    return ["## Requests", notes];
  }
  const name = { create: "Create", update: "Update", refresh: "Refresh", delete: "Delete" };
  const isSame = JSON.stringify(hashicorp) === JSON.stringify(standard);
  const rows = operations.map((operation) => [name[operation], cell(hashicorp[operation]), ...(isSame ? [] : [cell(standard[operation])])]);
  const header = isSame ? ["Operation", "Requests"] : ["Operation", "Dialect `hashicorp`", "Dialect `standard`"];
  return ["## Requests", dialect ?? "", table(header, rows), notes];
}

/** @param {string} title @param {string} said The `@permissions` of the comment. */
function permissionsPart(title, said) {
  const requests = Object.values(requestsOf(title, "hashicorp") ?? requestsOf(title, "standard") ?? {}).flat();
  const isAdmin = requests.every((request) => / \/api\/v2\/admin\//.test(request));
  const [system] = title.split(".");
  if (requests.length === 0 || (system === "platform" && !isAdmin)) {
    if (!said) throw new Problem(`The comment of ${title} requires @permissions, since its requests do not decide them.`);
    return ["## Permissions", said];
  }
  const mount = requests.some((request) => request.includes("<mount>")) ? ", here for the mount `nomad`" : "";
  const derived =
    system === "platform"
      ? [tokenOfAdministrator]
      : [`A Vault token with this policy${mount}:`, `\`\`\`hcl\n${policyOf(requests, neverCreatesOf(title))}\n\`\`\``];
  return ["## Permissions", ...derived, said];
}

/** The sections after the outputs. @param {string} title @param {Declared} resource @param {Renderers} renderers */
function partsOf(title, { comment }, { tag }) {
  return [
    ...importPart(title),
    ...requestsPart(title, tag(comment, "@requests")),
    ...permissionsPart(title, tag(comment, "@permissions")),
  ].filter(Boolean);
}

module.exports = { partsOf };
