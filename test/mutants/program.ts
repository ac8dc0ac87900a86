import { MutatedFile } from "./mutant";

export const program: readonly MutatedFile[] = [
  {
    file: "provider/fields.ts",
    suites: ["test/provider/secrets/role-names.test", "test/command/discover.test"],
    commandLine: [],
    mutants: [["an id may have parts that the input rejects", "(!input || issuesOf(input, value).length === 0) && ", ""]],
  },
  {
    file: "provider/inputs.ts",
    suites: ["test/troubles/fuzz/wording.test"],
    commandLine: [],
    mutants: [["a message about a wrong boolean is that of zod", 'z.boolean("must be true or false")', "z.boolean()"]],
  },
  {
    file: "provider/inputs.ts",
    suites: ["test/provider/lifecycle/check.test", "test/provider/program/plain-inputs.test"],
    commandLine: [],
    mutants: [
      [
        "the path of a role named a.b looks like that of an attribute",
        "/^[A-Za-z_]\\w*$/.test(String(part))",
        "/^[A-Za-z_]/.test(String(part))",
      ],
    ],
  },
  {
    file: "provider/inputs.ts",
    suites: [
      "test/provider/scheduler/lists.test",
      "test/troubles/fuzz/inputs.test",
      "test/troubles/fuzz/functions.test",
      "test/provider/connection/connection.test",
    ],
    commandLine: [],
    mutants: [["half of a surrogate pair is sent", "?? brokenStrings(value);", "?? [];"]],
  },
  {
    file: "provider/inputs.ts",
    suites: ["test/provider/lifecycle/check.test"],
    commandLine: [],
    mutants: [["an address with credentials is accepted", "!urlOf(value).username && !urlOf(value).password", "urlOf(value)"]],
  },
  {
    file: "provider/log/log.ts",
    suites: ["test/provider/log/log.test"],
    commandLine: [],
    mutants: [["a printed line contains escape sequences of a server", "console.log(printable(line))", "console.log(line)"]],
  },
  {
    file: "provider/engine/plugin.ts",
    suites: ["test/secrecy-native.test"],
    commandLine: [],
    mutants: [
      [
        "native: an error shows a value that only the program marks as secret",
        "canReturnSecrets: true, urn, secretInputs, secretValues };",
        "canReturnSecrets: true, urn, secretInputs, secretValues: [] };",
      ],
    ],
  },
];
