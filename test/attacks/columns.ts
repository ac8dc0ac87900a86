import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { Proof } from "./attack";
import { pathOf } from "./render";

// The columns in which a proof runs, from the source of its suite. It names dialects and mechanisms, or helpers that stand for several. The result is a hint.

/** The columns of a proof. */
export interface Columns {
  dialects: readonly string[];
  mechanisms: readonly string[];
  /** True if the proof also runs on real servers, or only there. */
  real: boolean;
}

const both = ["standard", "hashicorp"];
const rekeys = [...both, "openbao"];
/** The helpers and lists that run a test in several dialects. */
const helpers: Record<string, readonly string[]> = {
  onEachTarget: both,
  onEachScheduler: both,
  onEachPlatform: both,
  onEachSandbox: both,
  onEachRekeyTarget: rekeys,
  rekeyTargets: rekeys,
  rekeyDialects: rekeys,
  slowRekeyTargets: ["openbao"],
  firstKeysTargets: ["openbao"],
};
/** The helpers whose targets are real servers with TESTS=real. */
const onReal = /\b(onEachTarget|onEachScheduler|onEachRekeyTarget|rekeyTargets|slowRekeyTargets|firstKeysTargets)\b/;
const realSuites =
  /^(provider\/secrets|command\/(rekey|stack|drill)|end-to-end\/secrets|provider\/scheduler\/contract|stories\/(secrets|scheduler)|real)/;

const tests = join(__dirname, "..");

/** The sources of a suite or of a folder of suites. */
function sourcesOf(suite: string): ts.SourceFile[] {
  const path = join(tests, pathOf(suite));
  const paths = statSync(path).isDirectory() ? readdirSync(path).map((file) => join(path, file)) : [path];
  return paths
    .filter((each) => each.endsWith(".ts"))
    .map((each) => ts.createSourceFile(each, readFileSync(each, "utf8"), ts.ScriptTarget.ES2022, true));
}

/** The calls whose title contains a string: `test(…)`, `describe.each(…)(…)`. */
function titled(node: ts.Node, title: string): ts.CallExpression[] {
  const below: ts.CallExpression[] = [];
  ts.forEachChild(node, (child) => void below.push(...titled(child, title)));
  return ts.isCallExpression(node) && node.arguments[0]?.getText().includes(title) ? [node, ...below] : below;
}

/** The source of a call, of the calls around it without their bodies, and of the declarations that these name. */
function scopeOf(call: ts.CallExpression): string {
  let scope = call.getText();
  for (let node: ts.Node = call.parent; node; node = node.parent)
    if (ts.isCallExpression(node))
      scope += `\n${node.expression.getText()} ${node.arguments.filter((each) => !ts.isArrowFunction(each)).map((each) => each.getText())}`;
  const isNamed = ({ name }: { name?: ts.Node }): boolean =>
    name !== undefined && new RegExp(`\\b${name.getText().replace(/\W/g, ".")}\\b`).test(scope);
  const declared = call
    .getSourceFile()
    .statements.flatMap((each): ts.NamedDeclaration[] =>
      ts.isVariableStatement(each) ? [...each.declarationList.declarations] : ts.isFunctionDeclaration(each) ? [each] : [],
    );
  return [scope, ...declared.filter(isNamed).map((each) => each.getText())].join("\n");
}

/** The source of a suite and of the modules of its own folder that it imports. */
function withHelpers(source: ts.SourceFile): string {
  const text = source.getFullText();
  const helpers = [...text.matchAll(/ from "(\.\/[\w-]+)"/g)].map(([, path]) => join(dirname(source.fileName), `${path}.ts`));
  return [text, ...helpers.filter(existsSync).map((path) => readFileSync(path, "utf8"))].join("\n");
}

const dialectsIn = (text: string): string[] => rekeys.filter((dialect) => text.includes(`"${dialect}"`));

function mechanismsIn(scope: string, suite: string, source: ts.SourceFile): string[] {
  if (/MechanismName/.test(source.text)) return ["dynamic", "native"];
  const isNative = /native/.test(suite) || /NativeEngine|nativeProject|"native"|with the native plugin|steward:native/.test(scope);
  const isEither = /\[false, true\]|"dynamic"/.test(scope);
  const isDynamic = isEither || (!isNative && /\bEngine\b|\bengine\(|[pP]roject\b|[sS]tack|\.up\(|twins\(/.test(scope));
  return [...(isDynamic || /\bEngine\b/.test(scope) ? ["dynamic"] : []), ...(isNative ? ["native"] : [])];
}

function inSource(source: ts.SourceFile, suite: string, title: string | undefined): Columns[] {
  if (title !== undefined && !source.text.includes(title)) return [];
  const calls = title === undefined ? [] : titled(source, title);
  const scopes = calls.length > 0 ? calls.map(scopeOf) : [source.text];
  return scopes.map((scope) => {
    const named = Object.entries(helpers).flatMap(([helper, dialects]) => (new RegExp(`\\b${helper}\\b`).test(scope) ? dialects : []));
    const dialects = [[...named, ...dialectsIn(scope)], dialectsIn(source.text), dialectsIn(withHelpers(source))];
    return {
      dialects: dialects.find((each) => each.length > 0) ?? [],
      mechanisms: mechanismsIn(scope, suite, source),
      real: suite.startsWith("real/") || (realSuites.test(suite) && onReal.test(scope)),
    };
  });
}

/** The columns of some proofs, each once. */
export function columnsOf(proofs: readonly Proof[]): Columns {
  const all = proofs.flatMap(([suite, title]) => sourcesOf(suite).flatMap((source) => inSource(source, suite, title)));
  const united = (of: (each: Columns) => readonly string[], order: readonly string[]): string[] => {
    const present = new Set(all.flatMap(of));
    return order.filter((each) => present.has(each));
  };
  return {
    dialects: united(({ dialects }) => dialects, rekeys),
    mechanisms: united(({ mechanisms }) => mechanisms, ["dynamic", "native"]),
    real: all.some(({ real }) => real),
  };
}
