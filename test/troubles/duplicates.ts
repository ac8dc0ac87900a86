import { connect, sourcesOf } from "../../provider/connection";
import { declare } from "../../provider/program/duplicates";
import { definitions } from "../../provider/registry/resources";
import { systems } from "../support/connection";
import { Declaration } from "../support/deployment";

/** The errors of the classes for a program that declares one object twice, before anything is sent. */
export function duplicateErrors(program: readonly Declaration[], config: Record<string, object>): string | undefined {
  const sources = { ...sourcesOf((key) => JSON.stringify(config[key]), { info: () => {}, warn: () => {} }), environment: {} };
  const names = Object.keys(config).map((key) => key.replace("steward:", ""));
  const cache = new Map(
    (["secrets", "platform"] as const).flatMap((system) =>
      names.map((name) => [JSON.stringify([system, name]), connect(systems[system], name, sources)]),
    ),
  );
  const known = { names: new Map<string, string>(), cache };
  try {
    for (const { type, name, inputs } of program) {
      const definition = definitions.find(({ token }) => token === type);
      if (definition) declare(definition, name, known, inputs);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
