import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as steward from "../../provider";
import type { Properties } from "./deployment";

const packages: Record<string, unknown> = { "@pulumi/pulumi": pulumi, "pulumi-steward": steward };

/** A program that runs in this process, with the modules of this process instead of the packages that it imports. */
export class InProcessProgram {
  private source = "";
  private isTypeScript = false;
  private root: string | undefined;

  /** Sets the code after the import of the package. */
  javascript(source: string): void {
    this.source = `const pulumi = require("@pulumi/pulumi");\nconst { platform, scheduler, secrets } = require("pulumi-steward");\n${source}`;
    this.isTypeScript = false;
  }

  typescript(source: string): void {
    this.source = source;
    this.isTypeScript = true;
  }

  example(name: string): void {
    cpSync(join(__dirname, "../../examples", name), this.folder, { recursive: true, filter: (file) => !file.endsWith("node_modules") });
    this.typescript(readFileSync(join(this.folder, "index.ts"), "utf8"));
  }

  files(files: Record<string, string>): void {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(this.folder, file), text);
  }

  get hasFiles(): boolean {
    return this.root !== undefined;
  }

  /** The folder of its files. It is created on first use, since few programs have files. */
  get folder(): string {
    if (!this.root) {
      this.root = mkdtempSync(join(tmpdir(), "steward-program-"));
      mkdirSync(join(this.root, "program"));
      // The classes look for the package in the program's folder.
      symlinkSync(join(__dirname, "../../node_modules"), join(this.root, "program/node_modules"), "junction");
    }
    return join(this.root, "program");
  }

  async run(): Promise<Properties> {
    const module = { exports: {} as Properties | (() => Promise<Properties>) };
    const source = this.isTypeScript ? compiled(this.source) : this.source;
    const program = new Function("exports", "module", "require", "__dirname", `return (async () => {${source}\n})()`);
    await program(module.exports, module, this.load, this.root && this.folder);
    return typeof module.exports === "function" ? module.exports() : module.exports;
  }

  /** Loads a module of this process, or another file of the program. */
  private readonly load = (name: string): unknown => {
    if (!name.startsWith("./")) return packages[name] ?? require(name);
    const exports = {};
    const source = compiled(readFileSync(join(this.folder, `${name}.ts`), "utf8"));
    new Function("exports", "require", source)(exports, this.load);
    return exports;
  };

  remove(): void {
    if (this.root) rmSync(this.root, { recursive: true, force: true });
  }
}

/** Compiles TypeScript. The compiler is loaded on first use, since few programs need it. */
function compiled(source: string): string {
  const ts = require("typescript") as typeof import("typescript");
  const { CommonJS: module } = ts.ModuleKind;
  return ts.transpileModule(source, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } }).outputText;
}
