import { compile, emptyProgram, usersProgram } from "../test/support/compile";
import { say } from "../tools/command";
import { table, whole } from "./table";

export interface Types {
  addedInstantiations: number;
  report: string;
}

/** Measures the type-checking of a program that uses every public name of the package. The tests compile the same program. */
export function types(): Types {
  say("Type-checking two programs.");
  const [empty, full] = [compile(emptyProgram), compile(usersProgram())];
  for (const { errors } of [empty, full]) if (errors.length > 0) throw new Error(errors.join("\n"));
  const row = (name: string, { instantiations, declarations }: typeof full): string[] => [
    name,
    whole(instantiations),
    whole(declarations.length),
  ];
  return {
    addedInstantiations: full.instantiations - empty.instantiations,
    report: table(
      ["", "instantiations", "declaration files"],
      [row("a program that imports @pulumi/pulumi", empty), row("a program that uses every public name of the package", full)],
    ),
  };
}
