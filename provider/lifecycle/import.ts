import { invalidInput, StewardError } from "../contract/errors";
import { defaultsOf, namesWith, parseId } from "../contract/fields";
import { newInstance, Operation } from "../contract/operation";
import { className, operationOn, Resource } from "./context";
import { attempt, OperationFailed } from "./failure";
import { defined, Properties } from "./properties";
import { assertStorable } from "./recorded";
import { received, recorded } from "./references";

// The first read of a resource, which has an id but no state yet.

/** The state of an imported resource, and the inputs that declare it. */
interface Imported {
  state: Properties;
  inputs: Properties;
}

/** True if no run has recorded a state: the read is that of a `get` or an import. */
export const isFirstRead = (state: Properties): boolean => state.declared === undefined && state.server === undefined;

/** Reads an object without managing it. Throws {@link OperationFailed}. */
export async function get(resource: Resource, id: string, args: Properties): Promise<{ state: Properties }> {
  const fields = { ...args, ...partsOf(resource, id) };
  const object = await readById(resource, id, args);
  return { state: defined({ ...fields, ...object, server: operationOn(resource, fields).server.id, declared: [] }) };
}

/** Reads an object to manage it. Throws {@link OperationFailed}. */
export async function importResource(resource: Resource, id: string, args: Properties): Promise<Imported> {
  return importObject(resource, id, args, await readById(resource, id, args));
}

/** Reads an object. Throws {@link OperationFailed}. */
export async function readById(resource: Resource, id: string, args: Properties): Promise<Properties> {
  const { definition } = resource;
  const parts = partsOf(resource, id);
  const fields = { ...args, ...parts };
  return attempt(resource, "read", fields, async () => {
    const operation = operationOn(resource, fields);
    const rules = (definition.rules ?? []).filter((rule) => rule.fields.every((field) => field in parts));
    const failures = (await Promise.all(rules.map(({ check }) => check(parts, operation, {})))).flat();
    if (failures.length > 0) throw invalidInput(failures);
    const object: Properties | undefined = await definition.read({ operation, state: received(definition.fields, fields), declared: [] });
    if (object) {
      const state = recorded(definition.fields, object);
      assertStorable(state);
      return state;
    }
    // The engine would accept a missing resource, and return a resource without outputs to the program.
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: `the server has no object with the id "${id}"`,
      hint: "Correct the id, or remove this import or `get`.",
    });
  });
}

/** The state and the inputs of an object that was read. */
export function importObject(resource: Resource, id: string, args: Properties, object: Properties): Imported {
  const { definition } = resource;
  const fields = { ...args, ...partsOf(resource, id) };
  const operation = operationOn(resource, fields);
  const inputs = importedInputs(resource, operation, { ...args, ...object });
  const imported = recorded(definition.fields, definition.imported?.(received(definition.fields, object)) ?? object);
  const state: Properties = { ...fields, ...imported, ...inputs, server: operation.server.id };
  // Two imports of one object are two instances.
  return { state: defined({ ...state, declared: Object.keys(inputs).sort(), instance: newInstance() }), inputs };
}

function partsOf({ definition }: Resource, id: string): Properties {
  const parts = definition.readById && parseId(definition, id);
  if (parts) return parts;
  const error = new StewardError({
    code: "ERR_INVALID_INPUT",
    operation: `Cannot read ${className(definition)}`,
    ...(definition.readById
      ? { rule: "id", reason: `"${id}" is not a valid id`, hint: `Write it as ${definition.id}.` }
      : {
          rule: "no-read-by-id",
          reason: "it cannot be imported or read by id",
          hint: "Declare a new resource instead of an import or `get`.",
        }),
  });
  throw new OperationFailed(error, undefined);
}

/** The inputs for an import: every readable value, defaults, and empty strings for required inputs that cannot be read, so that `check` reports them. */
function importedInputs({ definition: { fields } }: Resource, operation: Operation, object: Properties): Properties {
  const names = namesWith(fields, "input").filter((field) => object[field] !== undefined || fields[field]?.required);
  return defined({
    ...defaultsOf(fields, operation),
    ...Object.fromEntries(names.map((field) => [field, object[field] === undefined ? "" : object[field]])),
  });
}
