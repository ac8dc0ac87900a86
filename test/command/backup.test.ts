import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { secrets } from "../../provider";
import { holders } from "../support/pgp";
import { refusal } from "../support/refusal";
import { onEachRekeyTarget } from "../support/rekey";
import { wireOf } from "../support/rekey-wire";
import { argumentsOf, Ended, steward, variablesOf } from "./holder";
import { folder, formsOf, tools } from "./rekey";

onEachRekeyTarget("pulumi-steward rekey backup", (current) => {
  const { alone, sent, forHolders, submitShares } = tools(current);

  test("fetches the backup for all holders or for one, who decrypts the share, and removes it by the nonce of its rekey", async () => {
    const none = await alone(["backup"]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain(current().gateway.url);
    const all = await holders(3);
    const name = await forHolders(all);
    await submitShares(name, 3);

    const whole = await alone(["backup"]);
    expect(whole.code).toBe(0);
    expect(whole.stderr).toContain(name);
    const lines = whole.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/ [0-9a-f]+$/, "")).sort()).toEqual(
      all.map(({ fingerprint }) => `for the holder of ${fingerprint}, encrypted:`).sort(),
    );

    const [mine] = all.slice(1);
    const { fingerprint = "" } = mine ?? {};
    const asGpgPrintsIt = (fingerprint.match(/.{4}/g) ?? []).join(" ").toUpperCase();
    const output = join(folder, "mine");
    const one = await alone(["backup", "--fingerprint", asGpgPrintsIt, "--output", output]);
    expect(one).toMatchObject({ code: 0, stdout: "" });
    expect(one.stderr).toContain(output);
    expect(readFileSync(output, "utf8").split(":")[0]).toBe(`for the holder of ${fingerprint}, encrypted`);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const key = join(folder, "key");
    writeFileSync(key, mine?.privateKey.armor() ?? "");
    const decrypted = await alone(["decrypt", "--key", key, "--share", output]);
    expect(formsOf(decrypted.stdout.trim())[0]).toBe(decrypted.stdout.trim());

    const refused = async (args: string[], code: number, ...facts: string[]): Promise<void> => {
      const run = await alone(["backup", ...args]);
      expect(run).toMatchObject({ code, stdout: "" });
      for (const fact of facts) expect(run.stderr).toContain(fact);
    };
    await refused(["--output", output], 1, "--output", "EEXIST");
    await refused(["--fingerprint", "00"], 1, ...all.map((each) => each.fingerprint));
    await refused(["--delete"], 2, "--nonce");
    for (const option of ["--output", "--fingerprint"]) await refused(["--delete", "--nonce", name, option, "x"], 2, "--delete", option);
    await refused(["--delete", "--nonce", "x"], 1, "--nonce", name);
    expect((await alone(["backup"])).stdout).toBe(whole.stdout);

    const removed = await alone(["backup", "--delete", "--nonce", name]);
    expect(removed).toMatchObject({ code: 0, stdout: "" });
    expect(removed.stderr).toContain(name);
    expect((await alone(["backup"])).code).toBe(1);
    expect(sent("update")).toBe(0);
  });

  test("an error names the policy that a token lacks to read or remove the backup", async () => {
    const { outOfBand, config, dialect, keys } = current();
    const [, path] = wireOf(dialect, keys).sent("GET", "/v1/sys/rekey/backup");
    const place = path.replace("/v1/", "");
    const tokenWith = async (capabilities: string[]): Promise<string> => {
      const policy = `path "${place}" { capabilities = ${JSON.stringify(capabilities)} }`;
      await outOfBand("PUT", "sys/policies/acl/backup", { policy });
      const { body } = await outOfBand("POST", "auth/token/create", { policies: ["backup"] });
      return (body.auth as { client_token: string }).client_token;
    };
    const needs = (capability: string): RegExp => new RegExp(`\`${capability}\` on ${place}\\.`);
    const own = config["steward:default"] as { secrets: object };
    const without = await tokenWith(["list"]);
    setAllConfig({ "steward:default": JSON.stringify({ secrets: { ...own.secrets, token: without } }) });
    await expect(secrets.getRekeyBackup({ target: keys })).rejects.toThrow(refusal("ERR_FORBIDDEN", { method: "GET", path, status: 403 }));
    await expect(secrets.getRekeyBackup({ target: keys })).rejects.toThrow(needs("read"));
    setAllConfig({});
    const run = async (token: string, args: string[]): Promise<Ended> =>
      steward(variablesOf({ ...current(), token }), argumentsOf(current(), "backup", ...args));
    expect(await run(without, [])).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(needs("read")) });

    const name = await forHolders(await holders(3));
    await submitShares(name, 3);
    const reader = await tokenWith(["read"]);
    expect((await run(reader, [])).code).toBe(0);
    const refused = await run(reader, ["--delete", "--nonce", name]);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(needs("delete")) });
    expect((await outOfBand("GET", "sys/rekey/backup")).status).toBe(200);
  });
});
