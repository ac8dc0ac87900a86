import { onEachRekeyTarget } from "../../../support/rekey";
import { tools } from "./story";

// In OpenBao and the API document, a cancel ends any attempt in progress, and another client may have replaced it between two requests.
onEachRekeyTarget("a cancel ends no attempt of another client", (current) => {
  const { inputs, stackOn, status, interrupt } = tools(current);

  /** Replaces the attempt in progress, as another client would. */
  const replaceAttempt = async (): Promise<void> => {
    const { outOfBand } = current();
    await outOfBand("DELETE", "sys/rekey/init", { nonce: (await status()).nonce });
    await outOfBand("PUT", "sys/rekey/init", { secret_shares: 5, secret_threshold: 3, require_verification: true });
  };
  const theirs = { started: true, n: 5, t: 3, progress: 0 };
  const unchanged = (body: string): string => body;

  test("a probe that was replaced is not canceled, and the error says so", async () => {
    const stack = stackOn(current());
    interrupt("PUT", "verify", { when: "after" }, 2);
    expect(await stack.stops(inputs())).toBe("rekey/outcome-unknown");
    let updates = 0;
    current().gateway.interrupt = ({ method, path }) =>
      method === "PUT" && path.endsWith("/update") && ++updates === 1
        ? { when: "after", act: replaceAttempt, answer: unchanged }
        : undefined;
    expect(await stack.stops(inputs())).toBe("rekey/probe-disturbed");
    expect(await status()).toMatchObject(theirs);
  });

  test("an attempt that was replaced right before its cancel is no error of the cancel", async () => {
    // Only Vault asks for the nonce: the others cancel what is there.
    if (current().dialect !== "hashicorp") return;
    const stack = stackOn(current());
    await stack.up(inputs(), "attempt");
    interrupt("GET", "init", { when: "after", act: replaceAttempt, answer: unchanged }, 3);
    expect(await stack.stops(inputs({ triggers: ["2"] }))).toBe("rekey/foreign-attempt");
    expect(await status()).toMatchObject(theirs);
  });

  test("an attempt that was replaced while its verification restarted is not canceled", async () => {
    const stack = stackOn(current());
    let lost = false;
    current().gateway.interrupt = ({ method, path, nth }) => {
      if (method === "PUT" && path.endsWith("/update") && nth === 3) {
        lost = true;
        return { when: "after" };
      }
      return lost && method === "DELETE" && path.endsWith("/verify")
        ? { when: "after", act: replaceAttempt, answer: unchanged }
        : undefined;
    };
    expect(await stack.stops(inputs())).toBe("rekey/attempt-lost");
    expect(await status()).toMatchObject(theirs);
  });

  test("an update of a finished rekey cancels no attempt that another client started later", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    await current().outOfBand("PUT", "sys/rekey/init", { secret_shares: 3, secret_threshold: 2, require_verification: true });
    const { nonce } = await status();
    await stack.up(inputs({ discardShares: true }));
    expect(await status()).toMatchObject({ started: true, nonce });
  });
});
