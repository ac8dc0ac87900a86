import { valueAt } from "../inputs";

/** Inputs and outputs as the engine hands them over. */
export type Properties = Record<string, unknown>;

/** What the engine puts in the place of a value that a preview cannot know. @internal */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The input in which the program's side names the secret ones, of which no line may show a value. @internal */
export const secretInputs = "secretInputs";

/** A field; of an open one, `field.key`. @internal */
export const fieldAt = (properties: Properties, field: string): unknown =>
  field in properties ? properties[field] : valueAt(properties, field.split("."));

/** @internal */
export function put(properties: Properties, field: string, value: unknown): void {
  const [name = "", key] = field.split(".");
  properties[name] = key === undefined ? value : { ...(properties[name] as Properties | undefined), [key]: value };
}

/** @internal */
export function hasUnknown(value: unknown): boolean {
  return value === unknown || (typeof value === "object" && value !== null && Object.values(value).some(hasUnknown));
}

/** Every text in a value that is secret. The name of a variable or a file that holds a secret is none. @internal */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "object" && value !== null && /^(env|file)$/.test(Object.keys(value).join())) return [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The inputs that are given at all; a null further inside is for the schema to refuse. @internal */
export const withoutNulls = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined && value !== null));

/** Without what is undefined or null, at any depth: for the engine both mean "not given", and on its wire there is no undefined. @internal */
export function defined(properties: Properties): Properties {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    return typeof value === "object" && value !== null ? defined(value as Properties) : value;
  };
  return Object.fromEntries(Object.entries(withoutNulls(properties)).map(([field, value]) => [field, clean(value)]));
}
