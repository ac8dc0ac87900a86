import { DiscoverRequest } from "../definition";
import { StewardError } from "../errors";
import { apiPath, asString, dialectOf } from "./client";
import { Module } from "./module-version";
import { readAll } from "./pages";

/** The private modules to search: the given ones, or those of every organization that the token can read. */
export async function modulesFor({ operation, modules, attempt }: DiscoverRequest): Promise<Module[]> {
  if (modules.length > 0) return modules.map(named);
  return attempt("deprecated module versions", async () => {
    if (!dialectOf(operation).listsModules)
      throw new StewardError({
        code: "ERR_NOT_FOUND",
        reason: "the API specification has no endpoint that lists modules",
        hint: "Name each module with --module <organization>/<name>/<provider>.",
      });
    const organizations = await readAll(operation, apiPath("api", "v2", "organizations"));
    const lists = organizations.map(({ id }) =>
      attempt(`modules of ${id}`, async () => {
        const listed = await readAll(operation, apiPath("api", "v2", "organizations", id, "registry-modules"));
        return listed.map(({ attributes }) => named([id, asString(attributes.name), asString(attributes.provider)].join("/")));
      }),
    );
    return (await Promise.all(lists)).flat();
  });
}

function named(module: string): Module {
  const [organizationName = "", moduleName = "", moduleProvider = ""] = module.split("/");
  return { organizationName, moduleName, moduleProvider };
}
