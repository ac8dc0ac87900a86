import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holders } from "../support/pgp";
import { onEachRekeyTarget, onService } from "../support/rekey";
import { newStory, Story } from "../support/story";
import { argumentsOf, steward, variablesOf } from "./holder";

onEachRekeyTarget("a `pulumi up` that waits for holders who use the command line", (current) => {
  let project: Story;
  let folder: string;
  beforeEach(() => {
    const { token } = current();
    folder = mkdtempSync(join(tmpdir(), "steward-holders-"));
    project = onService(newStory({ STEWARD_TOKEN: token }), current());
  });
  afterEach(() => {
    project.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("two holders submit their shares, up submits the last one, both decrypt their new shares, and up verifies them", async () => {
    const { first, gateway, outOfBand } = current();
    const all = await holders(3);
    project
      .program(
        `const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, backup: true, waitSeconds: 600,
          pgpKeys: ${JSON.stringify(all.map(({ publicKey }) => publicKey))}, currentShares: [{ env: "SHARE" }], newShares: [{ env: "NEW_0" }, { env: "NEW_1" }] });
        exports.complete = rekey.complete;`,
      )
      .with({ SHARE: first[0] as string });
    // The stack has read its own attempt, and waits.
    const waits = new Promise<void>((done) => {
      gateway.interrupt = ({ method, path }) => {
        const started = gateway.requests.some((request) => request.method === "PUT");
        if (started && method === "GET" && path.endsWith("/backup")) done();
        if (started && gateway.requests.filter((request) => request.method === "GET" && request.path.endsWith("/init")).length > 3) done();
        return undefined;
      };
    });
    const running = project.pulumi("up", "--yes", "--skip-preview");
    await Promise.race([waits, running]);
    gateway.interrupt = undefined;
    const nonce = String((await outOfBand("GET", "sys/rekey/init")).body.nonce);
    for (const share of first.slice(1, 3)) {
      const given = await steward(variablesOf(current()), argumentsOf(current(), "submit", "--nonce", nonce), share);
      expect(given).toMatchObject({ code: 0, stdout: "" });
      for (const { fingerprint } of all) expect(given.stderr).toContain(fingerprint);
    }
    const stopped = await running;
    expect(stopped.output).toContain("3 of 3 ");
    expect(stopped.output).toMatch(/0 of the 2 .*\[rekey\/new-shares-missing\]/);

    const shares: string[] = [];
    for (const { fingerprint, privateKey } of all.slice(1)) {
      const [, message = ""] = new RegExp(`for the holder of ${fingerprint}, encrypted: ([0-9a-f]+)`).exec(stopped.output) ?? [];
      const key = join(folder, fingerprint);
      writeFileSync(key, privateKey.armor());
      shares.push((await steward({}, ["rekey", "decrypt", "--key", key], message)).stdout.trim());
    }
    await project.with({ NEW_0: shares[0] as string, NEW_1: shares[1] as string }).up();
    expect(await project.outputs()).toMatchObject({ complete: true });
    expect(await current().opens(shares)).toBe(true);
  });
});
