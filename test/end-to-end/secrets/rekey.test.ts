import { Project } from "../../support/project";
import { RekeyTarget, rekeyTargets } from "../../support/rekey";

// One stack with a rekey lives through all of it, in one dialect. Both dialects, and what else becomes of a rekey, are told in test/stories/secrets.

describe("a rekey, with the real command line", () => {
  let target: RekeyTarget;
  let project: Project;
  /** What the terminal showed, in all runs. */
  let shown = "";
  /** The sets that have opened the service, the last one last. */
  let sets: string[][];
  beforeAll(async () => {
    const [{ start }] = rekeyTargets.slice(-1) as [(typeof rekeyTargets)[number]];
    target = await start();
    const { gateway, token, dialect, first } = target;
    sets = [first];
    project = new Project({ STEWARD_TOKEN: token }).config({
      "steward:default": { secrets: { address: gateway.url, tokenEnv: "STEWARD_TOKEN", dialect } },
    });
    bring(first);
  });
  afterAll(async () => {
    project.remove();
    await target.stop();
  });

  const bring = (shares: readonly string[], more = {}): Project =>
    project.with({ ...Object.fromEntries(shares.map((share, index) => [`RS${index}`, share])), ...more });
  const rekey = (name: string, more = ""): Project =>
    project.program(`
      const rekey = new secrets.Rekey("${name}", { secretShares: 3, secretThreshold: 2, keepSharesInState: true,
        currentShares: [{ env: "RS0" }, { env: "RS1" }, { env: "RS2" }]${more} });
      exports.shares = rekey.shares; exports.complete = rekey.complete; exports.fingerprints = rekey.fingerprints;`);
  const run = async (...args: string[]): Promise<{ code: number; output: string }> => {
    const { code, output } = await project.pulumi(...args, "--yes", "--skip-preview");
    shown += output;
    return { code, output };
  };
  const up = async (): Promise<string> => {
    const { code, output } = await run("up", "--diff");
    expect({ code, output }).toEqual({ code: 0, output });
    return output;
  };
  const sent = (): number => target.gateway.requests.filter(({ method }) => method !== "GET").length;

  /** Two of the new shares open the service, and the former ones do not. */
  async function expectLive(shares: string[]): Promise<void> {
    const former = sets.at(-1) as string[];
    sets.push(shares);
    expect(shares).not.toEqual(former);
    expect(await target.opens(shares.slice(1))).toBe(true);
    expect(await target.opens(former)).toBe(false);
  }

  test("refuses to begin where Pulumi does not save after each resource", async () => {
    bring(target.first, { PULUMI_SKIP_CHECKPOINTS: "true" });
    rekey("old");
    const { code, output } = await run("up", "--diff");
    expect(code).not.toBe(0);
    expect(output).toContain("+ steward:secrets:Rekey: (create)");
    expect(output).toContain("Run again without PULUMI_SKIP_CHECKPOINTS.");
    expect(target.gateway.requests).toEqual([]);
  });

  test("up makes the new shares live, and then nothing changes", async () => {
    bring(target.first);
    const output = await up();
    expect(output).toContain("rekey: 2 of 3 current shares given");
    expect(output).toContain("rekey: the new shares are live: 3 of them, threshold 2");
    const outputs = (await project.outputs()) as { shares: string[] };
    expect(outputs).toMatchObject({ complete: true, fingerprints: [] });
    await expectLive(outputs.shares);
    const before = sent();
    await project.calm();
    expect(sent()).toBe(before);
  });

  test("other triggers run it again, from the shares of the state", async () => {
    rekey("old", `, triggers: ["2"]`);
    expect(await up()).toContain("a new rekey will run, from 3 shares, threshold 2, to 3 shares, threshold 2");
    await expectLive(((await project.outputs()) as { shares: string[] }).shares);
  });

  test("renamed without an alias, with the live shares at hand, it runs once more and lets the old name go", async () => {
    bring(sets.at(-1) as string[]);
    rekey("new");
    await up();
    const resources = await project.resources("--show-secrets");
    const names = resources.flatMap(({ urn }) => /:Rekey\w*::(.*)$/.exec(urn)?.slice(1) ?? []);
    expect(names.sort()).toEqual(["new", "new-attempt", "new-commit", "new-shares"]);
    const stack = resources.find(({ urn }) => urn.includes("::pulumi:pulumi:Stack::"));
    await expectLive(stack?.outputs?.shares as string[]);
    expect((await target.outside("GET", "sys/rekey/init")).body).toMatchObject({ started: false });
  });

  test("destroy is refused while the state holds the only copy of the shares", async () => {
    const { code, output } = await run("destroy");
    expect(code).not.toBe(0);
    expect(output).toContain("Cannot delete rekey: the state holds the only copy of shares that open the service.");
    rekey("new", ", discardShares: true");
    await up();
    expect(await run("destroy")).toMatchObject({ code: 0 });
  });

  test("no share was in clear text on the terminal or in a file of the backend", () => {
    const everything = shown + project.stored();
    expect(sets).toHaveLength(4);
    for (const share of sets.flat())
      for (const form of [share, Buffer.from(share, "base64").toString("hex"), Buffer.from(share).toString("base64")])
        expect(everything).not.toContain(form);
    expect(shown).not.toMatch(/^\s+at .*[:)]\d*/m);
  });
});
