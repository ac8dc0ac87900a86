import { Holder, holders } from "../../../support/pgp";
import { onEachRekeyTarget, onService } from "../../../support/rekey";
import { newStory, Story } from "../../../support/story";

onEachRekeyTarget("a rekey", (current) => {
  let project: Story;
  beforeEach(() => {
    const { token, first } = current();
    const shares = Object.fromEntries(first.map((share, index) => [`RS${index}`, share]));
    project = onService(newStory({ STEWARD_TOKEN: token, ...shares }), current());
  });
  afterEach(() => project.remove());

  test("secret shares are stored encrypted, and functions read the status and the backup", async () => {
    const all: Holder[] = await holders(3);
    project.program(`
      const config = new pulumi.Config();
      const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, currentShares: config.requireSecretObject("current"),
        pgpKeys: ${JSON.stringify(all.map(({ publicKey }) => publicKey))}, backup: true, newShares: [{ env: "N0" }, { env: "N1" }, { env: "N2" }] });
      exports.complete = rekey.complete; exports.encryptedShares = rekey.encryptedShares;`);
    const { first } = current();
    await project.set("current", JSON.stringify(first.slice(0, 3)), "--secret");
    const stopped = await project.pulumi("up", "--yes", "--skip-preview");
    expect(stopped.code).not.toBe(0);
    expect(stopped.output).toMatch(/0 of the 2 .*\[rekey\/new-shares-missing\]/);

    // Each holder of a key reads their share in a separate program.
    const reader = onService(newStory({ STEWARD_TOKEN: current().token }), current());
    reader.program(`
      const keys = ${JSON.stringify(all.map(({ privateKey, fingerprint }) => [fingerprint, privateKey.armor()]))};
      exports.status = secrets.getRekeyStatus();
      const backup = secrets.getRekeyBackup();
      exports.shares = backup.then(async ({ keys: messages }) => pulumi.all(await Promise.all(keys.map(([fingerprint, privateKey]) => secrets.decryptShare({ share: messages[fingerprint][0], privateKey })))));`);
    await reader.up();
    const { status, shares } = (await reader.outputs()) as { status: object; shares: string[] };
    expect(status).toMatchObject({
      started: true,
      threshold: 2,
      shares: 3,
      backup: true,
      verificationRequired: true,
      verification: { progress: 0, threshold: 2, shares: 3 },
    });
    for (const share of shares) expect(reader.stored()).not.toContain(share);
    reader.remove();

    // The decrypted shares are passed one by one, by reference.
    const [one = "", two = ""] = shares;
    const waits = await project.with({ N0: one }).pulumi("up", "--yes", "--skip-preview");
    expect(waits.output).toMatch(/1 of the 2 .*\[rekey\/new-shares-missing\]/);
    const done = await project.with({ N1: two }).up();
    expect((await project.outputs()).complete).toBe(true);
    expect(await current().opens([one, two])).toBe(true);
    await project.with({}).expectConverged();
    const stored = project.stored() + stopped.output + waits.output + done.output;
    for (const share of [...first, ...shares]) expect(stored).not.toContain(share);
    for (const share of shares) expect(stored).not.toContain(Buffer.from(share, "hex").toString("base64"));
  });

  test("an invalid share stops an update before anything is sent, also without a preview, and the attempt receives no share", async () => {
    const [first = "", second = ""] = current().first;
    project.program(`
      const currentShares = new pulumi.Config().requireSecretObject("current");
      new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, keepSharesInState: true, currentShares });`);
    await project.set("current", JSON.stringify([first, { env: "RS9" }, first]), "--secret");
    const refused = await project.pulumi("up", "--yes", "--skip-preview");
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/currentShares\[2\]: .*currentShares\[0\]/);
    expect(current().gateway.requests).toEqual([]);

    await project.set("current", JSON.stringify([first, { env: "RS9" }, second]), "--secret");
    const stopped = await project.pulumi("up", "--yes", "--skip-preview");
    expect(stopped.output).toMatch(/2 of 3 .*: currentShares\[1\] \(.* RS9\).*\[rekey\/shares-missing\]/);
    const resources = await project.resources();
    const stateOf = (name: string): string => JSON.stringify(resources.find(({ urn }) => urn.endsWith(`::unseal-${name}`)));
    expect(JSON.parse(stateOf("attempt")).inputs).toMatchObject({ shareReferences: [{ env: "RS9" }], shareFindings: [] });
    for (const share of [first, second]) {
      expect(stateOf("attempt")).not.toContain(share);
      expect(stateOf("shares")).toContain(share);
    }
  });

  test("a preview names empty references, and keys with their user ids", async () => {
    const all: Holder[] = await holders(3);
    const keys = all.map(({ fingerprint }, index) => `${fingerprint} "holder ${index}"`).join(", ");
    const program = (more = ""): Story =>
      project.program(`
        new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, pgpKeys: ${JSON.stringify(all.map(({ publicKey }) => publicKey))},
          currentShares: [{ env: "RS0" }, { env: "RS_NONE" }, { file: "no/such/file" }${more}], newShares: [{ env: "N0" }, { env: "N1" }] });`);
    const missing = /\bcurrentShares: .* RS_NONE, .* no\/such\/file/;
    const first = await program().preview();
    expect(current().gateway.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(first.output).toContain("+ steward:secrets:Rekey: (create)");
    expect(first.output).toContain(`${current().gateway.url}: 3 shares, threshold 2, with verification, encrypted to ${keys}; `);
    expect(first.output).toMatch(missing);
    expect(first.output).not.toContain("newShares: ");
    const stopped = await project.pulumi("up", "--yes", "--skip-preview");
    expect(stopped.output).toContain("[rekey/shares-missing]");
    const second = await project.preview();
    expect(second.output).toContain(`threshold 2, encrypted to ${keys}`);
    expect(second.output).toMatch(missing);
    program(', { env: "RS1" }, { env: "RS2" }');
    const waits = await project.pulumi("up", "--yes", "--skip-preview");
    expect(waits.output).toContain(`(${keys})`);
    expect((await project.preview()).output).toMatch(/warning: rekey: newShares: .* N0, .* N1/);
  });

  test("preview reports all invalid inputs at once and sends nothing", async () => {
    const [key] = await holders(1);
    const bad = await project
      .program(
        `new secrets.Rekey("unseal", { secretShares: 2, secretThreshold: 3, currentShares: ["canary!", "00", "00", "0011"], pgpKeys: [${JSON.stringify(key?.publicKey)}, ${JSON.stringify(key?.publicKey)}, "canary"], requireVerification: false, surprise: 1 });`,
      )
      .pulumi("preview");
    expect(bad.code).not.toBe(0);
    // The rules are those of test/provider/secrets/rekey/end.test.ts.
    for (const path of [
      "secretThreshold",
      "pgpKeys",
      "pgpKeys[1]",
      "pgpKeys[2]",
      "currentShares[0]",
      "currentShares[2]",
      "currentShares[3]",
      "requireVerification",
    ])
      expect(bad.output).toContain(`${path}: `);
    expect(bad.output).toContain('"surprise"');
    expect(bad.output).not.toContain("canary");
    expect(current().gateway.requests).toEqual([]);
  });
});
