import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formsIn } from "../../../support/canaries";
import { base64, holders, read } from "../../../support/pgp";
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
  const stops = async (variables: Record<string, string>, id: string, progress: string): Promise<string> => {
    const { code, output } = await up(variables);
    expect(output).toContain(progress);
    expect(output).toContain(`[rekey/${id}]`);
    expect(code).not.toBe(0);
    return output;
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

    await stops({ SHARE: one }, "shares-missing", "1 of 3");
    await stops({ SHARE: two }, "shares-missing", "2 of 3");
    const output = await stops({ SHARE: three }, "new-shares-missing", "0 of the 2");

    const messages = all.map(
      ({ fingerprint }) => new RegExp(`for the holder of ${fingerprint}, encrypted: ([0-9a-f]+)`).exec(output)?.[1] ?? "",
    );
    const decrypted = await Promise.all(all.map((holder, index) => read(holder, messages[index] ?? "")));
    await stops({ NEW_SHARE: decrypted[2] ?? "" }, "new-shares-missing", "1 of the 2");
    expect(await opens(first.slice(0, 3))).toBe(true);
    expect(await up({ NEW_SHARE: decrypted[0] ?? "" })).toMatchObject({ code: 0 });

    expect([await opens(decrypted.slice(1).map(base64)), await opens(first.slice(0, 3))]).toEqual([true, false]);
    const encryptedShares = all.map(({ fingerprint }, index) => ({ fingerprint, share: messages[index] }));
    expect(await project.outputs()).toEqual({ complete: true, encryptedShares });
    await project.with({}).expectConverged();
    expectHidden([...first, ...decrypted]);
    expect(formsIn(await decryptedState(), [...first, ...decrypted])).toEqual([]);
    expect(await run({}, "destroy", "--yes", "--skip-preview")).toMatchObject({ code: 0 });
  });
});
