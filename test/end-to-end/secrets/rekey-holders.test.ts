import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { steward } from "../../command/holder";
import { formsIn } from "../../support/canaries";
import { loudly } from "../../support/loud";
import { base64, Holder, holders, read } from "../../support/pgp";
import { nativeProject, Project, Run } from "../../support/project";
import { onService, RekeyTarget, slowRekeyTargets } from "../../support/rekey";

// No share of holders enters Pulumi: with everything that it can log, nothing that it writes contains one, also decrypted.

const [{ start }] = slowRekeyTargets as [(typeof slowRekeyTargets)[number]];

describe.each([false, true])("a rekey of several holders, with the native plugin: %s", (native) => {
  let target: RekeyTarget;
  let project: Project;
  let all: Holder[];
  let shares: Set<string>;
  /** The places that contain a share. */
  let found: Set<string>;
  beforeEach(async () => {
    target = await start();
    all = await holders(3);
    shares = new Set(target.first);
    found = new Set();
    project = new Project({ STEWARD_TOKEN: target.token }).files({ "Pulumi.yaml": nativeProject() });
    onService(project, target).config({ ...target.connection, "steward:native": native as never });
  });
  afterEach(() => target.stop());

  const declare = (currentShares = '{ env: "SHARE" }', newShares = '{ env: "NEW_SHARE" }', more = ""): Project =>
    project.program(`
      const create = async () => ({ id: "one" });
      const other = new (class extends pulumi.dynamic.Resource {})({ create }, "other", {});
      const pgpKeys = ${JSON.stringify(all.map(({ publicKey }) => publicKey))};
      const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, pgpKeys, currentShares: [${currentShares}], newShares: [${newShares}]${more} });
      const { encryptedShares, progress, complete, record } = rekey;
      Object.assign(exports, { encryptedShares, progress, complete, record });`);

  /** Runs the command line, and searches all that it wrote. The environment has the shares, and no file of the test does. */
  async function run(variables: Record<string, string>, ...args: string[]): Promise<Run> {
    const ran = await loudly(project, variables, ...args);
    for (const [place, text] of ran.written) if (formsIn(text, shares).length > 0) found.add(place);
    return ran;
  }
  const up = (variables: Record<string, string>, ...more: string[]): Promise<Run> =>
    run(variables, "up", "--yes", "--skip-preview", ...more);
  const output = async (name: string): Promise<unknown> => JSON.parse((await project.pulumi("stack", "output", name, "--json")).output);

  test("no share is written, and each run but the last succeeds and waits for the next holder", async () => {
    declare();
    const waits = async (
      variables: Record<string, string>,
      more: string,
      [count = 0, required = 0]: number[],
      noun: string,
    ): Promise<void> => {
      const { code, output: shown } = await up(variables);
      const counted = `${count} of ${required} ${noun}`;
      const done = count > 0 ? `: ${counted}. You are done. Waiting for ${more}` : `. You are done. Waiting for ${more}: ${counted}`;
      const message = `warning: rekey: Your share was accepted${done}. Nothing has changed yet.`;
      expect([code, shown.includes(message)]).toEqual([0, true]);
      const phase = noun.startsWith("new") ? "verifying" : "submitting";
      expect([await output("progress"), await output("complete")]).toEqual([{ phase, count, required }, false]);
      expect((await run({}, "preview", "--expect-no-changes")).code).not.toBe(0);
      expect((await run({}, "refresh", "--yes", "--skip-preview", "--expect-no-changes")).code).toBe(0);
    };
    const [one = "", two = "", three = ""] = target.first;
    await waits({ SHARE: one }, "2 more key holders", [1, 3], "current shares submitted");
    expect((await project.resources()).filter(({ urn }) => urn.endsWith("::other"))).toHaveLength(1);
    await waits({ SHARE: two }, "1 more key holder", [2, 3], "current shares submitted");
    await waits({ SHARE: three }, "2 more key holders", [0, 2], "new shares verified");
    const encrypted = (await output("encryptedShares")) as { fingerprint: string; share: string }[];
    expect(encrypted.map(({ fingerprint }) => fingerprint)).toEqual(all.map(({ fingerprint }) => fingerprint));
    const fresh = await Promise.all(all.map((holder, index) => read(holder, encrypted[index]?.share ?? "")));
    const [first = "", second = "", third = ""] = fresh;
    for (const share of fresh) shares.add(share);
    await waits({ NEW_SHARE: third }, "1 more key holder", [1, 2], "new shares verified");
    expect(await target.opens(target.first.slice(0, 3))).toBe(true);

    expect((await up({ NEW_SHARE: first })).code).toBe(0);
    expect([await output("progress"), await output("complete")]).toEqual([{ phase: "complete", count: 2, required: 2 }, true]);
    expect(await target.opens([base64(first), base64(second)])).toBe(true);
    expect((await up({ SHARE: one, NEW_SHARE: second }, "--expect-no-changes")).code).toBe(0);
    expect([...found]).toEqual([]);
    const record = join(project.folder, "record");
    writeFileSync(record, (await project.pulumi("stack", "output", "record", "--json")).output);
    const verified = await steward({}, ["rekey", "record", "verify", record, "--unsigned"]);
    expect(verified.code).toBe(0);
    const events = [...verified.stdout.matchAll(/Z {2}(\S+)/g)].map(([, event]) => event);
    expect(events).toEqual(["started", ...Array(3).fill("submitted"), "created", "verified", "verified", "committed"]);
  });

  // The program's own process rejects them, before either mechanism.
  if (native) return;

  test.each([
    ["a string", "process.env.PLAIN"],
    ["a secret", "pulumi.secret(process.env.PLAIN)"],
    ["an output", "pulumi.output(Promise.resolve(process.env.PLAIN))"],
    ["unknown in a preview", "other.id.apply(() => process.env.PLAIN)"],
  ])("a share that is %s is rejected, and neither sent nor written", async (kind, value) => {
    const variables = { PLAIN: target.first[0] as string };
    for (const field of ["currentShares", "newShares"])
      for (const options of [[], ["--continue-on-error"]]) {
        declare(...(field === "newShares" ? [undefined, value] : [value]));
        if (kind.startsWith("unknown")) expect((await run(variables, "preview")).code).toBe(0);
        const { code, output: shown } = await up(variables, ...options);
        const message = `${field}[0]: is the share itself, which Pulumi would store. Pass a reference such as { env: "`;
        expect([code, shown.includes(message)]).toEqual([1, true]);
        if (kind.startsWith("unknown")) await project.destroy();
      }
    expect({ found: [...found], sent: target.gateway.requests }).toEqual({ found: [], sent: [] });
    // The search is meaningful: it finds a share that Pulumi may store.
    declare(value, undefined, ", keepSharesInState: true");
    expect((await up(variables)).code).toBe(0);
    const places = ["terminal", "decrypted log", "exported state", "logged/calls", "logged/traces", "decrypted dev.json.bak"];
    expect([...found]).toEqual(expect.arrayContaining(places));
  });
});
