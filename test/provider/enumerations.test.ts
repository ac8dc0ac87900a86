import { readFileSync } from "node:fs";
import { join } from "node:path";
import { platform, secrets } from "../../provider";

interface Schema {
  types: Record<string, { enum?: { name: string; value: string }[] }>;
  resources: Record<string, { isComponent?: boolean; inputProperties: object }>;
}

const { types, resources } = JSON.parse(readFileSync(join(__dirname, "../../bin/schema.json"), "utf8")) as Schema;

/** The types that these properties refer to, with the types of their own properties. */
function typesIn(properties: object, found = new Set<string>()): Set<string> {
  for (const [, token = ""] of JSON.stringify(properties).matchAll(/"#\/types\/([^"]+)"/g)) {
    if (found.has(token)) continue;
    found.add(token);
    typesIn(types[token] as object, found);
  }
  return found;
}

const importable = Object.values(resources).filter(({ isComponent }) => !isComponent);
const enumerations = [...typesIn(importable.map(({ inputProperties }) => inputProperties))].flatMap((token) => {
  const values = types[token]?.enum;
  return values ? [[token, values] as const] : [];
});

test("resources have enumerations", () => expect(enumerations.length).toBeGreaterThanOrEqual(3));

test.each(enumerations)("a program that pulumi import generates resolves the names of %s", (token, values) => {
  const [, module = "", name = ""] = token.split(":");
  const constants = ({ platform, secrets } as Record<string, object>)[module] as Record<string, object>;
  expect(constants[name]).toEqual(Object.fromEntries(values.map((each) => [each.name, each.value])));
});

test("no two values of an enumeration have the same name", () => {
  for (const { enum: values = [] } of Object.values(types)) {
    for (const { name } of values) expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    expect(new Set(values.map(({ name }) => name)).size).toBe(values.length);
  }
});
