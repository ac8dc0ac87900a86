import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { chromium } from "playwright-core";
import { type Sandbox, start } from "../../sandbox/index";
import { makeHolder, readAll } from "../../test/support/pgp";
import { getBrowser } from "../browser";
import { root } from "../command";
import { pulumiEnvironment } from "../environment";
import { getPulumi } from "../pulumi";
import { drawTerminal, Line, wrapped } from "./terminal";

// `node tools/run.js pictures` creates docs/pictures: recordings of a terminal, and the sandbox's page.

const pictures = join(root, "docs/pictures");

/** Dots, the start of an operation, and a message that Pulumi repeats under Diagnostics. */
const isProgress = /^@ |\(0s\)|(?:Stack \S+|creat\w+ \(\d+s\)|failed\*\*) .*(?:rekey|error: )/;

/** Records the commands and the output of a terminal in a separate project. */
class Terminal {
  readonly lines: Line[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), "steward-pictures-"));
  private readonly program = join(this.folder, "operations");
  private now = 0;

  constructor(
    example: string,
    private readonly variables: Record<string, string>,
  ) {
    mkdirSync(this.program);
    cpSync(join(root, "examples", example), this.program, { recursive: true, filter: (file) => !file.endsWith("node_modules") });
    symlinkSync(join(root, "node_modules"), join(this.program, "node_modules"), "junction");
    writeFileSync(join(this.program, "Pulumi.yaml"), "name: operations\nruntime: nodejs\n");
  }

  /** Writes a file of the program. */
  write(name: string, text: string): void {
    writeFileSync(join(this.program, name), text);
  }

  /** Runs a command and adds it to the recording, with pauses for the reader. */
  async type(command: string): Promise<void> {
    this.show(`\u001b[38;5;2m$\u001b[0m ${command}`, 0.8);
    let before = Date.now();
    const onLine = (text: string): void => {
      // The engine's start takes longer than a viewer wants to wait.
      const pause = Math.min((Date.now() - before) / 1000, 0.8);
      before = Date.now();
      this.show(text.replace(/([0-9a-f]{20})[0-9a-f]{30,}/, "$1…"), pause);
    };
    await this.run(command, onLine);
    this.show("", 2);
  }

  private show(text: string, pause: number): void {
    this.now += pause;
    for (const line of wrapped(text)) this.lines.push({ text: line, at: this.now });
  }

  async run(command: string, onLine: (line: string) => void = () => {}): Promise<void> {
    const wrapper = 'pulumi() { command pulumi "$@" --non-interactive --color always; }';
    const env = { ...pulumiEnvironment(this.folder, await getPulumi()), ...this.variables };
    const options = { cwd: this.program, env };
    const child = spawn("bash", ["--norc", "-euc", `${wrapper}\n${command}`], { ...options, stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    for await (const line of createInterface(child.stdout))
      if (line.trim() && !isProgress.test(stripVTControlCharacters(line))) onLine(line);
    const [code] = await closed;
    if (code !== 0) throw new Error(`${command} exited with ${code}`);
  }

  save(title: string, file: string): void {
    writeFileSync(join(pictures, file), drawTerminal(title, this.lines));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function photograph({ page: address }: Sandbox): Promise<void> {
  const browser = await chromium.launch({ executablePath: await getBrowser() });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(address);
  await page.getByText("search-deploy").first().waitFor();
  await page.screenshot({ path: join(pictures, "page.png") });
  await browser.close();
}

async function recordDrift(): Promise<void> {
  const sandbox = await start({ dialect: "hashicorp" });
  const terminal = new Terminal("quickstart", sandbox.env);
  await terminal.run("pulumi stack init dev");
  await terminal.run("pulumi config set schedulerAddress http://127.0.0.1:4646");
  await terminal.run("pulumi config set --secret schedulerToken a-management-token");
  await terminal.type("pulumi up --yes --skip-preview");
  await terminal.type(`curl --silent -X POST -H "X-Vault-Token: $VAULT_TOKEN" $VAULT_ADDR/v1/nomad/role/web -d '{"policies":"admin"}'`);
  for (const command of ["preview --refresh --diff", "up --refresh --yes --skip-preview"]) await terminal.type(`pulumi ${command}`);
  terminal.save("pulumi up, a change outside Pulumi, the drift in pulumi preview, and its repair", "drift.svg");
  await photograph(sandbox);
  await sandbox.close();
}

async function recordRekey(): Promise<void> {
  const sandbox = await start({ dialect: "hashicorp", unsealShares: 3, unsealThreshold: 2 });
  const names = ["ada", "grace", "mary"];
  const holders = await Promise.all(names.map((name) => makeHolder({ userIDs: [{ name }] })));
  const [ada = "", grace = ""] = sandbox.secrets.shares;
  const variables: Record<string, string> = { ...sandbox.env, ADA: ada, GRACE: grace };
  const terminal = new Terminal("rekey-holders", variables);
  for (const [index, { publicKey }] of holders.entries()) terminal.write(`keys/${names[index]}.asc`, publicKey);
  await terminal.run("pulumi stack init dev");
  await terminal.type("pulumi preview");
  await terminal.type("SHARE=$ADA pulumi up --yes");
  await terminal.type("SHARE=$GRACE pulumi up --yes");
  let output = "";
  await terminal.run("pulumi stack output encryptedShares --json --color never", (line) => {
    output += line;
  });
  const [NEW_ADA = "", NEW_GRACE = ""] = await readAll(holders, JSON.parse(output));
  Object.assign(variables, { NEW_ADA, NEW_GRACE });
  await terminal.type("NEW_SHARE=$NEW_ADA pulumi up --yes");
  await terminal.type("NEW_SHARE=$NEW_GRACE pulumi up --yes");
  terminal.save("A rekey of the unseal keys by three holders: a preview with their fingerprints, and the run of each", "rekey.svg");
  await sandbox.close();
}

mkdirSync(pictures, { recursive: true });
void recordDrift().then(recordRekey);
