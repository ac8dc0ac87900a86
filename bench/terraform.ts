import { readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isExecutable } from "../tools/command";
import { cleanEnvironment } from "../tools/environment";
import { run } from "./measure";
import { policies } from "./programs";
import { Deployment } from "./pulumi";

export interface Terraform {
  command: string;
  /** The folder of its Vault provider. */
  provider: string;
  version: string;
}

const isProvider = (file: string): boolean => /^terraform-provider-vault(_v[^/]*)?(\.exe)?$/.test(file);

/** Finds Terraform and its Vault provider on PATH. Returns a message if one is missing. */
export async function findTerraform(): Promise<Terraform | string> {
  const places = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const command = places.flatMap((folder) => [join(folder, "terraform"), join(folder, "terraform.exe")]).find((file) => isExecutable(file));
  const provider = places.find((folder) => list(folder).some((file) => isProvider(file) && isExecutable(join(folder, file))));
  if (!command || !provider) {
    const missing = [command ? "" : "terraform", provider ? "" : "terraform-provider-vault"].filter(Boolean).join(" and ");
    return `Skipping Terraform: ${missing} not found. Add the folders of the executables terraform and terraform-provider-vault to PATH.`;
  }
  const env = { ...cleanEnvironment(), CHECKPOINT_DISABLE: "1" };
  const { stdout } = await run(command, ["version", "-json"], { cwd: process.cwd(), env });
  return { command, provider, version: JSON.parse(stdout).terraform_version };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The two ways to declare many resources of one kind. */
export type Idiom = "count" | "for_each";

/** Creates a Terraform project with the same roles in the folder. */
export function terraformProject(
  { command, provider }: Terraform,
  folder: string,
  { idiom, count, mount, variables }: { idiom: Idiom; count: number; mount: string; variables: Record<string, string> },
): Deployment {
  const [repeated, name] =
    idiom === "count"
      ? [`count    = ${count}`, 'format("role-%04d", count.index)']
      : [`for_each = toset([for index in range(${count}) : format("role-%04d", index)])`, "each.key"];
  const settings = join(folder, "terraform.rc");
  // With a local copy of the provider, Terraform needs no registry and no initialization.
  writeFileSync(
    settings,
    `provider_installation {\n  dev_overrides {\n    "hashicorp/vault" = ${JSON.stringify(provider)}\n  }\n  direct {}\n}\n`,
  );
  writeFileSync(
    join(folder, "main.tf"),
    `terraform {
  required_providers {
    vault = { source = "hashicorp/vault" }
  }
}

provider "vault" {}

resource "vault_nomad_secret_role" "role" {
  ${repeated}
  backend  = ${JSON.stringify(mount)}
  role     = ${name}
  type     = "client"
  policies = ${JSON.stringify(policies)}
  global   = false
}
`,
  );
  const env = {
    ...cleanEnvironment(),
    ...variables,
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: "1",
    CHECKPOINT_DISABLE: "1",
  };
  const terraform = async (...args: string[]): Promise<number> =>
    (await run(command, [...args, "-input=false", "-no-color"], { cwd: folder, env })).seconds;
  return {
    create: () => terraform("apply", "-auto-approve"),
    // A difference is a failure, as with --expect-no-changes.
    preview: () => terraform("plan", "-detailed-exitcode"),
    refresh: () => terraform("plan", "-refresh-only", "-detailed-exitcode"),
    destroy: () => terraform("destroy", "-auto-approve"),
  };
}
