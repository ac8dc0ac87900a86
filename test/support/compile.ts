import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
export function compileAll(sources: Record<string, string>, types = "node"): Compiled {
  const folder = mkdtempSync(join(tmpdir(), "steward-types-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    for (const [file, source] of Object.entries(sources)) writeFileSync(join(folder, file), source);
    // Skip Pulumi's own declarations, which would hide the package's in noise.
    const options = `--noEmit --strict --skipLibCheck --module node16 --target es2022 --types ${types} --extendedDiagnostics --listFiles`;
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...options.split(" "), ...Object.keys(sources)], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (!/^Instantiations:/m.test(stdout)) throw new Error(`The compiler failed: ${stderr || stdout}`);
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
