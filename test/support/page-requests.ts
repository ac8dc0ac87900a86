import { format } from "../../provider/contract/fields";
import { definitions } from "../../provider/registry/resources";
import { Sandbox } from "../../sandbox/index";
import { livingCases } from "../cases";
import { Context, isIn, Properties, ResourceCase } from "../cases/case";

// Prints the requests for the pages of docs/api, which `npm run generate` writes to tools/requests.json. The suite of the cases proves that a resource
// sends these and no other.

const operations = ["create", "update", "refresh", "delete"] as const;

/** The case in a dialect. The addresses of the servers are in no path. */
const contextOf = (dialect: Context["dialect"], mount: string): Context => ({
  dialect,
  mount,
  sandbox: { scheduler: { url: "https://nomad.example.com:4646", token: "" } } as Sandbox,
  outOfBand: async () => {},
});

/** The name of the input for each value that a path may contain. A map of objects has their names as keys. */
const namesOf = (inputs: Properties): [value: string, name: string][] =>
  Object.entries(inputs).flatMap(([name, value]): [string, string][] => {
    if (typeof value === "string") return value === "" ? [] : [[value, `<${name}>`]];
    return value && typeof value === "object" && !Array.isArray(value) ? Object.keys(value).map((key) => [key, "<name>"]) : [];
  });

/** Replaces the values of the inputs in a request by the names of the inputs. */
function templateOf(inputs: Properties, changed: Properties): (request: string) => string {
  const names = new Map([...namesOf({ ...changed, ...inputs }), ...namesOf({ ...inputs, ...changed })]);
  return (request) => {
    const [path = "", ...query] = request.split("?");
    const segments = path.split("/").map((segment) => names.get(decodeURIComponent(segment)) ?? segment);
    return [segments.join("/"), ...query].join("?");
  };
}

/** A case with the requests of each dialect that has the resource. */
function requestsOf(each: ResourceCase): object {
  const example = each.inputs(contextOf("hashicorp", "nomad"));
  const id = definitions.find(({ token }) => token === each.token)?.id ?? "";
  const context = contextOf("hashicorp", "<mount>");
  const template = templateOf(each.inputs(context), each.changed?.(context) ?? {});
  const dialects = (["hashicorp", "standard"] as const).filter((dialect) => isIn(dialect)(each));
  const byDialect = dialects.map((dialect) => {
    const requests = each.requests?.(contextOf(dialect, "<mount>"));
    const templates = operations.map((operation) => [operation, [...new Set((requests?.[operation] ?? []).map(template))]]);
    return [dialect, Object.fromEntries(templates)];
  });
  const neverCreates = each.neverCreates?.map(template);
  return {
    id: format(id, { mount: "nomad", ...each.changed?.(contextOf("hashicorp", "nomad")), ...example }),
    neverCreates,
    ...Object.fromEntries(byDialect),
  };
}

/** The content of tools/requests.json by the token of the resource. */
export const pageRequests = (): object =>
  JSON.parse(JSON.stringify(Object.fromEntries(livingCases.map((each) => [each.token, requestsOf(each)]))));

if (require.main === module) process.stdout.write(JSON.stringify(pageRequests(), undefined, 2));
