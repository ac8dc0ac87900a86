import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { EngineEvent } from "@pulumi/pulumi/automation";
import { Sandbox, start } from "../../sandbox/index";
import { Project, Run } from "../support/project";
import { SecretStory } from "../support/secret-story";

/** The output without the logs of the engine and the SDK. */
const told = (output: string): string => output.replace(/^(\{"time"| *debug: ).*\n/gm, "");

/** The highest level at which the engine itself prints no secret. */
const loud = ["-v=8", "--logtostderr"];

// test/end-to-end/stories/secrecy.test.ts covers every failing check, and the state after each of these runs, in both dialects.
describe("no secret in plaintext, with the real command line", () => {
  const dialect = "hashicorp";
  let sandbox: Sandbox;
  let story: SecretStory;
  let project: Project;
  beforeAll(async () => {
    sandbox = await start({ dialect });
    story = await SecretStory.begin(dialect, sandbox);
    // This variable enables --event-log: the Automation API reads the engine's events from such a file.
    project = new Project({ ...story.variables, PULUMI_DEBUG_COMMANDS: "true" }).config(story.connection);
    const token = (system: "secrets" | "platform"): string[] => ["--secret", `steward:default.${system}.token=${sandbox[system].token}`];
    expect((await project.pulumi("config", "set-all", "--path", ...token("secrets"), ...token("platform"))).code).toBe(0);
  });
  afterAll(async () => {
    project.remove();
    await sandbox.close();
  });

  /** Searches the logs that Pulumi wrote automatically since the last run, as they are on the disk. */
  function searchLogs(): ReturnType<Project["logs"]> {
    const logs = project.logs();
    story.canaries.lookInto(Object.fromEntries(logs.map(({ file, text }) => [file, text])));
    return logs;
  }
  /** Runs the command line, and searches the terminal, the backend and the events. */
  async function run(name: string, ...args: string[]): Promise<Run & { events: EngineEvent[] }> {
    const log = join(project.folder, "events");
    // Two commands in one second write to the same file.
    for (const { file } of searchLogs()) rmSync(file);
    const ran = await project.pulumi(...args, ...loud, "--event-log", log);
    // docs/reference/threat-model.md: each run writes an encrypted log.
    expect(searchLogs().map(({ encrypted }) => encrypted)).toEqual([true]);
    const lines = readFileSync(log, "utf8");
    rmSync(log);
    story.canaries.lookInto({ [`${name}: terminal`]: ran.output, [`${name}: backend`]: project.stored(), [`${name}: events`]: lines });
    const events = lines
      .trim()
      .split("\n")
      .map((line): EngineEvent => JSON.parse(line));
    return { ...ran, events };
  }
  async function succeeds(name: string, ...args: string[]): ReturnType<typeof run> {
    const ran = await run(name, ...args);
    if (ran.code !== 0) throw new Error(`${name}:\n${told(ran.output)}`);
    return ran;
  }
  const yes = ["--yes", "--skip-preview"];

  test("the terminal, the backend and the event log hold no secret, from preview to destroy", async () => {
    // One failing check is enough: the engine prints all of them the same way.
    const { program, reason } = story.misfits()[3] as { program: string; reason: string };
    story.refuseReads();
    project.program(story.catching(program));
    const misfit = await run("errors that the program catches, and a failing check", "preview", "--diff", "--debug");
    expect(misfit.code).not.toBe(0);
    expect(told(misfit.output)).toContain(reason);
    expect(told(misfit.output)).not.toContain("no error");
    for (const code of ["ERR_REJECTED", "ERR_NO_RESPONSE", "ERR_FORBIDDEN"]) expect(told(misfit.output)).toContain(code);
    story.allowAll();

    project.program(story.whole());
    story.refuseWrites();
    const failed = await run("a preview and a failing create", "up", "--yes", "--diff", "--debug", "--continue-on-error");
    expect(failed.code).not.toBe(0);
    for (const noun of ["(scheduler|Nomad) access", "rekey", "cost estimation settings", "SMTP settings", "SMS settings"])
      expect(told(failed.output)).toMatch(new RegExp(`Cannot create ${noun}`));
    expect(told(failed.output)).toContain("[secret]");
    story.allowAll();

    await succeeds("up", "up", ...yes, "--json", "--debug");
    const { file = "" } = project.logs().at(-1) ?? {};
    const resources = await project.resources();
    const { secretId, shares } = resources.find(({ urn }) => urn.includes("::pulumi:pulumi:Stack::"))?.outputs ?? {};
    story.canaries.watchFor({ secretId, shares });
    expect(shares).toEqual(sandbox.secrets.shares);
    story.expectHeld(resources);
    // Decrypted, the log of that run contains every secret of the program and of its configuration.
    const decrypted = await project.pulumi("logs", "decrypt", file);
    expect(decrypted.code).toBe(0);
    const absent = /^(misfit|changed[AC]) /;
    expect(story.canaries.namesIn(decrypted.output)).toEqual(story.canaries.names.filter((name) => !absent.test(name)));
    // At this level the terminal shows secrets, although Pulumi 3.254 and later redact some.
    const loudest = await project.pulumi("preview", "-v=9", "--logtostderr");
    expect(story.canaries.namesIn(loudest.output)).toEqual(expect.arrayContaining(["token 0", "password 0", "shares 0", "secretId 0"]));

    project.program(story.reading());
    // Nothing changes, and the SDK logs each resource nevertheless.
    const { events } = await succeeds("up again, with get", "up", ...yes, "--diff", "--debug");
    expect(events.find(({ summaryEvent }) => summaryEvent)?.summaryEvent?.resourceChanges).toEqual({ same: expect.any(Number) });
    expect(JSON.stringify(events)).toContain("RegisterResource RPC finished");
    await story.changeOutside();
    await succeeds("refresh after get and a change on the server", "refresh", ...yes, "--run-program", "--json", "--debug");

    project.program(story.bare());
    await succeeds("secrets that leave the program", "up", ...yes, "--json", "--debug");
    await story.changeOutside();
    await succeeds("refresh and up after they left", "up", ...yes, "--refresh", "--diff", "--debug");
    // The export equals the backend's state, which is searched after each step.
    const { code, output } = await project.pulumi("stack", "export");
    expect(code).toBe(0);
    story.canaries.lookInto({ export: output });
    // Refreshes with the configuration that the state recorded.
    await succeeds("refresh and destroy", "destroy", ...yes, "--refresh", "--diff");

    expect((await project.pulumi("logs", "remove", "--all", "--yes")).code).toBe(0);
    // Only the log of this command remains, without a secret.
    expect(searchLogs().map(({ encrypted }) => encrypted)).toEqual([false]);

    expect(story.canaries.found()).toEqual([]);
    process.stdout.write(`${dialect}: ${story.canaries.summary()}\n`);
  }, 900_000);
});
