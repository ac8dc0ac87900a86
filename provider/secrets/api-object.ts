import { Definition, Discovered, DiscoverRequest, ExistingObject, FindRequest } from "../contract/definition";
import { placeholdersIn } from "../contract/fields";
import { Adopt } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { isStringList, Json } from "../text/json";
import { apiPath, dialectOf, invalidResponse, Place, Reading, readData, remove, replaceHint, writeData } from "./client";
import { normalizeMount } from "./mount-path";
import { atEachMount } from "./scheduler-mounts";

// An object of the API, and the lists of named objects.

/** The names in a list. A list without names is a 404. */
export async function listNames(operation: Operation, path: string, about: Place & Reading = {}): Promise<string[]> {
  const data = await readData(operation, path, { query: { list: "true" }, ...about });
  if (!data) return [];
  // Go encodes an empty list as null.
  const keys = data.keys === null && !dialectOf(operation).formsAreKnown ? [] : data.keys;
  if (!isStringList(keys)) throw invalidResponse(operation, path);
  return keys;
}

type Values = Record<string, unknown>;

/** A resource that is one object of the API. */
interface ApiObject<Inputs, State> {
  /** The path below `/v1`: `sys/quotas/rate-limit/<name>`. If it ends with a field, the path above it lists the objects. */
  path: string;
  /** The body of a write. */
  toWire(inputs: Inputs): Json;
  /** The fields in the data of a read, without those in the path. Undefined if the data is invalid. */
  fromWire(data: Values): Partial<State> | undefined;
  /** True if the state that a read returns has the written values. */
  shows(state: Partial<State>, inputs: Inputs): boolean;
  /** True for a state that may also stand for none, if the API document shows no response for that. `fields`: the last ones. */
  isBlank?(state: Partial<State>, fields: Partial<State>): boolean;
  /** Why a create fails if the object exists, and the remedy. */
  exists?(inputs: Inputs): { reason: string; remedy: string };
}

const alreadyExists = { reason: "it already exists", remedy: "set adopt: true to overwrite it." };

/** The operations of an {@link ApiObject}. A definition includes `operations`, and replaces those that differ. */
export function apiObject<Inputs extends { adopt?: Adopt }, State extends object>({
  path: template,
  toWire,
  fromWire,
  shows,
  isBlank,
  exists = () => alreadyExists,
}: ApiObject<Inputs, State>) {
  const names = placeholdersIn(template);
  const nameInList = template.endsWith(">") ? names.at(-1) : undefined;
  /** `role`, `config/lease`. */
  const below = template.replace(/^<mount>\/|\/<\w+>$/g, "");

  function pathOf(fields: object): string {
    const values = fields as Values;
    const [first = "", ...rest] = template.split("/").map((part) => part.replace(/^<(\w+)>$/, (_, name) => String(values[name])));
    return apiPath(normalizeMount(first), ...rest);
  }

  const placeOf = (fields: object): Place => {
    const { mount, [nameInList ?? ""]: name } = fields as Values;
    return { mount, name } as Place;
  };

  async function read(operation: Operation, fields: object, reading: Reading = {}): Promise<State | undefined> {
    const path = pathOf(fields);
    const data = await readData(operation, path, { ...reading, ...placeOf(fields) });
    if (!data) return undefined;
    const values = fromWire(data);
    if (!values) throw invalidResponse(operation, path);
    if (!dialectOf(operation).formsAreKnown && isBlank?.(values, fields)) return undefined;
    return { ...Object.fromEntries(names.map((name) => [name, (fields as Values)[name]])), ...values } as State;
  }

  async function write(operation: Writer, inputs: Inputs): Promise<State> {
    await writeData(operation, { path: pathOf(inputs), body: toWire(inputs), ...placeOf(inputs) }, (data) => {
      const state = fromWire(data);
      return state !== undefined && shows(state, inputs);
    });
    return inputs as unknown as State;
  }

  async function find({ operation, inputs }: FindRequest<Inputs>): Promise<ExistingObject<State> | undefined> {
    const { reason, remedy } = exists(inputs);
    const state = await read(operation, inputs, { anyNotFound: inputs.adopt === true, mayBeMissing: true });
    return state && { refusal: { reason, remedy: `${remedy} ${replaceHint}` }, state };
  }

  async function search(operation: Operation, fields: Partial<Values>): Promise<Discovered<State>[]> {
    const path = pathOf(fields);
    if (nameInList)
      return (await listNames(operation, path.replace(/\/[^/]*$/, ""), { ...placeOf(fields), mayBeMissing: true })).map((name) => ({
        state: { ...fields, [nameInList]: name } as Partial<State>,
      }));
    const state = await read(operation, fields, { mayBeMissing: true });
    return state ? [{ state, isRead: true, suggestedName: [...Object.values(fields), path.replace(/^.*\//, "")].join("-") }] : [];
  }

  const operations: Pick<Definition<Inputs, State>, "objects" | "read" | "find" | "create" | "update"> & {
    discover(request: DiscoverRequest): Promise<Discovered<State>[]>;
  } = {
    objects: {
      fields: names as (keyof Inputs & string)[],
      paths: (fields) => [pathOf(fields as object)],
      remove: ({ operation, state }, claims) =>
        claims.each(pathOf(state), (claim) => remove(claim, async (reading) => !(await read(operation, state, reading)))),
    },
    read: ({ operation, state, declared }) => read(operation, state, { mayBeMissing: declared.length === 0 }),
    find,
    create: ({ operation, inputs }) => write(operation, inputs),
    update: ({ operation, inputs }) => write(operation, inputs),
    discover: (request) =>
      names.includes("mount")
        ? atEachMount(request, below, (mount) => search(request.operation, { mount }))
        : request.attempt(below, () => search(request.operation, {})),
  };
  return { pathOf, read, write, operations };
}
