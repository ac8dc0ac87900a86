import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "../../sandbox/index";
import { Project, Run } from "../support/project";
import { startSandbox } from "../support/sandbox";
import { SecretStory } from "../support/secret-story";

/** The output without the logs of the engine and the SDK. */
const told = (output: string): string => output.replace(/^(\{"time"| *debug: ).*\n/gm, "");

/** The highest level at which the engine itself prints no secret. */
const loud = ["-v=8", "--logtostderr"];

// test/end-to-end/stories/secrecy.test.ts covers the state after each of these runs, in both dialects.
describe("no secret in plaintext, with the real command line", () => {
  const dialect = "hashicorp";
  let sandbox: Sandbox;
  let story: SecretStory;
  let project: Project;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect });
    story = await SecretStory.start(dialect, sandbox);
    // This variable enables --event-log: the Automation API reads the engine's events from such a file.
    project = new Project({ ...story.variables, PULUMI_DEBUG_COMMANDS: "true" }).config(story.connection);
    const token = (system: "secrets" | "platform"): string[] => ["--secret", `steward:default.${system}.token=${sandbox[system].token}`];
    expect((await project.pulumi("config", "set-all", "--path", ...token("secrets"), ...token("platform"))).code).toBe(0);
  });

  /** Searches the logs that Pulumi wrote automatically since the last run, as they are on the disk. */
  function searchLogs(): ReturnType<Project["logs"]> {
    const logs = project.logs();
    story.canaries.lookInto(Object.fromEntries(logs.map(({ file, text }) => [file, text])));
    return logs;
  }
  /** The SDK's log of a registration was in the events of a run. */
  let isLogged = false;
  /** Runs the command line, and searches the terminal, the backend and the events. */
  async function run(name: string, ...args: string[]): Promise<Run> {
    const log = join(project.folder, "events");
    // Two commands in one second write to the same file.
    for (const { file } of searchLogs()) rmSync(file);
    const more = args.includes("--diff") ? [] : ["--json", ...(args[0] === "refresh" ? ["--run-program"] : [])];
    const ran = await project.pulumi(...args, ...more, "--debug", ...loud, "--event-log", log);
    // docs/guides/secrets.md: each run writes an encrypted log.
    expect(searchLogs().map(({ encrypted }) => encrypted)).toEqual([true]);
    const events = readFileSync(log, "utf8");
    rmSync(log);
    isLogged ||= events.includes("RegisterResource RPC finished");
    story.canaries.lookInto({ [`${name}: terminal`]: ran.output, [`${name}: backend`]: project.stored(), [`${name}: events`]: events });
    return { ...ran, output: told(ran.output) };
  }

  test("the terminal, the backend and the event log hold no secret, from preview to destroy", async () => {
    await story.begin(project, run);
    const { file = "" } = project.logs().at(-1) ?? {};
    // Decrypted, the log of the last run contains every secret of the program and of its configuration.
    const decrypted = await project.pulumi("logs", "decrypt", file);
    expect(decrypted.code).toBe(0);
    const absent = /^(misfit|changed[AC]) /;
    expect(story.canaries.namesIn(decrypted.output)).toEqual(story.canaries.names.filter((name) => !absent.test(name)));
    // At this level the terminal shows secrets, although Pulumi 3.254 and later redact some.
    const loudest = await project.pulumi("preview", "-v=9", "--logtostderr");
    expect(story.canaries.namesIn(loudest.output)).toEqual(
      expect.arrayContaining(["token 0", "platform:SmtpSettings 0", "shares 0", "secretId 0"]),
    );

    await story.finish(project, run);
    expect(isLogged).toBe(true);
    expect((await project.pulumi("logs", "remove", "--all", "--yes")).code).toBe(0);
    // Only the log of this command remains, without a secret.
    expect(searchLogs().map(({ encrypted }) => encrypted)).toEqual([false]);
    expect(story.canaries.found()).toEqual([]);
  }, 900_000);
});
