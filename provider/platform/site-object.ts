import { Definition, ExistingObject, Fields } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { comparisonOf, differencesOf, namesWith } from "../contract/fields";
import { adoptField, connectionField } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { areEqual, secretOf } from "../contract/secret";
import { invalidResponse } from "../http/failure";
import { Json } from "../text/json";
import { adminPath, asString, assertGone, call, callAsAdministrator, ResourceObject, remove, resourceOf, system, wireName } from "./client";
import { readAll } from "./pages";

type Values = Record<string, unknown>;
/** The state of a site object, with what the server made of the inputs. It removes HTML from a banner, for example. */
export type Published<State> = State & { published?: Values };

/** One object of a list in the administration API. The server chooses its id. */
interface SiteObject<Inputs, State> extends Pick<Definition<Inputs, State>, "displayName" | "name" | "rules"> {
  /** `Banner`. */
  type: string;
  /** The type in the documents. */
  documentType: string;
  /** The segments of the list's path below the administration API. */
  list: readonly string[];
  /** The output with the id. */
  id: keyof State & string;
  attributes: Omit<Fields<Inputs, State, State>, "adopt" | "connection">;
  /** The wire names that differ from those of the fields. */
  wireNames?: Readonly<Record<string, string>>;
  /** The object that a program may declare only once, and the inputs in its path. If omitted, a program may declare any number. */
  object?: { fields: readonly (keyof Inputs & string)[]; path(fields: Inputs | State): string };
  /** The object that a create finds in the list. If omitted, each create makes another one. */
  find?(listed: readonly ResourceObject[], inputs: Inputs): ResourceObject | undefined;
  /** Why a create fails if it finds an object with other values, and the remedy. */
  refusal?: ExistingObject<State>["refusal"];
  /** The hint of an error when the server rejects a deletion. */
  whenKept?: string;
  /** True for an object that no longer exists because its time is over, which is no drift. */
  isOver?(state: State): boolean;
  /** True for an object that a list may still have although it no longer works. */
  isEnded?(state: State): boolean;
  /** Why none can be imported, or the field after which an import names each object, without those that another resource manages. */
  discover: string | { name: keyof State & string; isOther?(listed: ResourceObject): boolean };
}

/** The objects of a list. HashiCorp's documents show no pages of these lists. */
export const listOf = (operation: Operation, segments: readonly string[]): Promise<ResourceObject[]> =>
  readAll(operation, adminPath(...segments), callAsAdministrator, "");

/** Makes the definition of a site object. */
export function siteObject<Inputs extends object, State extends object>(
  options: SiteObject<Inputs, State>,
): Definition<Inputs, State, Published<State>> {
  const { id, object, discover, wireNames = {} } = options;
  const all = {
    ...options.attributes,
    published: { stored: true, secretOutput: true },
    ...(options.find && { adopt: adoptField }),
    connection: connectionField,
  };
  const fields = all as unknown as Fields<Inputs, State, Published<State>>;
  const outputs = namesWith(fields, "output").filter((name) => name !== id);
  /** The inputs that the server shows. */
  const shown = outputs.filter((name) => fields[name as keyof Inputs]?.input);
  const isSecret = (name: string): boolean => namesWith(fields, "secret").includes(name);
  const isSame = (name: string, a: unknown, b: unknown): boolean => areEqual(comparisonOf(fields, name), a, b);
  const pathOf = (state: Values): string => adminPath(...options.list, asString(state[id]));
  const wire = (operation: Operation, name: string): string => wireNames[name] ?? wireName(operation, name);

  /** `last`: the values that stay while the server shows what it published of them, and the secrets that it does not show again. */
  function stateOf(operation: Operation, { id: key, attributes }: ResourceObject, last: Values = {}): Values {
    const published = last.published as Values | undefined;
    const values = outputs.map((name) => {
      const value = attributes[wire(operation, name)] ?? undefined;
      if (isSecret(name)) return [name, typeof value === "string" ? secretOf(value) : last[name]];
      return [name, published && isSame(name, value, published[name]) ? last[name] : value];
    });
    return { ...Object.fromEntries(values), published, [id]: key };
  }

  /** The state after a write: the declared values, and what the server published of them. */
  function written(state: Values, inputs: Values): Published<State> {
    const pick = (from: Values): Values => Object.fromEntries(shown.flatMap((name) => (name in inputs ? [[name, from[name]]] : [])));
    return { ...state, ...pick(inputs), published: pick(state) } as Published<State>;
  }

  /** Creates an object, or changes `before`. */
  async function write(operation: Writer, inputs: Values, names: readonly string[], before?: Values): Promise<Published<State>> {
    const attributes = Object.fromEntries(names.map((name) => [wire(operation, name), inputs[name] ?? null])) as Json;
    const body = { data: { type: options.documentType, attributes } };
    const request = before
      ? ({ method: "PATCH", path: pathOf(before), body, retry: "idempotent" } as const)
      : ({ method: "POST", path: adminPath(...options.list), body, retry: "only429" } as const);
    const send = async (): Promise<ResourceObject> => {
      const created = resourceOf(await (before ? call : callAsAdministrator)(operation, request), request);
      const lacksSecret = namesWith(fields, "secret").some((name) => typeof created.attributes[wire(operation, name)] !== "string");
      if (!before && (created.id === "" || lacksSecret)) throw invalidResponse(request.method, request.path);
      return created;
    };
    const response = await send().catch((error) => {
      if (before || !(error instanceof StewardError) || !error.details.outcomeUnknown) throw error;
      // The id is unknown, so the state cannot have the object.
      const { service } = operation.server.words;
      const next = options.find
        ? "The next `pulumi up` finds it"
        : `Delete it in ${service}, since the next \`pulumi up\` creates another one`;
      throw error.with({ rule: "perhaps-created", outcomeUnknown: false, hint: `It may have been created. ${next}.` });
    });
    return written(stateOf(operation, response), inputs);
  }

  const definition: Omit<Definition<Values, Values, Values>, "fields"> & { fields: object } = {
    system,
    dialects: ["hashicorp"],
    token: `platform:${options.type}`,
    displayName: options.displayName,
    name: options.name,
    id: `<${id}>`,
    ...(typeof discover === "string" ? {} : { readById: true }),
    fields,
    rules: options.rules as Definition<Values, Values>["rules"],
    deleteBeforeReplace: false,
    objects: {
      fields: object?.fields ?? [],
      paths: (of) => (object ? [object.path(of as Inputs | State)] : []),
      remove: ({ state }, claims) =>
        claims.each(object?.path(state as State) ?? pathOf(state), (claim) =>
          remove({ ...claim, path: pathOf(state) }, "idempotent").catch((error) => {
            if (error instanceof StewardError && error.code === "ERR_REJECTED") throw error.with({ hint: options.whenKept });
            return assertGone(claim.operation, error);
          }),
        ),
    },
    async read({ operation, state }) {
      const found = (await listOf(operation, options.list)).find((each) => each.id === state[id]);
      if (found) {
        const current = stateOf(operation, found, state);
        return options.isEnded?.(current as State) ? undefined : current;
      }
      return options.isOver?.(state as State) ? state : undefined;
    },
    async find({ operation, inputs }) {
      const found = options.find?.(await listOf(operation, options.list), inputs as Inputs);
      if (!found) return undefined;
      const state = stateOf(operation, found);
      const differences = differencesOf(fields, shown, state, inputs);
      // The response to an earlier create may have been lost.
      return { state, differences, refusal: differences.length > 0 ? options.refusal : undefined };
    },
    async create({ operation, inputs, existing: { state, differences = [] } = {} }) {
      const names = state ? differences.map(({ path }) => path) : shown.filter((name) => name in inputs);
      return state && names.length === 0 ? written(state, inputs) : write(operation, inputs, names, state);
    },
    async update({ operation, inputs, last }) {
      const changeable = shown.filter((name) => !namesWith(fields, "replaces").includes(name));
      const names = changeable.filter((name) => last.outcomeUnknown || !isSame(name, last[name], inputs[name]));
      if (names.length > 0) return write(operation, inputs, names, last);
      // Only the address changes, or the program declares a value that the server has.
      const { published } = written(last, inputs);
      return { ...last, ...inputs, outcomeUnknown: undefined, published: { ...published, ...(last.published as Values | undefined) } };
    },
    discover:
      typeof discover === "string"
        ? discover
        : ({ operation, attempt }) =>
            attempt(options.list.join("/"), async () =>
              (await listOf(operation, options.list))
                .filter((each) => !discover.isOther?.(each))
                .map((each) => stateOf(operation, each))
                .map((state) => ({ state, isRead: true, suggestedName: asString(state[discover.name]) })),
            ),
  };
  // `SiteObject` has the types of the resource.
  return definition as unknown as Definition<Inputs, State, Published<State>>;
}
