import { join } from "node:path";
import { root, say } from "../tools/command";
import { cleanEnvironment } from "../tools/environment";
import { inTemporaryFolder, median, run } from "./measure";
import { Contender, program, titles } from "./programs";
import { writeProgram } from "./pulumi";
import { fixed, table, whole } from "./table";

const rounds = 11;

export interface Start {
  /** The milliseconds that importing the package adds to a program that imports `@pulumi/pulumi`. */
  addedMilliseconds: number;
  /** The packages that an import loads but must not. */
  loadedTooEarly: string[];
  /** The CPU seconds until the native plugin serves. */
  pluginSeconds: number;
  report: string;
}

const late = ["undici", "openpgp"];
const pulumi = 'require("@pulumi/pulumi");';
const both = `${pulumi} require("pulumi-steward");`;

/** A program that prints the milliseconds from the start of the process to its first resource. Mocks replace the engine. */
const untilRegistered = (contender: Contender): string => `
const { runtime } = require("@pulumi/pulumi");
runtime.setMocks({
  newResource(args) {
    console.log(performance.now());
    return { id: args.name, state: args.inputs };
  },
  call: (args) => args.inputs,
});
${program(contender, 1, "scheduler")}`;

/** A script that prints the CPU seconds of the native plugin until it prints its port. */
const pluginScript = `
process.stdout.write = () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeSync(1, String((user + system) / 1e6));
  process.exit();
};
require(${JSON.stringify(join(root, "bin/pulumi-resource-steward"))});`;

/** Measures the start of programs, in alternating separate processes. */
export async function start(): Promise<Start> {
  return inTemporaryFolder(async (folder) => {
    const registering = ["floor", "role", "closure"] as const;
    writeProgram(folder, {
      "package.json": "{}",
      ...Object.fromEntries(registering.map((contender) => [`${contender}.js`, untilRegistered(contender)])),
    });
    const node = (...args: string[]): ReturnType<typeof run> => run(process.execPath, args, { cwd: folder, env: cleanEnvironment() });
    const script = `${pulumi} const before = new Set(Object.keys(require.cache)); ${both}
      console.log(JSON.stringify(Object.keys(require.cache).filter((file) => !before.has(file))))`;
    const added: string[] = JSON.parse((await node("-e", script)).stdout);
    const loadedTooEarly = late.filter((name) => added.some((file) => file.replaceAll("\\", "/").includes(`/node_modules/${name}/`)));

    say(`Starting programs, ${rounds} times each.`);
    const imports: { [name in "pulumi" | "both"]: number[] } = { pulumi: [], both: [] };
    const registered = Object.fromEntries(registering.map((contender) => [contender, []])) as Partial<Record<Contender, number[]>>;
    const plugin: number[] = [];
    for (let round = 0; round < rounds; round++) {
      plugin.push(Number((await node("-e", pluginScript)).stdout));
      imports.pulumi.push((await node("-e", pulumi)).seconds * 1000);
      imports.both.push((await node("-e", both)).seconds * 1000);
      for (const contender of registering) {
        const { stdout } = await node(`${contender}.js`);
        const milliseconds = Number(stdout.trim().split("\n")[0]);
        if (!(milliseconds > 0)) throw new Error(`The program of ${titles[contender]} registered no resource:\n${stdout}`);
        registered[contender]?.push(milliseconds);
      }
    }
    /** A table that compares each entry with the first. */
    const compared = (title: string, entries: [string, readonly number[]][]): string => {
      const values = entries.map(([, all]) => median(all));
      const base = values[0] ?? Number.NaN;
      return table(
        [title, "ms", "above the first"],
        entries.map(([name], index) => [name, whole(values[index] ?? 0), whole((values[index] ?? 0) - base)]),
      );
    };
    return {
      addedMilliseconds: median(imports.both) - median(imports.pulumi),
      loadedTooEarly,
      pluginSeconds: median(plugin),
      report: [
        table(["the native plugin, until it serves", "CPU seconds"], [["`bin/pulumi-resource-steward`", fixed(median(plugin))]]),
        compared("a whole process", [
          ["`node -e 'require(\"@pulumi/pulumi\")'`", imports.pulumi],
          ['the same with `require("pulumi-steward")`', imports.both],
        ]),
        compared(
          "until the first resource is registered",
          registering.map((each) => [titles[each], registered[each] ?? []]),
        ),
      ].join("\n\n"),
    };
  });
}
