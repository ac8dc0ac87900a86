import { Declaration, Program } from "./program";
import { isObject, Reference, Secret } from "./values";

/** The program for the real command line. `construct` returns the beginning of the call of a declaration's constructor. */
export function sourceOf(program: Program, construct: (declaration: Declaration) => string, realUrn: (urn: string) => string): string {
  const resource = (name: string): string => `all[${JSON.stringify(name)}]`;
  const value = (of: unknown): string => {
    if (of instanceof Secret) return `pulumi.secret(${value(of.value)})`;
    if (of instanceof Reference) return `${resource(of.resource)}.${of.output}`;
    if (Array.isArray(of)) return `[${of.map(value).join(", ")}]`;
    if (!isObject(of)) return JSON.stringify(of);
    return `{ ${Object.entries(of)
      .map(([name, inner]) => `${JSON.stringify(name)}: ${value(inner)}`)
      .join(", ")} }`;
  };
  const options = (declaration: Declaration): string => {
    const { parent, aliases, dependsOn, get, secretOutputs, import: id, ...more } = declaration;
    const { deleteBeforeReplace, replaceOnChanges, replacementTrigger } = more;
    const given = {
      ...{ deleteBeforeReplace, replaceOnChanges, replacementTrigger, id: get, import: id },
      aliases: aliases?.map(realUrn),
      additionalSecretOutputs: secretOutputs,
    };
    const lines = Object.entries(given).filter(([, option]) => option !== undefined);
    return [
      ...lines.map(([name, option]) => `${name}: ${JSON.stringify(option)}`),
      ...(parent ? [`parent: ${resource(parent)}`] : []),
      ...(dependsOn ? [`dependsOn: [${dependsOn.map(resource).join(", ")}]`] : []),
    ].join(", ");
  };
  const lines = program.map(
    (each) => `${resource(each.name)} = ${construct(each)}${JSON.stringify(each.name)}, ${value(each.inputs)}, { ${options(each)} });`,
  );
  const outputs = program.flatMap(({ name, outputs }) => (outputs ? [`${resource(name)}.registerOutputs(${value(outputs)});`] : []));
  return ["const all = {};", ...lines, ...outputs].join("\n");
}
