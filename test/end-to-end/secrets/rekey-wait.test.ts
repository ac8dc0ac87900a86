import { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { kill, processesWith } from "../../support/processes";
import { ended, nativeProject, Project } from "../../support/project";
import { onService, RekeyTarget, slowRekeyTargets, withRekeyTarget } from "../../support/rekey";
import { until } from "../../support/until";

/** A rekey with the real command line, to which one share is missing. */
class Waiting {
  readonly project: Project;
  run!: ChildProcess;
  end!: ReturnType<typeof ended>;
  private output = "";

  constructor(readonly target: RekeyTarget) {
    const shares = Object.fromEntries(target.first.map((share, index) => [`RS${index}`, share]));
    this.project = new Project({ STEWARD_TOKEN: target.token, ...shares }).files({ "Pulumi.yaml": nativeProject() });
    onService(this.project, target);
  }

  declare(references: string): Project {
    return this.project.program(`
      const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, keepSharesInState: true, waitSeconds: 600, currentShares: [${references}] });
      exports.shares = rekey.shares;`);
  }

  async start(): Promise<void> {
    const run = await this.declare(`{ env: "RS0" }, { env: "RS1" }`).launch("up", "--yes", "--skip-preview");
    run.stdout.on("data", (data) => {
      this.output += data;
    });
    this.run = run;
    this.end = ended(run);
  }

  shows = (text: RegExp): Promise<void> =>
    until(`pulumi prints ${text}`, () => {
      if (this.run.exitCode !== null) throw new Error(`Pulumi ended with ${this.run.exitCode}:\n${this.output}`);
      return text.test(this.output);
    });

  pending = (): unknown[] => JSON.parse(readFileSync(this.project.stateFile, "utf8")).checkpoint.latest.pending_operations ?? [];

  /** Adds the missing share. Returns the output. */
  async complete(...options: string[]): Promise<string> {
    const { output } = await this.declare(`{ env: "RS0" }, { env: "RS1" }, { env: "RS2" }`).up(...options);
    const { shares } = (await this.project.outputs()) as { shares: string[] };
    expect(await this.target.opens(shares.slice(1))).toBe(true);
    return output;
  }
}

/** Runs a story on a new service. */
const wait = (start: (typeof slowRekeyTargets)[number]["start"], story: (waiting: Waiting) => Promise<void>): Promise<void> =>
  withRekeyTarget(start, { shares: 5, threshold: 3 }, async (target) => {
    try {
      await story(new Waiting(target));
    } finally {
      kill(processesWith("STEWARD_TOKEN", target.token));
    }
  });

test.each(slowRekeyTargets)(
  "a second Ctrl-C ends a waiting rekey, and up --refresh completes it after pulumi cancel ($name)",
  ({ start }) =>
    wait(start, async (waiting) => {
      const { gateway, token } = waiting.target;
      // A rekey needs the state that Pulumi saves after each resource.
      const project = waiting.declare(`{ env: "RS0" }`).with({ PULUMI_SKIP_CHECKPOINTS: "true" });
      const { output: refused } = await project.pulumi("up", "--yes", "--skip-preview");
      expect([refused.includes("Run again without PULUMI_SKIP_CHECKPOINTS"), gateway.requests]).toEqual([true, []]);
      project.with({});

      await waiting.start();
      await waiting.shows(/ 600 s .*`pulumi cancel --yes` and `pulumi up --refresh`/);
      waiting.run.kill("SIGINT");
      await waiting.shows(/press \^C again/);
      // The rekey still waits: the provider polls the status.
      const asked = gateway.requests.length;
      await until("the provider polls", () => gateway.requests.length > asked);
      expect(waiting.run.exitCode).toBeNull();
      waiting.run.kill("SIGINT");
      expect((await waiting.end).code).not.toBe(0);
      await until("the provider ends", () => processesWith("STEWARD_TOKEN", token).length === 0);

      expect(waiting.pending()).toHaveLength(1);
      await project.pulumi("cancel", "--yes");
      expect(await waiting.complete("--refresh")).toMatch(/rekey: .* valid: 3 .* 2/);
    }),
);

test("one Ctrl-C ends the wait of the native plugin, and the next up continues with the submitted share", async () => {
  const [{ start }] = slowRekeyTargets as [(typeof slowRekeyTargets)[number]];
  await wait(start, async (waiting) => {
    const { gateway } = waiting.target;
    await waiting.project.set("steward:native", "true");
    await waiting.start();
    await waiting.shows(/ 600 s .*Ctrl-C stops the wait/);
    const begin = Date.now();
    const before = gateway.requests.length;
    waiting.run.kill("SIGINT");
    const { code, output } = await waiting.end;
    expect(code).not.toBe(0);
    expect(output).toMatch(/1 of 3 current shares submitted.*\[rekey\/shares-missing\]/);
    expect(gateway.requests.slice(before).filter(({ method }) => method !== "GET")).toEqual([]);
    // The wait would take ten minutes.
    expect(Date.now() - begin).toBeLessThan(60_000);
    expect(waiting.pending()).toEqual([]);
    expect(await waiting.complete()).toMatch(/1 of 3 current shares submitted/);
  });
});
