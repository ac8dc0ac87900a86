import { formsIn } from "../../../support/canaries";
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

  test("secret shares are stored encrypted, and functions read the status and the backup", async () => {
    const all: Holder[] = await holders(3);
    project.program(`
      const config = new pulumi.Config();
      new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, currentShares: config.requireSecretObject("current"),
        pgpKeys: ${JSON.stringify(all.map(({ publicKey }) => publicKey))}, backup: true, keepSharesInState: true });`);
    const { first } = current();
    await project.set("current", JSON.stringify(first.slice(0, 3)), "--secret");
    const waiting = await project.pulumi("up", "--yes", "--skip-preview");
    expect(waiting.code).toBe(0);
    expect(waiting.output).toContain("0 of 2 new shares verified");

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
    expect(formsIn(reader.stored(), shares)).toEqual([]);
    reader.remove();

    expect(formsIn(project.stored() + waiting.output, [...first, ...shares])).toEqual([]);
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
    const waiting = await project.pulumi("up", "--yes", "--skip-preview");
    expect(waiting.output).toContain("1 of 3 current shares submitted");
    const second = await project.preview();
    expect(second.output).toContain(`threshold 2, encrypted to ${keys}`);
    expect(second.output).toMatch(missing);
    program(', { env: "RS1" }, { env: "RS2" }');
    const waits = await project.pulumi("up", "--yes", "--skip-preview");
    expect(waits.output).toContain("0 of 2 new shares verified");
    expect((await project.preview()).output).toMatch(/warning: rekey: newShares: .* N0, .* N1/);
  });
});
