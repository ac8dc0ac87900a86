import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { StewardError } from "../../../../provider/contract/errors";
import { noEngine, Writer } from "../../../../provider/contract/operation";
import { RekeyInputs } from "../../../../provider/secrets";
import { rekeyAttempt } from "../../../../provider/secrets/rekey/attempt/resource";
import { rekeyCommit } from "../../../../provider/secrets/rekey/commit/resource";
import { rekeyShares } from "../../../../provider/secrets/rekey/shares/resource";
import { connectTo } from "../../../support/connection";
import { definitionOf, secretOutputs } from "../../../support/definitions";
import { Holder, holders, makeHolder, readAll, rotate } from "../../../support/pgp";
import { invalidInputs, refusal } from "../../../support/refusal";
import { onEachRekeyTarget } from "../../../support/rekey";
import { clearLines, lines, stack, tools, wrong } from "./story";

const { reformatKey } = require("openpgp") as typeof OpenPGP;

onEachRekeyTarget("the end of a rekey", (current) => {
  const { inputs, stackOn, requests, interrupt } = tools(current);

  test("a share in place of the name of its variable or file is rejected and not printed", async () => {
    const [share = ""] = current().first;
    const hex = Buffer.from(share, "base64").toString("hex");
    const slashed = `/a/B1${share.slice(5)}`;
    const path = "/var/lib/steward/holders/of/the/unsealshares/1";
    const misplaced = [{ env: hex }, { file: hex }, { env: share }, { file: share }, { env: slashed }, { file: slashed }];
    const error = await stackOn(current()).fails(inputs({ currentShares: [...misplaced, { env: "SHARE_1" }, { file: path }] }));
    expect(error).toEqual(
      invalidInputs(
        ...misplaced.map((source, index) =>
          "env" in source ? `currentShares[${index}].env: share-as-name` : `currentShares[${index}].file: share-as-path`,
        ),
      ),
    );
    for (const text of [hex, share, slashed]) expect(error.message).not.toContain(text);
  });

  test("every output with shares is a secret output", async () => {
    await stack.up(inputs());
    const shares = [...stack.outputs.shares];
    const again = inputs({ triggers: ["2"], currentShares: [wrong] });
    // The previous set is kept until the new one is valid.
    await stack.up(again, "shares");
    shares.push(...stack.candidate.shares);
    const holding = (): string[] =>
      Object.entries({ RekeyAttempt: stack.attempt, RekeyShares: stack.shares, RekeyCommit: stack.commit }).flatMap(([type, engine]) => {
        const hidden = secretOutputs(definitionOf(`secrets:${type}`));
        return Object.entries(engine.outputs())
          .filter(([, value]) => shares.some((share) => JSON.stringify(value).includes(share)))
          .map(([field]) => `${type}.${field}: ${hidden.includes(field) ? "secret" : "clear text"}`);
      });
    expect(holding()).toEqual(expect.arrayContaining(["RekeyShares.submission: secret"]));
    expect(holding().filter((field) => field.endsWith("clear text"))).toEqual([]);
    await stack.up(again);
    expect(holding()).toEqual(expect.arrayContaining(["RekeyCommit.live: secret", "RekeyCommit.shares: secret"]));
    expect(holding().filter((field) => field.endsWith("clear text"))).toEqual([]);
  });

  test("current shares as values are in the states of the shares and the commit at most; the first step checks them and keeps none", async () => {
    const newShares = [wrong];
    const short = Buffer.alloc(20, 1).toString("base64");
    expect(await stack.problems(inputs({ currentShares: ["!"], newShares: ["?"] }))).toEqual([
      "currentShares[0]: encoding",
      "newShares[0]: encoding",
    ]);
    const [key] = (await holders(1)).map(({ publicKey }) => publicKey) as [string];
    const many = { secretThreshold: 4, pgpKeys: [key, key], currentShares: [wrong, wrong, short], requireVerification: false };
    expect(await stack.problems(inputs(many))).toEqual([
      "secretThreshold: more-than-shares",
      "pgpKeys: count",
      "pgpKeys[1]: duplicate",
      "requireVerification: unverified",
      "currentShares[1]: duplicate",
      "currentShares[2]: length",
    ]);
    expect(await stack.problems(inputs({ backup: true }))).toEqual(["backup: needs-pgp-keys"]);
    expect(await stack.problems(inputs({ removeBackup: true }))).toEqual(["removeBackup: needs-backup"]);
    await stack.up(inputs({ newShares }), "attempt");
    await stack.refresh();
    const [values, references] = [current().first.slice(0, 3), [{ env: "STEWARD_A" }, { file: "no/such/file" }]];
    await stack.up(inputs({ currentShares: [...values, ...references], newShares }));
    for (const share of [...values, wrong]) {
      expect(JSON.stringify(stack.attempt.state)).not.toContain(share);
      expect(stack.attempt.state?.inputs).toMatchObject({ shareReferences: references, shareFindings: [] });
      expect(JSON.stringify(stack.shares.state)).toContain(share);
    }
    expect(await stack.up(inputs({ newShares }))).toEqual(["same", "same", "same"]);
  });

  test("without PGP keys a new rekey requires keepSharesInState, and a finished one does not", async () => {
    const without = (more: Partial<RekeyInputs> = {}): Promise<string[]> =>
      stack.problems(inputs({ keepSharesInState: undefined, currentShares: [{ env: "STEWARD_NONE" }], ...more }));
    expect(await without()).toEqual(["keepSharesInState: clear-text"]);
    await stack.up(inputs());
    expect(await without()).toEqual([]);
    expect(await without({ triggers: ["2"] })).toEqual(["keepSharesInState: clear-text"]);
    const [{ publicKey }] = (await holders(1)) as [Holder];
    expect(await without({ secretShares: 1, secretThreshold: 1, pgpKeys: [publicKey] })).toEqual([]);
  });

  const ended = async (): Promise<void> => {
    throw new StewardError({ code: "ERR_ENGINE_GONE", reason: "Pulumi has ended" });
  };
  test.each([
    {
      title: "if Pulumi skips checkpoints",
      engine: { ...noEngine, savesEachStep: false },
      error: refusal("ERR_INVALID_INPUT", { rule: "rekey/checkpoints-skipped" }),
    },
    { title: "after Pulumi has ended", engine: { ...noEngine, assertAlive: ended }, error: refusal("ERR_ENGINE_GONE") },
  ])("the resources of a rekey send no write $title", async ({ engine, error }) => {
    const operation = connectTo("secrets", {}, { config: (key) => JSON.stringify(current().config[key]), engine });
    const refuses = async (
      create: (request: { operation: Writer; inputs: never; claims: never }) => Promise<unknown>,
      given: object,
    ): Promise<void> => {
      const sent = await requests(() =>
        expect(create({ operation, inputs: given as never, claims: undefined as never })).rejects.toThrow(error),
      );
      expect(sent.filter((request) => !request.startsWith("GET "))).toEqual([]);
    };
    await refuses(rekeyAttempt.create, stack.attemptInputs(inputs()));
    await stack.up(inputs(), "attempt");
    await refuses(rekeyShares.create, { ...stack.attempt.outputs(), ...inputs() });
    await stack.up(inputs(), "shares");
    await refuses(rekeyCommit.create, { ...stack.attempt.outputs(), ...stack.shares.outputs(), ...inputs() });
  });

  test("destroy fails while the state contains the only copy of valid shares, unless discardShares is set", async () => {
    await stack.up(inputs());
    await expect(stack.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/only-copy" }));
    for (const discardShares of [true, false, true]) {
      expect(await stack.up(inputs({ discardShares }))).toEqual(["same", "update", "update"]);
      expect(await stack.up(inputs({ discardShares }))).toEqual(["same", "same", "same"]);
    }
    await stack.destroy();
    expect([stack.attempt.state, stack.shares.state, stack.commit.state]).toEqual([undefined, undefined, undefined]);
  });

  test("refresh reports a rekey by another client with a message and without a diff", async () => {
    await stack.up(inputs({ secretShares: 3, secretThreshold: 3 }));
    const other = stackOn(current());
    await other.up(inputs({ currentShares: stack.outputs.shares }));
    clearLines();
    expect(await stack.commit.refresh()).toEqual([]);
    expect(lines()).toMatch(/^rekey: .*\b2 shares.* threshold of 3\b/m);
  });

  test.each([
    ["set for the first time", undefined],
    ["changed", ["1"]],
  ])("triggers that were %s, and are changed back after a lost start, run no rekey", async (_, triggers) => {
    const before = triggers ? { triggers } : {};
    await stack.up(inputs(before));
    const live = stack.outputs.shares;
    interrupt("PUT", "init", { when: "before" });
    await stack.fails(inputs({ triggers: ["2"], currentShares: [] }));
    current().gateway.interrupt = undefined;
    clearLines();
    // Without the consent to keep new shares in the state.
    const back = inputs({ ...before, currentShares: [], keepSharesInState: undefined });
    await stack.attempt.preview(stack.attemptInputs(back));
    expect(lines()).not.toContain("a new rekey will run");
    expect((await requests(() => stack.up(back))).filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(await current().opens(live.slice(0, 2))).toBe(true);
    // The changed triggers run it, also on the next attempt.
    await stack.up(inputs({ triggers: ["2"], currentShares: [] }));
    expect(await current().opens(live.slice(0, 2))).toBe(false);
  });

  test("an expired key is a warning for the rekey that used it, and an error for a new one; its renewal runs no rekey", async () => {
    const all = await Promise.all([1, 2, 3].map(() => makeHolder({ keyExpirationTime: 3600 })));
    const pgp = inputs({ pgpKeys: all.map(({ publicKey }) => publicKey) });
    await stack.stops(pgp);
    const newShares = await readAll(all, stack.candidate.encrypted);
    const later = Date.now() + 2 * 3600_000;
    const clock = jest.spyOn(Date, "now").mockImplementation(() => later);
    try {
      const expired = [0, 1, 2].map((index) => `pgpKeys[${index}]: expired`);
      expect(await stack.problems({ ...pgp, newShares })).toEqual([]);
      expect(lines()).toMatch(/^warning: rekey: pgpKeys\[0\]: .* expired on /m);
      expect(await stack.problems({ ...pgp, newShares, triggers: ["2"] })).toEqual(expired);
    } finally {
      clock.mockRestore();
    }
    await stack.up({ ...pgp, newShares });
    // The same fingerprints: what `gpg --quick-set-expire` exports.
    const renewed = await Promise.all(
      all.map(async ({ privateKey }) => {
        const userIDs = [{ name: "holder" }];
        return (await reformatKey({ privateKey, userIDs, keyExpirationTime: 0, format: "object" })).publicKey.armor();
      }),
    );
    const rotated = await Promise.all(all.map(async (holder) => (await rotate(holder, "revoked")).publicKey));
    for (const pgpKeys of [renewed, rotated]) {
      clearLines();
      await stack.attempt.preview(stack.attemptInputs({ ...pgp, pgpKeys }));
      expect(lines()).not.toContain("a new rekey will run");
      expect(lines()).toMatch(
        pgpKeys === rotated ? /^warning: rekey: pgpKeys: the encryption subkeys have changed/m : /^rekey: pgpKeys: a key was renewed/m,
      );
      expect((await requests(() => stack.up({ ...pgp, pgpKeys }))).filter((request) => !request.startsWith("GET"))).toEqual([]);
    }
  });
});
