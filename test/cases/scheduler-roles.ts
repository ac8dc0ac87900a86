import * as fc from "fast-check";
import { name, word } from "../troubles/fuzz/values";
import { marked, text } from "../troubles/kind";
import { addTheirRole, Context, ResourceCase, roleNames, written } from "./case";

const path = ({ mount }: Context, role: string): string => `/v1/${mount}/role/${role}`;
const one = (context: Context): string => path(context, "one");
const list = ({ mount }: Context): string => `GET /v1/${mount}/role?list=true`;

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerRoles",
    inputs: () => ({ roles: { one: { policies: ["a"] }, two: { policies: ["a"] } } }),
    changed: () => ({ roles: { one: { policies: ["b"] }, three: { policies: ["a"] } } }),
    prepare: addTheirRole,
    requests: (context) => ({
      create: [list(context), `POST ${path(context, "one")}`, `POST ${path(context, "two")}`],
      update: [list(context), `POST ${path(context, "one")}`, `POST ${path(context, "three")}`, `DELETE ${path(context, "two")}`],
      refresh: [list(context), `GET ${path(context, "one")}`, `GET ${path(context, "three")}`],
      delete: [`DELETE ${path(context, "one")}`, `DELETE ${path(context, "three")}`],
    }),
    drifts: [
      written(one, { policies: "theirs", type: "client" }, ["roles"]),
      written(one, { policies: "", type: "management" }, ["roles"]),
      written(one, { policies: "b", type: "client", global: true }, ["roles"], "standard"),
      { change: (context) => context.outOfBand("secrets", "DELETE", path(context, "three")), shows: ["roles"] },
    ],
    paths: (context) => ["one", "two", "three"].map((role) => path(context, role)),
    troubles: {
      parts: roleNames,
      hasManyParts: true,
      inputs: (parts) => ({
        roles: Object.fromEntries([...parts].map(([name, value]) => [name, { policies: marked(value, [text(value)]) }])),
      }),
      held: (name, value) => [`role/${name}`, text(value)],
      keys: ({ roles }) => Object.keys(roles ?? {}).map((name) => `role/${name}`),
    },
    arbitraries: {
      roles: fc.dictionary(
        fc.oneof({ weight: 3, arbitrary: word }, name),
        fc.record(
          { policies: fc.array(word, { maxLength: 2 }), type: fc.constantFrom("client", "management"), global: fc.boolean() },
          { requiredKeys: [] },
        ),
        { maxKeys: 4 },
      ),
      exclusive: fc.boolean(),
    },
  },
];
