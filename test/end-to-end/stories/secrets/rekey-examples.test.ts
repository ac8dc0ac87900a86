import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formsIn } from "../../../support/canaries";
import { base64, holders, readAll } from "../../../support/pgp";
import { Run } from "../../../support/project";
import { onEachRekeyTarget, onService } from "../../../support/rekey";
import { newStory, Story } from "../../../support/story";

onEachRekeyTarget("the examples of a rekey", (current) => {
  let project: Story;
  let shown: string;
  beforeEach(() => {
    const { token } = current();
    project = onService(newStory({ STEWARD_TOKEN: token }), current());
    shown = "";
  });

  const run = async (variables: Record<string, string>, ...args: string[]): Promise<Run> => {
    const done = await project.with(variables).pulumi(...args);
    shown += done.output;
    return done;
  };
  const up = (variables: Record<string, string> = {}): Promise<Run> => run(variables, "up", "--yes", "--skip-preview", "--diff");
  const waits = async (variables: Record<string, string>, progress: string): Promise<void> => {
    const { code, output } = await up(variables);
    expect(output).toContain(progress);
    expect(code).toBe(0);
  };

  /** Expects that neither the terminal nor the state holds one of the shares in plaintext. */
  const expectHidden = (shares: string[]): void => {
    expect(formsIn(shown + project.stored(), shares)).toEqual([]);
    expect(project.stored()).not.toContain(current().token);
  };
  const decryptedState = async (): Promise<string> => JSON.stringify(await project.resources());

  test("rekey turns five shares into seven, and a second round needs only the state", async () => {
    const { first, opens } = current();
    project.example("rekey");
    await project.set("round", "first");
    const [SHARE_1 = "", SHARE_2 = "", SHARE_3 = ""] = first;
    expect(await up({ SHARE_1, SHARE_2, SHARE_3 })).toMatchObject({ code: 0 });
    const { shares } = (await project.outputs()) as { shares: string[] };
    expect(shares).toHaveLength(7);
    expect([await opens(shares.slice(3)), await opens(first.slice(0, 3))]).toEqual([true, false]);
    await project.with({}).expectConverged();
    const state = await decryptedState();
    expect([formsIn(state, first), formsIn(state, shares).length > 0]).toEqual([[], true]);

    await project.set("round", "second");
    expect((await run({}, "preview", "--diff")).output).toContain("7 shares, threshold 4, to 7 shares, threshold 4");
    expect(await up()).toMatchObject({ code: 0 });
    const { shares: second } = (await project.outputs()) as { shares: string[] };
    expect([await opens(second.slice(3)), await opens(shares.slice(3))]).toEqual([true, false]);

    expectHidden([...first, ...shares, ...second]);
  });

  test("rekey-holders serves three holders in turn, and none of them sees another's share", async () => {
    const { first, opens } = current();
    const [one = "", two = "", three = ""] = first;
    const all = await holders(3);
    project.example("rekey-holders");
    for (const [index, { publicKey }] of all.entries()) writeFileSync(join(project.folder, `program/keys/${index}.asc`), publicKey);

    await waits({ SHARE: one }, "1 of 3 current shares");
    await waits({ SHARE: two }, "2 of 3 current shares");
    await waits({ SHARE: three }, "0 of 2 new shares");

    const { encryptedShares } = (await project.outputs()) as { encryptedShares: { fingerprint: string; share: string }[] };
    const decrypted = await readAll(all, encryptedShares);
    await waits({ NEW_SHARE: decrypted[2] ?? "" }, "1 of 2 new shares");
    expect(await opens(first.slice(0, 3))).toBe(true);
    expect(await up({ NEW_SHARE: decrypted[0] ?? "" })).toMatchObject({ code: 0 });

    expect([await opens(decrypted.slice(1).map(base64)), await opens(first.slice(0, 3))]).toEqual([true, false]);
    expect(await project.outputs()).toEqual({
      complete: true,
      encryptedShares,
      progress: { phase: "complete", count: 2, required: 2 },
    });
    await project.with({}).expectConverged();
    expectHidden([...first, ...decrypted]);
    expect(formsIn(await decryptedState(), [...first, ...decrypted])).toEqual([]);
    expect(await run({}, "destroy", "--yes", "--skip-preview")).toMatchObject({ code: 0 });
  });
});
