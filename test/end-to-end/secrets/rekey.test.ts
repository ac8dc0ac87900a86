import { formsIn } from "../../support/canaries";
import { Project } from "../../support/project";
import { onService, RekeyTarget, slowRekeyTargets } from "../../support/rekey";

// One stack with a rekey, in one dialect of the sandbox. test/end-to-end/stories/secrets covers both dialects and all other cases of a rekey.

describe.each(slowRekeyTargets)("a rekey with the real command line ($name)", ({ start }) => {
  let target: RekeyTarget;
  let project: Project;
  /** The terminal's output of all runs. */
  let shown = "";
  /** The sets of shares that have unsealed the server, in order. */
  let sets: string[][];
  beforeAll(async () => {
    target = await start();
    const { token, first } = target;
    sets = [first];
    project = onService(new Project({ STEWARD_TOKEN: token }), target);
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

  /** Two of the new shares unseal the server, and the previous shares do not. */
  async function expectLive(shares: string[]): Promise<void> {
    const former = sets.at(-1) as string[];
    sets.push(shares);
    expect(shares).not.toEqual(former);
    expect(await target.opens(shares.slice(1))).toBe(true);
    expect(await target.opens(former)).toBe(false);
  }

  test("up refuses to start a rekey if Pulumi skips checkpoints", async () => {
    bring(target.first, { PULUMI_SKIP_CHECKPOINTS: "true" });
    rekey("old");
    const { code, output } = await run("up", "--diff");
    expect(code).not.toBe(0);
    expect(output).toContain("+ steward:secrets:Rekey: (create)");
    expect(output).toContain("PULUMI_SKIP_CHECKPOINTS");
    expect(target.gateway.requests).toEqual([]);
  });

  test("up makes the new shares live, and a second up changes nothing", async () => {
    bring(target.first);
    const output = await up();
    expect(output).toMatch(/rekey: 2 of 3 /);
    expect(output).toMatch(/rekey: .* live: 3 .* 2/);
    const outputs = (await project.outputs()) as { shares: string[] };
    expect(outputs).toMatchObject({ complete: true, fingerprints: [] });
    await expectLive(outputs.shares);
    const before = sent();
    await project.calm();
    expect(sent()).toBe(before);
  });

  test("changed triggers start another rekey with the shares in the state", async () => {
    rekey("old", `, triggers: ["2"]`);
    expect(await up()).toMatch(/rekey .* 3 shares, threshold 2, .* 3 shares, threshold 2/);
    await expectLive(((await project.outputs()) as { shares: string[] }).shares);
  });

  test("a rename without an alias runs another rekey and deletes the old resources", async () => {
    bring(sets.at(-1) as string[]);
    rekey("new");
    await up();
    const resources = await project.resources();
    const names = resources.flatMap(({ urn }) => /:Rekey\w*::(.*)$/.exec(urn)?.slice(1) ?? []);
    expect(names.sort()).toEqual(["new", "new-attempt", "new-commit", "new-shares"]);
    const stack = resources.find(({ urn }) => urn.includes("::pulumi:pulumi:Stack::"));
    await expectLive(stack?.outputs?.shares as string[]);
    expect((await target.outOfBand("GET", "sys/rekey/init")).body).toMatchObject({ started: false });
  });

  test("destroy fails while the state contains the only copy of the shares", async () => {
    const { code, output } = await run("destroy");
    expect(code).not.toBe(0);
    expect(output).toMatch(/Cannot delete rekey: .*discardShares: true/);
    rekey("new", ", discardShares: true");
    await up();
    expect(await run("destroy")).toMatchObject({ code: 0 });
  });

  test("the terminal and the backend never hold a share in plaintext", () => {
    expect(sets).toHaveLength(4);
    expect(formsIn(shown + project.stored(), sets.flat())).toEqual([]);
    expect(shown).not.toMatch(/^\s+at .*[:)]\d*/m);
  });
});
