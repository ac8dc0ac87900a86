import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";

/**
 * Writes a program that constructs every class of the package with all its arguments and calls every function with all its options. It is
 * made from the declarations, so that nothing that is added is forgotten.
 */
export function programThatUsesEverything(folder: string): { text: string; uses: number } {
  const file = join(folder, "surface.ts");
  writeFileSync(file, 'import * as steward from "pulumi-steward";\nexport { steward };\n');
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    types: ["node"],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file) as ts.SourceFile;
  const [name] = (source.statements[1] as ts.ExportDeclaration & { exportClause: ts.NamedExports }).exportClause.elements;
  const steward = resolve(checker.getSymbolAtLocation((name as ts.ExportSpecifier).name) as ts.Symbol);
  const lines: string[] = [];
  let uses = 0;

  function resolve(symbol: ts.Symbol): ts.Symbol {
    if (!(symbol.flags & ts.SymbolFlags.Alias)) return symbol;
    return resolve(checker.getAliasedSymbol(symbol));
  }

  function visit(namespace: ts.Symbol, path: string): void {
    for (const member of checker.getExportsOfModule(namespace)) {
      const symbol = resolve(member);
      const at = `${path}.${member.name}`;
      if (symbol.flags & ts.SymbolFlags.Class) useClass(symbol, at);
      else if (symbol.flags & ts.SymbolFlags.Function) useFunction(symbol, at);
      else if (symbol.flags & ts.SymbolFlags.ValueModule) visit(symbol, at);
    }
  }

  function useClass(symbol: ts.Symbol, at: string): void {
    const [signature] = checker.getTypeOfSymbol(symbol).getConstructSignatures();
    const [first, args] = signature?.parameters ?? [];
    const isAbstract = ts.getCombinedModifierFlags(symbol.valueDeclaration as ts.Declaration) & ts.ModifierFlags.Abstract;
    const variable = `use${++uses}`;
    if (isAbstract || first?.name !== "name" || !args) {
      lines.push(`export const ${variable} = (value: unknown) => value instanceof ${at};`);
      return;
    }
    lines.push(`export const ${variable} = new ${at}("it", ${sample(args, at)});`);
    const outputs = checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .filter((property) => !(property.flags & ts.SymbolFlags.Method) && !property.name.startsWith("__"));
    lines.push(
      `export const ${variable}Outputs = { ${outputs.map((output) => `${output.name}: ${variable}.${output.name}`).join(", ")} };`,
    );
    if (symbol.exports?.has("get" as ts.__String)) lines.push(`export const ${variable}Get = ${at}.get("it", "id");`);
  }

  function useFunction(symbol: ts.Symbol, at: string): void {
    const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
    const values = (signature?.parameters ?? []).map((parameter) => {
      const rest = (parameter.valueDeclaration as ts.ParameterDeclaration | undefined)?.dotDotDotToken;
      return rest ? `...${sample(parameter, at)}` : sample(parameter, at);
    });
    lines.push(`export const use${++uses} = ${at}(${values.join(", ")});`);
  }

  function sample(symbol: ts.Symbol, at: string): string {
    const text = value(checker.getTypeOfSymbol(symbol), 0);
    if (text === undefined) throw new Error(`The benchmark cannot make up a value for ${symbol.name} of ${at}.`);
    return text;
  }

  /** Some value of a type; undefined where none can be written down. */
  function value(type: ts.Type, depth: number): string | undefined {
    if (depth > 8) return undefined;
    if (type.isUnion()) {
      // An Input<T> is a T, a promise or an output of one: the plain one is written. `boolean` is a union, too.
      for (const part of type.types) {
        const text = /^(Promise|OutputInstance)$/.test(part.symbol?.name ?? "") ? undefined : value(part, depth);
        if (text !== undefined) return text;
      }
      return undefined;
    }
    if (type.isStringLiteral() || type.isNumberLiteral()) return JSON.stringify(type.value);
    if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type);
    if (type.flags & ts.TypeFlags.StringLike) return '"text"';
    if (type.flags & ts.TypeFlags.NumberLike) return "1";
    if (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) return undefined;
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) return "{}";
    if (type.getCallSignatures().length > 0) return undefined;
    const item = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
    if (item) return `[${value(item, depth + 1) ?? ""}]`;
    const byName = type.getStringIndexType();
    if (byName && type.getProperties().length === 0) return `{ text: ${value(byName, depth + 1) ?? "{}"} }`;
    return object(type, depth);
  }

  function object(type: ts.Type, depth: number): string | undefined {
    const fields: string[] = [];
    for (const property of type.getProperties()) {
      const text = value(checker.getTypeOfSymbol(property), depth + 1);
      if (text !== undefined) fields.push(`${JSON.stringify(property.name)}: ${text}`);
      else if (!(property.flags & ts.SymbolFlags.Optional)) return undefined;
    }
    return `{ ${fields.join(", ")} }`;
  }

  visit(steward, "steward");
  return { text: `import * as steward from "pulumi-steward";\n\n${lines.join("\n")}\n`, uses };
}
