import { AnyDefinition } from "../../provider/contract/definition";
import { namesWith, secretsOf } from "../../provider/contract/fields";
import { definitions } from "../../provider/registry/resources";

export const definitionOf = (token: string): AnyDefinition => {
  const found = definitions.find((definition) => definition.token === token);
  if (!found) throw new Error(`There is no definition ${token}: run npm run generate.`);
  return found;
};

/** The secret inputs and outputs of a definition, including paths such as `submission.candidate`. */
export const secretFields = ({ fields }: Pick<AnyDefinition, "fields">): string[] => secretsOf(fields).map((path) => path.join("."));

/** The outputs that are encrypted as a whole, since they may contain secret inputs. Pulumi hides those that are neither declared nor public. */
export const holdingOutputs = ({ fields }: Pick<AnyDefinition, "fields">): string[] =>
  namesWith(fields, "secretOutput").map((name) => (fields[name]?.output || fields[name]?.input ? name : `__${name}`));

/** The secret outputs as a class registers them: without paths, and with the former inputs. */
export const secretOutputs = (definition: Pick<AnyDefinition, "fields">): string[] => [
  ...secretFields(definition).filter((path) => !path.includes(".")),
  ...holdingOutputs(definition),
  "__formerInputs",
];

const ownNames = [
  ...["declared", "instance", "server", "outcomeUnknown", "partiallyUpdated", "formerInputs", "secretInputs"],
  ...definitions.flatMap(({ fields }) => namesWith(fields, "stored").filter((name) => !fields[name]?.input)),
];

/** A line of a display or of JSON with an output that only the provider uses. In JSON, these are below hidden names. */
export const ownName: RegExp = new RegExp(`^[\\s~+-]*(__\\w+|"?(${ownNames.join("|")})"?) *:`, "m");
