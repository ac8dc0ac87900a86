import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "..");

/** Compiles a program against the built package, and gives back the compiler's own counts. */
function compile(source: string, ...options: string[]): { output: string; instantiations: number; files: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "steward-types-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    writeFileSync(join(folder, "program.ts"), source);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const fixed = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "node16",
      "--target",
      "es2022",
      "--types",
      "node",
      "--extendedDiagnostics",
      "--listFiles",
    ];
    const { stdout } = spawnSync(process.execPath, [compiler, ...fixed, ...options, "program.ts"], { cwd: folder, encoding: "utf8" });
    return {
      output: stdout
        .split("\n")
        .filter((line) => line.includes("error TS"))
        .join("\n"),
      instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]),
      files: stdout.split("\n").filter((line) => line.endsWith(".d.ts")),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a program that uses every class costs an editor at most 5,000 type instantiations, and never loads zod", () => {
  const empty = compile('import * as pulumi from "@pulumi/pulumi"; export const name: pulumi.Input<string> = "";');
  const full = compile(`
    import * as pulumi from "@pulumi/pulumi";
    import { secrets } from "pulumi-steward";
    export const name: pulumi.Input<string> = "";
    const access = new secrets.SchedulerAccess("a", { address: "", token: name });
    new secrets.SchedulerLease("l", { ttl: 1, maxTtl: "1h" });
    const role = new secrets.SchedulerRole("r", { name, policies: [name] });
    const roles = new secrets.SchedulerRoles("s", { roles: { web: { policies: [name] } } });
    export const all = pulumi.all([access.address, role.policies, roles.roles]);
    export const names = secrets.listSchedulerRoles();
  `);
  expect([empty.output, full.output]).toEqual(["", ""]);
  expect(empty.instantiations).toBeGreaterThan(0);
  expect(full.instantiations - empty.instantiations).toBeLessThanOrEqual(5000);
  expect(full.files.some((file) => file.includes("dist/provider/secrets/"))).toBe(true);
  expect(full.files.filter((file) => /node_modules\/(zod|undici|openpgp)\//.test(file))).toEqual([]);
});

test("a misspelt attribute does not compile", () => {
  const { output } = compile('import { secrets } from "pulumi-steward"; new secrets.SchedulerRole("r", { name: "web", polices: [] });');
  expect(output).toContain("'polices' does not exist");
});

test("importing the package loads no HTTP client", () => {
  const script =
    'require("pulumi-steward");console.log(Object.keys(require.cache).filter((file)=>/node_modules.(undici|openpgp|hono|commander)/.test(file)).length)';
  expect(spawnSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }).stdout.trim()).toBe("0");
});
