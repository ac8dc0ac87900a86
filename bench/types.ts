import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { root, say } from "../tools/command";
import { cleanEnvironment } from "../tools/environment";
import { inTemporaryFolder, run } from "./measure";
import { writeProgram } from "./pulumi";
import { table, whole } from "./table";
import { programThatUsesEverything } from "./uses";

export interface Types {
  addedInstantiations: number;
  report: string;
}

/** As `pulumi new typescript` has it; but checking the declarations as well would hide our types behind those of Pulumi's that it makes. */
const options = [
  "--strict",
  "--target",
  "es2020",
  "--module",
  "commonjs",
  "--moduleResolution",
  "node",
  "--types",
  "node",
  "--skipLibCheck",
];
const onlyPulumi = `import * as pulumi from "@pulumi/pulumi";\n\nexport const project: string = pulumi.getProject();\n`;

/** What type-checking a program costs that uses all of the package. */
export async function types(): Promise<Types> {
  return inTemporaryFolder(async (folder) => {
    say("Type-checking two programs.");
    writeProgram(folder, { "package.json": "{}", "pulumi.ts": onlyPulumi });
    const all = programThatUsesEverything(folder);
    writeFileSync(join(folder, "all.ts"), `${onlyPulumi}\n${all.text}`);
    const check = async (file: string): Promise<Record<string, number>> => {
      const tsc = [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--extendedDiagnostics", ...options, file];
      const { stdout } = await run(process.execPath, tsc, { cwd: folder, env: cleanEnvironment() });
      return Object.fromEntries([...stdout.matchAll(/^(\w[\w ]*):\s+([\d.]+)/gm)].map(([, name = "", value]) => [name, Number(value)]));
    };
    const before = await check("pulumi.ts");
    const after = await check("all.ts");
    const columns = ["Instantiations", "Types", "Files"];
    const row = (name: string, counts: Record<string, number>): string[] => [name, ...columns.map((column) => whole(counts[column] ?? 0))];
    return {
      addedInstantiations: (after.Instantiations ?? Number.NaN) - (before.Instantiations ?? Number.NaN),
      report: table(
        [`TypeScript ${ts.version}`, ...columns.map((column) => column.toLowerCase())],
        [row("a program that imports @pulumi/pulumi", before), row(`one that uses ${all.uses} classes and functions of ours`, after)],
      ),
    };
  });
}
