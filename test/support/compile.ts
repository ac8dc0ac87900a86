import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";

const root = join(__dirname, "../..");

/** A program that does not use the package, for comparison. */
export const emptyProgram = 'import * as pulumi from "@pulumi/pulumi";\nexport const name: pulumi.Input<string> = "";\n';
/** A program that uses the whole package, and asserts its types. */
export const fullProgram = (): string => readFileSync(join(__dirname, "../types/surface.ts"), "utf8");
/** The same program without the assertions, as a user would write it. */
export const usersProgram = (): string => fullProgram().replace(/^holds<.*$/gm, "");

export interface Compiled {
  errors: string[];
  instantiations: number;
  declarations: string[];
}

/** Compiles a program against the built package. Returns the compiler's errors and counts. */
export const compile = (source: string): Compiled => compileAll({ "program.ts": source });

/** Compiles several programs, each in a separate file. */
export function compileAll(sources: Record<string, string>, ...types: string[]): Compiled {
  const { Node16: module } = ts.ModuleKind;
  // Skip Pulumi's own declarations, which would hide the package's in noise.
  const options = { noEmit: true, strict: true, skipLibCheck: true, module, target: ts.ScriptTarget.ES2022, types: ["node", ...types] };
  return compileFiles(new Map(Object.entries(sources).map(([file, source]) => [join(root, file), source])), options);
}

/** Compiles files by their paths in this repository, which need not exist. */
export function compileFiles(files: ReadonlyMap<string, string>, options: ts.CompilerOptions): Compiled {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  const program = ts.createProgram([...files.keys()], options, host);
  const problems = [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  return {
    errors: problems.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`),
    instantiations: program.getInstantiationCount(),
    declarations: program.getSourceFiles().flatMap(({ fileName, isDeclarationFile }) => (isDeclarationFile ? [fileName] : [])),
  };
}
