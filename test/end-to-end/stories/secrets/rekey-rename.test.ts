import { formsIn } from "../../../support/canaries";
import { Run } from "../../../support/project";
import { onService, RekeyTarget, rekeyTargets } from "../../../support/rekey";
import { newStory, Story } from "../../../support/story";

// To the engine, a rename without an alias is a creation, and a deletion at the end of this run or of a later one.

describe.each(rekeyTargets)("a rekey that is renamed ($name)", ({ name, start }) => {
  let target: RekeyTarget;
  let project: Story;
  /** The terminal's output of all runs. */
  let shown: string;
  /** Every share that a run could have printed. */
  let shares: Set<string>;
  beforeEach(async () => {
    target = await start();
    const { token } = target;
    project = onService(newStory({ STEWARD_TOKEN: token }), target);
    shown = "";
    shares = new Set(target.first);
  });
  afterEach(async () => {
    await target.stop();
  });

  /** `options` are those of the component. `more` is the rest of the program. */
  const declare = (name: string, { args = "", options = "", more = "" } = {}): Story =>
    project.program(`
      const currentShares = [{ env: "S0" }, { env: "S1" }, { env: "S2" }];
      const rekey = new secrets.Rekey("${name}", { secretShares: 3, secretThreshold: 2, keepSharesInState: true, currentShares ${args} }, { ${options} });
      exports.shares = rekey.shares;
      ${more}`);
  /** Sets the shares that the next runs can use. */
  const bring = (set: readonly string[]): Story => project.with(Object.fromEntries(set.map((share, index) => [`S${index}`, share])));

  async function up(...args: string[]): Promise<Run> {
    const run = await project.pulumi("up", "--yes", "--skip-preview", ...args);
    shown += run.output;
    return run;
  }

  interface State {
    /** The names of the rekey's resources. */
    names: string[];
    set: string[];
    /** The outputs of commits of which two shares unseal the server. */
    opening: string[][];
  }

  async function state(): Promise<State> {
    const found: State = { names: [], set: [], opening: [] };
    for (const { urn, outputs } of await project.resources()) {
      // Under --continue-on-error, those of a step that did not run are unknown.
      const set: string[] = Array.isArray(outputs?.shares) ? outputs.shares : [];
      for (const share of set) shares.add(share);
      if (urn.includes("::pulumi:pulumi:Stack::")) found.set = set;
      if (urn.includes(":RekeyCommit::") && (await target.opens(set.slice(0, 2)))) found.opening.push(set);
      found.names.push(...(/:Rekey\w*::(.*)$/.exec(urn)?.slice(1) ?? []));
    }
    return found;
  }

  /** Runs a rekey under its first name, with the shares that the server started with. */
  async function rekeyed(name: string): Promise<string[]> {
    bring(target.first.slice(0, 3));
    declare(name);
    const { code, output } = await up();
    expect({ code, output }).toEqual({ code: 0, output });
    return (await state()).set;
  }

  /** The stack's shares unseal the server, the state holds no old resource, and nothing remains to be done. */
  async function expectRenamed({ code, output }: Run, to: string): Promise<string[]> {
    expect({ code, output }).toEqual({ code: 0, output });
    const { set, opening, names } = await state();
    expect(await target.opens(set.slice(1))).toBe(true);
    expect(opening).toEqual([set]);
    expect(names.sort()).toEqual([to, `${to}-attempt`, `${to}-commit`, `${to}-shares`]);
    expect((await target.outOfBand("GET", "sys/rekey/init")).body).toMatchObject({ started: false });
    const before = sent();
    shown += (await project.preview("--expect-no-changes")).output;
    expect(sent()).toBe(before);
    expect(formsIn(shown + project.stored(), shares)).toEqual([]);
    return set;
  }

  const sent = (): number => target.gateway.requests.filter(({ method }) => method !== "GET").length;
  const attempt = async (): Promise<Record<string, unknown>> => (await target.outOfBand("GET", "sys/rekey/init")).body;

  test("with an alias stays the same rekey and sends nothing", async () => {
    const previous = await rekeyed("old");
    bring(previous);
    const before = sent();
    declare("new", { options: `aliases: [{ name: "old" }]` });
    expect(await expectRenamed(await up(), "new")).toEqual(previous);
    expect(sent()).toBe(before);
  });

  // Each of the other tests takes seconds, and both dialects behave the same.
  if (name.includes("standard")) return;
  // OpenBao has no Nomad secrets engine. The sandbox has one in its dialect.
  if (name.startsWith("real OpenBao")) return;

  test("in a run that fails at an unrelated role is complete, and the next run deletes the old resources", async () => {
    const previous = await rekeyed("old");
    bring(previous);
    const role = `new secrets.SchedulerRole("role", { name: "role", mount: "later", policies: ["one"] }, { dependsOn: rekey });`;
    declare("new", { more: role });
    expect((await up()).code).not.toBe(0);
    const [set, ...others] = (await state()).opening;
    expect(others).toEqual([]);
    expect(set).not.toEqual(previous);
    await target.outOfBand("POST", "sys/mounts/later", { type: target.dialect === "standard" ? "scheduler" : "nomad" });
    const before = sent();
    expect(await expectRenamed(await up(), "new")).toEqual(set);
    // The role is written, and a probe with two shares shows which set is valid.
    expect(sent()).toBe(before + 5);
  });

  interface Blocked {
    why: string;
    /** The number of the shares that the run can use. */
    brought?: number;
    before?(): unknown;
    shows: (RegExp | string)[];
    isCommitted?: true;
    after?(): unknown;
  }
  const cancel = async (): Promise<unknown> => target.outOfBand("DELETE", "sys/rekey/init", { nonce: (await attempt()).nonce });
  const blocked: Blocked[] = [
    {
      why: "that another client's attempt blocks",
      before: () => target.outOfBand("PUT", "sys/rekey/init", { secret_shares: 1, secret_threshold: 1, require_verification: true }),
      shows: ["[rekey/foreign-attempt]", /'new-shares' .*: attempt: /],
      after: cancel,
    },
    { why: "with too few shares", brought: 1, shows: ["1 of 2", "[rekey/only-copy]"] },
    {
      why: "whose last response is lost",
      before: () => target.gateway.on("PUT sys/rekey/verify", { when: "after" }, 2),
      shows: [/Cannot delete rekey: .*\[rekey\/only-copy\]/],
      isCommitted: true,
    },
  ];
  test.each(blocked)("in a run $why under --continue-on-error keeps the old resources until the next run", async (each) => {
    const previous = await rekeyed("old");
    bring(previous.slice(0, each.brought));
    await each.before?.();
    const before = await attempt();
    declare("new");
    const refused = await up("--continue-on-error");
    expect(refused.code).not.toBe(0);
    for (const line of each.shows) expect(refused.output).toMatch(line);
    expect(refused.output).not.toContain("received undefined");
    if (before.started) expect(await attempt()).toEqual(before);
    const { names, opening } = await state();
    expect(names).toContain("old-commit");
    expect(opening).toEqual(each.isCommitted ? [] : [previous]);
    await each.after?.();
    bring(previous);
    await expectRenamed(await up(), "new");
  });
});
