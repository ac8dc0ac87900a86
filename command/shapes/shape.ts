import { isObject } from "../../provider/text/json";

// The shape of JSON: the names of attributes and their types, without a value.

/** The types of each attribute by its path, such as `data.[].attributes.name`. A type that ends with `?` belongs to an attribute that may be missing. */
export type Shape = Readonly<Record<string, string>>;

export const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value);

/** The path of an attribute. A name that no attribute has, such as the path of a mount, is one that a user chose, and `[]` an element of a list. */
export const below = (path: string, name: string): string =>
  [path, /^[a-z_][\w-]*$|^\[\]$/i.test(name) ? name : "<name>"].filter(Boolean).join(".");

/** The attributes of a value, or undefined for one that has none. */
export const attributesOf = (value: unknown): [name: string, child: unknown][] | undefined =>
  Array.isArray(value) ? value.map((each) => ["[]", each]) : isObject(value) ? Object.entries(value) : undefined;

/** The contents of all responses to one request, compared with those that the package reads. */
export class Comparison {
  /** The types of each attribute, and `missing` where an object lacks it. */
  readonly seen: Map<string, Set<string>> = new Map();

  constructor(private readonly expected: Shape) {}

  add(value: unknown, path = ""): void {
    const children = attributesOf(value);
    const known = Object.keys(this.expected).filter((each) => each.startsWith(path && `${path}.`));
    // An object from which the package reads nothing may be a map, with names of a user as keys.
    if (!children || known.length === 0) return;
    const names = new Set(children.map(([name]) => below(path, name)));
    for (const each of known)
      if (isObject(value) && this.isRequired(each) && !names.has(each) && each.replace(/\.?[^.]+$/, "") === path) this.see(each, "missing");
    const isMap = known.includes(below(path, "<name>"));
    for (const [name, child] of children) {
      const place = below(path, isMap ? "<name>" : name);
      this.see(place, typeOf(child));
      this.add(child, place);
    }
  }

  private isRequired = (path: string): boolean => !path.endsWith("<name>") && !this.expected[path]?.endsWith("?");

  private see(path: string, type: string): void {
    this.seen.set(path, (this.seen.get(path) ?? new Set()).add(type));
  }

  /** The difference in an attribute. Null has no type, and an attribute that is null where this was recorded may have any. */
  verdict(path: string): "" | "missing" | "changed" | "unknown" {
    const expected = this.expected[path]?.replace("?", "").split(" | ");
    const types = [...(this.seen.get(path) ?? [])];
    if (!expected) return "unknown";
    if (types.includes("missing")) return "missing";
    const isAny = expected.every((type) => type === "null");
    return isAny || types.every((type) => type === "null" || expected.includes(type)) ? "" : "changed";
  }

  /** The attributes, sorted, each with its types and what differs. */
  lines(): string[] {
    return [...this.seen.keys()].sort().map((path) => {
      const verdict = this.verdict(path);
      const types = [...(this.seen.get(path) ?? [])].filter((type) => type !== "missing").sort();
      const wanted = verdict === "missing" || verdict === "changed" ? `, expected ${this.expected[path]}` : "";
      return `  ${path.replaceAll(".[]", "[]")}: ${[...types, verdict].filter(Boolean).join(" ")}${wanted}`;
    });
  }
}
