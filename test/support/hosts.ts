import { chmodSync, copyFileSync, linkSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { cached } from "../../tools/cache";
import { findOnPath, isExecutable, Problem, root, say, succeed } from "../../tools/command";
import { goBuild } from "../../tools/go";
import { getPulumi, installedSdk } from "../../tools/pulumi";

// Programs in other languages need language hosts, and those in Python also Pulumi for Python.

/** The versions in tools/go/pulumi-language-*, and of the generator itself. Change them together. */
const version = "yaml-1.38.1-python-3.67.1-go-3.60.0-generator-2";
/** The program with which the language host for Python runs a program. */
const pythonRunner = "pulumi-language-python-exec";

/** Folders to prepend to PATH; none if the command line includes its own hosts. */
interface Hosts {
  /** Hosts that run programs in YAML, Python and Go. */
  running: string[];
  /** Hosts that only generate Node, Python and Go. `pulumi import`, `pulumi package gen-sdk` and `pulumi package add` use them. */
  generating: string[];
}

/** The language hosts besides the one for Node: those next to the command line, or else those in the cache, which are built with Go. */
export async function getHosts(): Promise<Hosts> {
  const { command } = await getPulumi();
  const beside = dirname(realpathSync(command));
  if (["yaml", "python", "go"].every((language) => isExecutable(join(beside, `pulumi-language-${language}`))))
    return { running: [], generating: [] };
  const folder = await cached(`hosts-${version}-${process.platform}-${process.arch}`, build);
  return { running: [join(folder, "running")], generating: [join(folder, "generating")] };
}

async function build(folder: string): Promise<void> {
  for (const language of ["yaml", "python", "go"]) {
    const name = `pulumi-language-${language}`;
    await goBuild(name, { output: join(folder, "running", name), minutes: "1 minute" });
  }
  const sdk = await succeed("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"], {
    cwd: join(root, "tools/go/pulumi-language-python"),
    env: { ...process.env, GOWORK: "off" },
  });
  const runner = join(folder, "running", pythonRunner);
  copyFileSync(join(sdk.trim(), "python/cmd", pythonRunner), runner);
  chmodSync(runner, 0o755);
  const generator = join(folder, "pulumi-language-generator");
  await goBuild("pulumi-language-generator", { output: generator, minutes: "1 minute" });
  mkdirSync(join(folder, "generating"));
  // The hosts of these languages, built from a Go module, cannot generate programs.
  for (const language of ["nodejs", "python", "go"]) linkSync(generator, join(folder, "generating", `pulumi-language-${language}`));
}

/** A Python virtual environment with the same version of Pulumi's SDK as for Node. */
export async function getPython(): Promise<string> {
  const python = findOnPath("python3");
  if (!python) throw new Problem("Install Python 3.10 or later with venv and pip (https://www.python.org/downloads).");
  const sdk = installedSdk().version;
  return cached(`python-${sdk}-${process.platform}-${process.arch}`, async (folder) => {
    say(`Installing Pulumi ${sdk} for Python.`);
    await succeed(python, ["-m", "venv", folder]);
    await succeed(join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", `pulumi==${sdk}`, "parver", "wheel"]);
  });
}
