import { readFileSync } from "node:fs";
import { join } from "node:path";
import { platform, secrets } from "../../provider";

interface Enumeration {
  enum?: { value: string }[];
}

const schema = JSON.parse(readFileSync(join(__dirname, "../../bin/schema.json"), "utf8")) as { types: Record<string, Enumeration> };
const enumerations = Object.entries(schema.types).flatMap(([token, { enum: values }]) => (values ? [[token, values] as const] : []));

test("the schema has enumerations", () => expect(enumerations.length).toBeGreaterThanOrEqual(3));

test.each(enumerations)("a program that pulumi import generates finds the names of %s", (token, values) => {
  const [, module = "", name = ""] = token.split(":");
  const constants = ({ platform, secrets } as Record<string, object>)[module] as Record<string, object>;
  expect(constants[name]).toEqual(Object.fromEntries(values.map(({ value }) => [`${value[0]?.toUpperCase()}${value.slice(1)}`, value])));
});
