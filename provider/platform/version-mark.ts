import { Claims, CreateRequest, DeleteRequest, DiscoverRequest, ExistingObject, FindRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { differencesOf } from "../contract/fields";
import { cached, Operation, Writer } from "../contract/operation";
import { Json } from "../text/json";
import { apiPath, asString, call, dialectOf, isNotFound, system } from "./client";
import { addressOf, clearCachedVersion, Identity, Module, part } from "./module-versions";
import { readAll } from "./pages";

// A mark of a module version: its deprecation or its revocation.

const identity = ["organizationName", "moduleName", "moduleProvider", "moduleVersion"] as const;
const identityField = { input: part, required: true, output: true, replaces: true } as const;
/** The fields in the address of a version. */
export const identityFields = {
  organizationName: identityField,
  moduleName: identityField,
  moduleProvider: identityField,
  moduleVersion: identityField,
};

export const identityOf = (fields: Identity): Identity =>
  Object.fromEntries(identity.map((field) => [field, fields[field]])) as unknown as Identity;

interface VersionMark<Inputs, State> {
  /** `deprecated`. */
  word: string;
  /** The input that a mark has besides the link. */
  text: keyof Inputs & string;
  /** The path of the mark, as an object of its own. */
  pathOf(version: Identity): string;
  /** The mark on the server. */
  read(operation: Operation, version: Identity): Promise<State | undefined>;
  /** Marks the version. `before`: the link before the write. */
  write(operation: Writer, inputs: Inputs, before?: string): Promise<State>;
  /** The attributes that remove the mark. */
  removal: Json;
}

const address = "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>";

/** The parts of a definition that all marks share. */
export const versionMark = <Inputs extends Identity, State extends Identity & { link: string | undefined }>({
  word,
  text,
  pathOf,
  read,
  write,
  removal,
}: VersionMark<Inputs, State>) => ({
  system,
  name: address,
  id: address,
  readById: true as const,
  objects: {
    fields: identity,
    paths: (fields: Identity) => [pathOf(fields)],
    remove: ({ state }: DeleteRequest<State>, claims: Claims) =>
      claims.each(pathOf(state), ({ operation }) =>
        patchVersion(operation, state, removal).catch(async (error) => {
          if (!isNotFound(operation, error)) throw error;
          // A removed version has no mark. If it still has one, the 404 means that the token may not manage it.
          if (await read(operation, state))
            throw error.with({ rule: "not-manager", hint: "The token may not manage the modules of that organization." });
        }),
      ),
  },
  /** A version that already has the mark, with this text and link, needs no adoption. */
  async find({ operation, inputs }: FindRequest<Inputs>): Promise<ExistingObject<State> | undefined> {
    const state = await read(operation, inputs);
    if (!state) return undefined;
    const differences = differencesOf({}, [text, "link"], state, inputs);
    const reason = `it is already ${word} with a different ${text} or link`;
    const remedy = `set adopt: true to overwrite them, or declare the same ${text} and link.`;
    return { state, differences, refusal: differences.length > 0 ? { reason, remedy } : undefined };
  },
  create: async ({ operation, inputs, existing: { state, differences = [] } = {} }: CreateRequest<Inputs, State>) =>
    state && differences.length === 0 ? state : write(operation, inputs, state?.link),
});

export const versionPath = (version: Identity): string =>
  apiPath("api", "v2", "organizations", version.organizationName, "registry-modules", "private", ...Object.values(identityOf(version)));

export async function patchVersion(operation: Writer, version: Identity, attributes: Json): Promise<unknown> {
  try {
    const body = { data: { type: "module-versions", attributes } };
    return await call(operation, { method: "PATCH", path: versionPath(version), body, retry: "idempotent" });
  } catch (error) {
    if (!isNotFound(operation, error)) throw error;
    throw error.with({ hint: "The version does not exist, or the token may not manage the modules of that organization." });
  } finally {
    clearCachedVersion(operation, version);
  }
}

/** Finds versions in the given private modules, or in those of every organization that the token can read. */
export async function searchModules(
  { operation, modules, attempt }: DiscoverRequest,
  what: string,
  find: (module: Module) => Promise<Identity[]>,
): Promise<{ state: Identity }[]> {
  const search = async (module: Module): Promise<{ state: Identity }[]> =>
    attempt(addressOf(module).join("/"), async () => (await find(module)).map((version) => ({ state: identityOf(version) })));
  const listed = (): Promise<Module[]> => attempt(what, () => modulesOf(operation, attempt));
  const searched = modules.length > 0 ? modules.map(named) : await cached(operation.run.cache, ["modules", operation.server.id], listed);
  return (await Promise.all(searched.map(search))).flat();
}

async function modulesOf(operation: Operation, attempt: DiscoverRequest["attempt"]): Promise<Module[]> {
  if (!dialectOf(operation).readsOrganizations)
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: "the API specification has no endpoint that lists modules",
      hint: "Specify each module with --module <organization>/<name>/<provider>.",
    });
  const organizations = await readAll(operation, apiPath("api", "v2", "organizations"));
  const lists = organizations.map(({ id }) =>
    attempt(`modules of ${id}`, async () => {
      const listed = await readAll(operation, apiPath("api", "v2", "organizations", id, "registry-modules"));
      return listed.map(({ attributes }) => named([id, asString(attributes.name), asString(attributes.provider)].join("/")));
    }),
  );
  return (await Promise.all(lists)).flat();
}

function named(module: string): Module {
  const [organizationName = "", moduleName = "", moduleProvider = ""] = module.split("/");
  return { organizationName, moduleName, moduleProvider };
}
