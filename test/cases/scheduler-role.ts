import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { marked, only, text } from "../troubles/kind";
import { addTheirRole, Context, ResourceCase, requestsOf, roleNames, written } from "./case";

const path = ({ mount }: Context, name = "web"): string => `/v1/${mount}/role/${name}`;

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerRole",
    inputs: () => ({ name: "web", policies: ["readonly"] }),
    changed: () => ({ name: "web", policies: ["other"] }),
    replaced: () => ({ name: "site", policies: ["other"] }),
    prepare: addTheirRole,
    requests: requestsOf(path),
    drifts: [
      written(path, { policies: "theirs", type: "client" }, ["policies"]),
      written(path, { policies: "", type: "management" }, ["policies", "type"]),
      written(path, { policies: "other", type: "client", global: true }, ["global"], "standard"),
      { change: (context) => context.outOfBand("secrets", "DELETE", path(context)), shows: "gone" },
    ],
    paths: (context) => [path(context), path(context, "site")],
    troubles: {
      parts: roleNames,
      inputs: (parts) => {
        const [name, value] = only(parts);
        return { name, policies: marked(value, [text(value)]) };
      },
      held: (name, value) => [`role/${name}`, text(value)],
      keys: ({ name }) => [`role/${name}`],
    },
    arbitraries: {
      name: word,
      policies: fc.array(word, { maxLength: 3 }),
      global: fc.boolean(),
      type: fc.constantFrom("client", "management"),
    },
  },
];
