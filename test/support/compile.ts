import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");

/** A program that does nothing with the package, to compare with. */
export const emptyProgram = 'import * as pulumi from "@pulumi/pulumi";\nexport const name: pulumi.Input<string> = "";\n';
/** One that uses all of it, and asserts what its types are. */
export const fullProgram = (): string => readFileSync(join(__dirname, "../types/surface.ts"), "utf8");
/** The same without the assertions, as a user would write it. */
export const usersProgram = (): string => fullProgram().replace(/^holds<.*$/gm, "");

export interface Compiled {
  errors: string[];
  instantiations: number;
  declarations: string[];
}

/** Compiles a program against the built package: what the compiler says, and its own counts. */
export const compile = (source: string): Compiled => compileAll({ "program.ts": source });

/** The same for many, each in a file of its own. */
export function compileAll(sources: Record<string, string>, types = "node"): Compiled {
  const folder = mkdtempSync(join(tmpdir(), "steward-types-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    for (const [file, source] of Object.entries(sources)) writeFileSync(join(folder, file), source);
    // Pulumi's own declarations are not what is measured, and would hide in noise what is.
    const options = `--noEmit --strict --skipLibCheck --module node16 --target es2022 --types ${types} --extendedDiagnostics --listFiles`;
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, ...options.split(" "), ...Object.keys(sources)], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const lines = stdout.split("\n");
    return {
      errors: lines.filter((line) => line.includes("error TS")),
      instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]),
      declarations: lines.filter((line) => line.endsWith(".d.ts")),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
