import { AnyDefinition } from "../../provider/contract/definition";
import { format, namesWith } from "../../provider/contract/fields";
import { Operation } from "../../provider/contract/operation";
import { nativeType } from "../../provider/program/dynamic";
import { definitions } from "../../provider/registry/resources";
import { configurationKey } from "./program";
import { Found, isIn, Refused } from "./search";
import { declaredSecrets, Imported } from "./state";

// The output of the command, without the values of secrets.

/** The resources that were found. */
export function table(objects: readonly Found[]): string[] {
  if (objects.length === 0) return [];
  const rows = [["TYPE", "NAME", "ID"], ...objects.map(({ definition, name, id }) => [nativeType(definition.token), name, id])];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return [...lines.map((line) => line.trimEnd()), ""];
}

/** The resources of these servers that cannot be imported, grouped by reason. */
export function operations(connections: readonly Operation[]): Refused[] {
  const asked = definitions.filter(
    (definition) => typeof definition.discover !== "function" && connections.some((each) => isIn(each)(definition)),
  );
  const reasonOf = ({ discover }: AnyDefinition): string =>
    typeof discover === "string" ? discover : "an operation, which leaves nothing to import on the server";
  const nounOf = (definition: AnyDefinition): string =>
    format(definition.displayName, connections.find((each) => isIn(each)(definition))?.server.words ?? {});
  const reasons = [...new Set(asked.map(reasonOf))];
  return reasons.map((reason) => {
    const nouns = asked.filter((definition) => reasonOf(definition) === reason).map(nounOf);
    return [[...new Set(nouns)].join(", "), `${reason}.`];
  });
}

/** The secrets of resources for the native plugin: those that Pulumi writes into the program in plaintext, and those that no server shows. */
export function nativeWarnings(objects: readonly Found[]): string[] {
  return objects.flatMap(({ definition: { fields, token }, name, discovered: { state } }) => {
    const readable = namesWith(fields, "secret").filter((field) => fields[field]?.output && state[field]);
    const hidden = namesWith(fields, "writeOnly").filter((field) => fields[field]?.input);
    const about = `${nativeType(token)} "${name}"`;
    return [
      ...(readable.length > 0
        ? [
            `${about}: \`pulumi import\` writes ${readable.join(", ")} into the program in plaintext. Replace each with config.requireSecret before you commit the program.`,
          ]
        : []),
      ...(hidden.length > 0
        ? [
            `${about}: the server never returns ${hidden.join(", ")}. Add the ones that you manage to the program: the next \`pulumi up\` writes them.`,
          ]
        : []),
    ];
  });
}

/** The secrets of a program: those that no server shows, and those that the server shows. */
export function secretNotices(resources: readonly Imported[], output: string): string[] {
  const unreadable = resources.flatMap(({ name, discovered }) =>
    Object.entries(discovered.unreadable ?? {}).map(([field, variable]) => `  ${variable}: ${field} of ${name}`),
  );
  const declared = resources.flatMap((each) =>
    declaredSecrets(each).map((field) => `  ${field} of ${each.name}: ${configurationKey(each, field)}`),
  );
  const left = resources.flatMap(({ name, readable, inputs }) =>
    readable.filter((field) => inputs[field] === undefined).map((field) => `  ${field} of ${name}`),
  );
  const section = (title: string, lines: readonly string[]): string[] => (lines.length > 0 ? [title, ...lines] : []);
  return [
    ...section("The server never returns these secrets. The first `pulumi up` sends them, from these variables:", unreadable),
    ...section(`Secrets in ${output}, encrypted, and in the configuration of the stack:`, declared),
    ...section("Omitted, because they are secret. The program says how to declare them:", left),
  ];
}
