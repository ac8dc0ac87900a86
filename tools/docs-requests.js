// @ts-check
// The requests of a resource and the Vault policy that permits them, from its case: test/cases proves that it sends these and no other.
const { Problem } = require("./command");
const { tokenOf } = require("./docs-fields");
require("./typescript");

/**
 * @typedef {"standard" | "hashicorp"} Dialect
 * @typedef {"create" | "update" | "refresh" | "delete"} Operation
 * @typedef {Record<Operation, string[]>} Requests `GET /v1/<mount>/role/<name>`
 */

/** @type {readonly Operation[]} */
const operations = ["create", "update", "refresh", "delete"];

/** The case of a resource, and the values of its inputs. @param {string} title @param {Dialect} dialect @param {string} mount */
function caseOf(title, dialect, mount) {
  const { cases } = require("../test/cases");
  /** @type {import("../test/cases/case").ResourceCase | undefined} */
  const resource = cases.find((/** @type {{ token: string }} */ { token }) => token === tokenOf(title));
  if (!resource) return undefined;
  // The addresses of the servers are in no path.
  const sandbox = /** @type {never} */ ({ scheduler: { url: "https://nomad.example.com:4646", token: "" } });
  const context = { dialect, mount, sandbox, outOfBand: async () => {} };
  const inputs = { ...resource.changed?.(context), ...resource.inputs(context) };
  const isIn = resource.dialects?.includes(dialect) ?? true;
  const changed = { ...resource.inputs(context), ...resource.changed?.(context) };
  return { requests: isIn ? resource.requests?.(context) : undefined, neverCreates: resource.neverCreates ?? [], inputs, changed };
}

/** The name of the input for each value that a path may contain. A map of objects has their names as keys. @param {object} inputs */
const namesOf = (inputs) =>
  Object.entries(inputs).flatMap(([name, value]) =>
    typeof value === "string" && value !== ""
      ? [[value, `<${name}>`]]
      : value && typeof value === "object" && !Array.isArray(value)
        ? Object.keys(value).map((key) => [key, "<name>"])
        : [],
  );

/**
 * Replaces the values of the inputs in requests and paths by the names of the inputs.
 * @param {{ inputs: object, changed: object }} of
 * @returns {(request: string) => string}
 */
function templateOf({ inputs, changed }) {
  /** @type {Map<string, string>} */
  const names = new Map([...namesOf(inputs), ...namesOf(changed)].map(([value, name]) => [value ?? "", name ?? ""]));
  return (request) => {
    const [, start = "", path = "", query = ""] = /^(\w+ )?([^?]*)(.*)$/.exec(request) ?? [];
    return `${start}${path
      .split("/")
      .map((segment) => names.get(decodeURIComponent(segment)) ?? segment)
      .join("/")}${query}`;
  };
}

/** The requests of each operation; undefined for a resource whose case has none in this dialect. @param {string} title @param {Dialect} dialect @returns {Requests | undefined} */
function requestsOf(title, dialect) {
  const resource = caseOf(title, dialect, "<mount>");
  if (!resource?.requests) return undefined;
  const { requests } = resource;
  const template = templateOf(resource);
  return /** @type {Requests} */ (
    Object.fromEntries(operations.map((operation) => [operation, [...new Set((requests[operation] ?? []).map(template))]]))
  );
}

/** The paths whose writes never create an object. @param {string} title @returns {string[]} */
function neverCreatesOf(title) {
  const resource = caseOf(title, "hashicorp", "<mount>");
  return resource ? resource.neverCreates.map(templateOf(resource)) : [];
}

/** The id of the object in the case. @param {string} title @param {string} id The template of the id. */
function exampleId(title, id) {
  const { format } = require("../provider/fields");
  return format(id, { mount: "nomad", ...caseOf(title, "hashicorp", "nomad")?.inputs });
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

const order = ["create", "read", "update", "delete", "list"];

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
      .replace(/<\w+>$/, "*");
    if (/</.test(path)) throw new Problem(`The policy for ${request} requires a rule in tools/docs-requests.js.`);
    const capabilities = paths.get(path) ?? new Set();
    for (const capability of capabilitiesOf(request, neverCreates)) paths.set(path, capabilities.add(capability));
  }
  return [...paths]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, capabilities]) => {
      const listed = order.filter((each) => capabilities.has(each)).map((each) => `"${each}"`);
      return `path "${path}" {\n  capabilities = [${listed.join(", ")}]\n}`;
    })
    .join("\n");
}

module.exports = { exampleId, neverCreatesOf, operations, policyOf, requestsOf };
