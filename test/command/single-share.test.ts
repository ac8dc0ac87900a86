import { holders } from "../support/pgp";
import { onEachRekeyTarget, RekeyStack, stackOn } from "../support/rekey";
import { enter } from "./holder";
import { tools } from "./rekey";

onEachRekeyTarget("a drill of several holders", (current) => {
  const { alone, atTerminal, begin, forHolders, nonce, sent, share } = tools(current);

  test("submit sends nothing to a rekey that makes a single share, and asks for no confirmation", async () => {
    const [holder] = await holders(1);
    const pgp_keys = [holder?.publicKey.replace(/-----[^-]+-----|\n=.*|\s/g, "")];
    for (const more of [{}, { pgp_keys }]) {
      const name = await begin({ secret_shares: 1, secret_threshold: 1, ...more });
      const typed = await atTerminal(["submit"], { "[y/N] ": `y${enter}` });
      expect(typed).toMatchObject({ code: 1, stdout: "", raw: [], stderr: expect.stringContaining("this rekey creates a single share") });
      expect(typed.stderr).not.toContain("[y/N]");
      expect(await alone(["submit", "--nonce", name], share(0))).toMatchObject({ code: 1, stdout: "" });
      await current().outOfBand("DELETE", "sys/rekey/init", { nonce: name });
    }
    expect(sent("update")).toBe(0);
  });

  test("each holder submits to an ordinary rekey, and its cancel changes nothing", async () => {
    const name = await forHolders(await holders(5), { secret_threshold: 3, backup: false });
    for (const index of [0, 1, 2]) expect((await alone(["submit", "--nonce", name], share(index))).code).toBe(0);
    expect((await alone(["cancel", "--nonce", name])).code).toBe(0);
    expect((await current().outOfBand("GET", "sys/rekey/init")).body.started).toBe(false);
    expect(await current().opens(current().first)).toBe(true);
  });

  test("a separate stack starts it, and its destruction changes nothing", async () => {
    const quiet = jest.spyOn(console, "log").mockImplementation(() => {});
    const pgpKeys = (await holders(5)).map(({ publicKey }) => publicKey);
    const inputs = { secretShares: 5, secretThreshold: 3, pgpKeys, currentShares: [] };
    const stack: RekeyStack = stackOn(current());
    expect(await stack.stops(inputs)).toBe("rekey/shares-missing");
    for (const index of [0, 1, 2]) expect((await alone(["submit", "--nonce", await nonce()], share(index))).code).toBe(0);
    await stack.stops({ ...inputs, discardShares: true });
    await stack.destroy();
    quiet.mockRestore();
    expect((await current().outOfBand("GET", "sys/rekey/init")).body.started).toBe(false);
    expect(await current().opens(current().first)).toBe(true);
  });
});
