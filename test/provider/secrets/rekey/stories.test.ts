import { onEachRekeyTarget } from "../../../support/rekey";
import { clearLines, lines, stack, tools, wrong, wrongBeside } from "./story";

onEachRekeyTarget("a rekey", (current) => {
  const { inputs, stackOn, requests, noAttempt, status, submit, interrupt } = tools(current);

  test("a second up sends nothing, refresh reads the status, and other current shares change nothing", async () => {
    await stack.up(inputs());
    expect(stack.outputs).toMatchObject({ complete: true, encryptedShares: [], fingerprints: [] });
    expect(stack.outputs.shares).toHaveLength(3);
    expect(await requests(() => stack.up(inputs()))).toEqual([]);
    expect(await requests(() => stack.refresh())).toEqual(noAttempt());
    expect(await stack.up(inputs({ currentShares: [wrong], waitSeconds: 5, onConflict: "cancel", onWaiting: "succeed" }))).toEqual([
      "same",
      "same",
      "same",
    ]);
  });

  test("triggers start another rekey, preview announces it, and the state keeps the valid set until the new one is proven", async () => {
    await stack.up(inputs({ triggers: ["a b"] }));
    const [first] = [stack.outputs.shares];
    clearLines();
    expect((await stack.attempt.preview(stack.attemptInputs(inputs({ triggers: ["ab"] })))).operation).toBe("update");
    expect(lines()).toMatch(/warning: rekey: .*3 shares, threshold 2, to 3 shares, threshold 2/);
    // The state's own shares are the current ones, and are tried.
    const other = Buffer.alloc(33, 8).toString("base64");
    await stack.up(inputs({ triggers: ["ab"], currentShares: [wrong, other] }), "shares");
    expect(stack.outputs.shares).toEqual(first);
    await stack.up(inputs({ triggers: ["ab"], currentShares: [wrong, other] }));
    expect(stack.outputs.shares).not.toEqual(first);
    expect(await current().opens(stack.outputs.shares.slice(0, 2))).toBe(true);
  });

  test("a single share works, as the new set and as the current one", async () => {
    await stack.up(inputs({ secretShares: 1, secretThreshold: 1 }));
    expect(await current().opens(stack.outputs.shares)).toBe(true);
    await stack.up(inputs({ triggers: ["5 of 3"], secretShares: 5, secretThreshold: 3, currentShares: stack.outputs.shares }));
    expect(await current().opens(stack.outputs.shares.slice(2))).toBe(true);
  });

  test("three shares of which each unseals the service alone: made where the specification allows it, refused in the preview for Vault", async () => {
    const one = inputs({ secretThreshold: 1 });
    if (current().dialect !== "standard") {
      expect(await stack.problems(one)).toEqual(["secretThreshold: single-share"]);
      return;
    }
    await stack.up(one);
    const { shares } = stack.outputs;
    expect(lines()).toMatch(/^rekey: all 3 new shares/m);
    for (const share of shares) expect(await current().opens([share])).toBe(true);
    await stack.up(inputs({ triggers: ["2"], currentShares: shares }));
    expect(await current().opens(stack.outputs.shares.slice(1))).toBe(true);
  });

  test("waitSeconds waits for other holders and holds its own share back until the last", async () => {
    const [a = "", b = "", c = ""] = current().first;
    // After the second status of the step that submits shares, which then waits.
    interrupt("GET", "init", { when: "after", act: () => submit(a), answer: (body) => body }, 4);
    await stack.up(inputs({ currentShares: [b, c], waitSeconds: 20 }));
    expect(lines()).toMatch(/^rekey: 1 of 3.*^rekey: waiting up to 20 s.*^rekey: 2 of 3/ms);
    expect(stack.outputs.complete).toBe(true);
  });

  test("a share that another holder submits right after the start counts if the response names the attempt", async () => {
    const { dialect, first } = current();
    const [a = "", b = "", c = ""] = first;
    interrupt("PUT", "init", { when: "after", act: () => submit(a), answer: (body) => body }, 1);
    const others = { currentShares: [b, c] };
    // The API document's answer names none: then it might be anybody's.
    if (dialect === "standard") {
      const { details } = await stack.fails(inputs(others));
      expect(details).toMatchObject({ rule: "rekey/foreign-attempt", hint: expect.stringMatching(/onConflict: "resume".*"cancel"/) });
      expect(details.reason).toContain("1 of 3");
    }
    await stack.up(inputs({ ...others, ...(dialect === "standard" ? { onConflict: "resume" } : {}) }));
    expect(stack.outputs.complete).toBe(true);
    expect(await current().opens(stack.outputs.shares.slice(0, 2))).toBe(true);
  });

  test("submits its share if no holder responds within waitSeconds", async () => {
    expect(await stack.stops(inputs({ currentShares: current().first.slice(0, 1), waitSeconds: 0.5 }))).toBe("rekey/shares-missing");
    expect(await status()).toMatchObject({ progress: 1 });
    expect(lines().match(/0\.5 s/g)).toHaveLength(1);
    // No Ctrl-C ends a wait but the second, so that none lasts longer than an hour.
    expect(await stackOn(current()).problems(inputs({ waitSeconds: 3601 }))).toEqual(["waitSeconds: too-big"]);
    expect(await stackOn(current()).problems(inputs({ waitSeconds: 3600 }))).toEqual([]);
  });

  test.each([
    ["currentShares", "not a share!", "encoding"],
    ["currentShares", "00ff".repeat(8), "length"],
    ["currentShares", "the first", "duplicate"],
    ["newShares", "!!", "encoding"],
  ])("an invalid share by reference in %s (%s) is rejected before any share is submitted", async (field, text, rule) => {
    const [first = ""] = current().first;
    process.env.STEWARD_SHARE = text === "the first" ? Buffer.from(first, "base64").toString("hex") : text;
    const shares = { currentShares: [first], [field]: [...(field === "currentShares" ? [first] : []), { env: "STEWARD_SHARE" }] };
    const { message, details } = await stack.fails(inputs({ ...shares, requireVerification: false, allowUnverified: true }));
    expect(message).not.toContain(process.env.STEWARD_SHARE);
    const path = field === "currentShares" ? "currentShares[1]" : "newShares[0]";
    expect(details).toMatchObject({ rule: "rekey/invalid-share", failures: [{ path, rule }] });
    delete process.env.STEWARD_SHARE;
    expect(await status()).toMatchObject({ progress: 0 });
  });

  test("the name of a share's variable is not redacted from the server's reason", async () => {
    const [first = ""] = current().first;
    [process.env.A, process.env.SHARE] = wrongBeside([first], 2);
    const { message, details } = await stack.fails(inputs({ currentShares: [first, { env: "A" }, { env: "SHARE" }] }));
    expect(details.rule).toBe("rekey/shares-refused");
    expect(message).not.toContain("[secret]");
    for (const name of ["A", "SHARE"]) delete process.env[name];
  });
});
