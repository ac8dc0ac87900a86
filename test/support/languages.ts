import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../sandbox/index";
import { getHosts, getPython } from "./hosts";
import { ended, Project } from "./project";

/** The languages of programs other than Node. */
export type Language = "yaml" | "python" | "go";

/** Adds language hosts to the front of the project's PATH, and removes earlier ones. The last of two for one language is used. */
function putOnPath({ folder }: Project, hosts: readonly string[]): void {
  const files = new Map(hosts.flatMap((each) => readdirSync(each).map((file) => [file, join(each, file)] as const)));
  const bin = join(folder, "bin");
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  for (const [file, target] of files) symlinkSync(target, join(bin, file));
}

/** Lets the project run programs in YAML, Python and Go. */
export async function runPrograms(project: Project): Promise<void> {
  putOnPath(project, (await getHosts()).running);
}

/** Lets the project generate programs and SDKs, with hosts that cannot run programs, except for YAML. */
export async function generatePrograms(project: Project): Promise<void> {
  const { generating, running } = await getHosts();
  putOnPath(project, [...running, ...generating]);
}

/** Generates an SDK from the schema into the folder `sdks` of the program. */
export async function generateSdk(project: Project, language: string): Promise<string> {
  await generatePrograms(project);
  const schema = "node_modules/pulumi-steward/bin/schema.json";
  await project.succeed("package", "gen-sdk", schema, "--language", language, "--out", "sdks");
  return join(project.folder, "program/sdks", language);
}

/** Creates the virtual environment of the program, with the generated SDK. */
async function installForPython(project: Project): Promise<void> {
  const venv = join(project.folder, "program/venv");
  cpSync(await getPython(), venv, { recursive: true, verbatimSymlinks: true });
  const options = ["--quiet", "--no-build-isolation", "--no-deps"];
  const args = ["-m", "pip", "install", ...options, "./sdks/python"];
  const cwd = join(project.folder, "program");
  const { code, output } = await ended(spawn(join(venv, "bin/python"), args, { cwd, stdio: ["ignore", "pipe", "pipe"] }));
  if (code !== 0) throw new Error(output);
  // The SDK's language host ignores `virtualenv` in Pulumi.yaml, which a newer command line passes differently.
  project.with({ PULUMI_PYTHON_CMD: join(venv, "bin/python") });
}

/** The environment of an example: the servers, its secrets, and the shares that its rekey replaces. */
export function exampleEnvironment({ env, scheduler, secrets }: Sandbox): Record<string, string> {
  const given = {
    NOMAD_MANAGEMENT_TOKEN: scheduler.token,
    SMTP_PASSWORD: "a-password",
    SMS_TOKEN: "an-auth-token",
    PRICE_KEY: "a-secret-key",
  };
  return { ...env, ...given, ...Object.fromEntries(secrets.shares.map((share, index) => [`SHARE_${index + 1}`, share])) };
}

/** The configuration that the examples of all languages require. */
export async function configureExample(project: Project, { scheduler }: Sandbox): Promise<void> {
  await project.set("schedulerAddress", scheduler.url);
}

/** The file of a program, and a rekey before one of its lines. The examples have none: a copy of them must not touch unseal keys. */
const rekeys: Record<Language, { file: string; before: string; rekey: string }> = {
  yaml: {
    file: "Pulumi.yaml",
    before: "\nvariables:\n",
    rekey: `  unseal:
    type: steward:secrets:Rekey
    properties:
      secretShares: 5
      secretThreshold: 3
      currentShares: [{ env: SHARE_1 }, { env: SHARE_2 }, { env: SHARE_3 }]
      keepSharesInState: true
      discardShares: true
`,
  },
  python: {
    file: "__main__.py",
    before: "\nnetwork = ",
    rekey: `secrets.Rekey(
    "unseal",
    secret_shares=5,
    secret_threshold=3,
    current_shares=[{"env": "SHARE_1"}, {"env": "SHARE_2"}, {"env": "SHARE_3"}],
    keep_shares_in_state=True,
    discard_shares=True,
)
`,
  },
  go: {
    file: "main.go",
    before: "\treturn nil\n}\n\n// administration",
    rekey: `	if _, err := secrets.NewRekey(ctx, "unseal", &secrets.RekeyArgs{
		SecretShares:    pulumi.Int(5),
		SecretThreshold: pulumi.Int(3),
		CurrentShares: pulumi.Array{
			secrets.EnvironmentShareArgs{Env: pulumi.String("SHARE_1")},
			secrets.EnvironmentShareArgs{Env: pulumi.String("SHARE_2")},
			secrets.EnvironmentShareArgs{Env: pulumi.String("SHARE_3")},
		},
		KeepSharesInState: pulumi.Bool(true),
		DiscardShares:     pulumi.Bool(true),
	}); err != nil {
		return err
	}
`,
  },
};

/** Copies the example in that language, with a rekey. */
export function exampleWithRekey(language: Language, project: Project): void {
  project.example(language);
  const { file, before, rekey } = rekeys[language];
  const path = join(project.folder, "program", file);
  const [start, end, ...others] = readFileSync(path, "utf8").split(before);
  if (end === undefined || others.length > 0) throw new Error(`${file} does not have exactly one ${JSON.stringify(before)}.`);
  writeFileSync(path, `${start}${rekey}${before}${end}`);
}

/** Copies the example in that language, and prepares it for deployment. */
export async function exampleIn(language: Language, project: Project): Promise<void> {
  exampleWithRekey(language, project);
  if (language !== "yaml") await generateSdk(project, language);
  if (language === "python") await installForPython(project);
  // Without the folder's path in its output, Go finds the SDK in its cache the next time.
  if (language === "go") project.with({ GOFLAGS: "-trimpath" });
  await runPrograms(project);
}
