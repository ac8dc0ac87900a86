import { readFileSync } from "node:fs";
import { kill, processesWith } from "../../support/processes";
import { ended, nativeProject, Project } from "../../support/project";
import { onService, slowRekeyTargets, withRekeyTarget } from "../../support/rekey";
import { until } from "../../support/until";

test.each(slowRekeyTargets)(
  "a second Ctrl-C ends a waiting rekey, and up --refresh completes it after pulumi cancel ($name)",
  async ({ start }) => {
    await withRekeyTarget(start, { shares: 5, threshold: 3 }, async (target) => {
      const { gateway, token, first, opens } = target;
      const shares = Object.fromEntries(first.map((share, index) => [`RS${index}`, share]));
      const project = onService(new Project({ STEWARD_TOKEN: token, ...shares }), target);
      const rekey = (references: string, more: string): Project =>
        project.program(`
        const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, keepSharesInState: true, currentShares: [${references}]${more} });
        exports.shares = rekey.shares;`);
      try {
        const run = await rekey(`{ env: "RS0" }, { env: "RS1" }`, ", waitSeconds: 600").launch("up", "--yes", "--skip-preview");
        let output = "";
        run.stdout.on("data", (data) => {
          output += data;
        });
        const end = ended(run);
        const shows = (text: RegExp): Promise<void> =>
          until(`pulumi prints ${text}`, () => {
            if (run.exitCode !== null) throw new Error(`Pulumi ended with ${run.exitCode}:\n${output}`);
            return text.test(output);
          });
        await shows(/ 600 s /);
        expect(output).toContain("`pulumi cancel --yes` and `pulumi up --refresh`");
        run.kill("SIGINT");
        await shows(/press \^C again/);
        // The rekey still waits: the provider polls the status.
        const asked = gateway.requests.length;
        await until("the provider polls", () => gateway.requests.length > asked);
        expect(run.exitCode).toBeNull();
        run.kill("SIGINT");
        expect((await end).code).not.toBe(0);
        await until("the provider ends", () => processesWith("STEWARD_TOKEN", token).length === 0);

        const { checkpoint } = JSON.parse(readFileSync(project.stateFile, "utf8"));
        expect(checkpoint.latest.pending_operations).toHaveLength(1);
        await project.pulumi("cancel", "--yes");
        const { output: completed } = await rekey(`{ env: "RS0" }, { env: "RS1" }, { env: "RS2" }`, "").up("--refresh");
        expect(completed).toMatch(/rekey: .* live: 3 .* 2/);
        expect(await opens(((await project.outputs()) as { shares: string[] }).shares.slice(1))).toBe(true);
      } finally {
        kill(processesWith("STEWARD_TOKEN", token));
        project.remove();
      }
    });
  },
);

test("one Ctrl-C ends the wait of the native plugin, and the next up continues with the submitted share", async () => {
  const [{ start }] = slowRekeyTargets as [(typeof slowRekeyTargets)[number]];
  await withRekeyTarget(start, { shares: 5, threshold: 3 }, async (target) => {
    const { gateway, token, first, opens } = target;
    const shares = Object.fromEntries(first.map((share, index) => [`RS${index}`, share]));
    const project = onService(new Project({ STEWARD_TOKEN: token, ...shares }).files({ "Pulumi.yaml": nativeProject() }), target);
    const rekey = (references: string): Project =>
      project.program(`
        const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, keepSharesInState: true, waitSeconds: 600, currentShares: [${references}] });
        exports.shares = rekey.shares;`);
    try {
      await project.set("steward:native", "true");
      const run = await rekey(`{ env: "RS0" }, { env: "RS1" }`).launch("up", "--yes", "--skip-preview");
      let output = "";
      run.stdout.on("data", (data) => {
        output += data;
      });
      const end = ended(run);
      await until("the rekey waits", () => / 600 s .*Ctrl-C stops the wait/.test(output));
      const begin = Date.now();
      const before = gateway.requests.length;
      run.kill("SIGINT");
      const { code, output: stopped } = await end;
      expect(code).not.toBe(0);
      expect(stopped).toMatch(/1 of 3 current shares submitted.*\[rekey\/shares-missing\]/);
      expect(gateway.requests.slice(before).filter(({ method }) => method !== "GET")).toEqual([]);
      // The wait would take ten minutes.
      expect(Date.now() - begin).toBeLessThan(60_000);
      const { checkpoint } = JSON.parse(readFileSync(project.stateFile, "utf8"));
      expect(checkpoint.latest.pending_operations ?? []).toEqual([]);
      const completed = await rekey(`{ env: "RS0" }, { env: "RS1" }, { env: "RS2" }`).up();
      expect(completed.output).toMatch(/1 of 3 current shares submitted/);
      expect(await opens(((await project.outputs()) as { shares: string[] }).shares.slice(1))).toBe(true);
    } finally {
      kill(processesWith("STEWARD_TOKEN", token));
      project.remove();
    }
  });
});
