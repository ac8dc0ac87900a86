import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { secrets } from "../../provider";
import { holders } from "../support/pgp";
import { onEachRekeyTarget } from "../support/rekey";
import { Ended, steward, variablesOf } from "./holder";
import { folder, formsOf, tools } from "./rekey";

onEachRekeyTarget("the backup at the holders' command line", (current) => {
  const { alone, sent, forHolders, giveTwo, share } = tools(current);

  test("it is fetched as a whole or for one holder, who decrypts it, and removed where its rekey is named", async () => {
    const none = await alone(["backup"]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain(`no backup of a rekey is kept on ${current().gateway.url}.`);
    const all = await holders(3);
    const name = await forHolders(all);
    await giveTwo(name);
    await current().outOfBand("PUT", "sys/rekey/update", { key: share(2), nonce: name });

    const whole = await alone(["backup"]);
    expect(whole.code).toBe(0);
    expect(whole.stderr).toContain(`The backup is of the rekey ${name}, which may not have come to its commit.`);
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
    expect(one.stderr).toContain(`The shares are in ${output}, which only you can read.`);
    expect(readFileSync(output, "utf8").split(":")[0]).toBe(`for the holder of ${fingerprint}, encrypted`);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const key = join(folder, "key");
    writeFileSync(key, mine?.privateKey.armor() ?? "");
    const decrypted = await alone(["decrypt", "--key", key, "--share", output]);
    expect(formsOf(decrypted.stdout.trim())[0]).toBe(decrypted.stdout.trim());

    const refused = async (args: string[], code: number, reason: string): Promise<void> => {
      const run = await alone(["backup", ...args]);
      expect(run).toMatchObject({ code, stdout: "" });
      expect(run.stderr).toContain(reason);
    };
    await refused(["--output", output], 1, "the file of --output cannot be made (EEXIST).");
    await refused(["--fingerprint", "00"], 1, `the backup holds no share for this fingerprint. It holds shares for `);
    await refused(["--delete"], 2, "error: --delete needs --nonce, the rekey whose backup is removed");
    for (const option of ["--output", "--fingerprint"])
      await refused(["--delete", "--nonce", name, option, "x"], 2, "error: --delete removes the shares of all holders");
    await refused(["--delete", "--nonce", "x"], 1, `--nonce is not that of the backup, ${name}. Nothing was changed`);
    expect((await alone(["backup"])).stdout).toBe(whole.stdout);

    const removed = await alone(["backup", "--delete", "--nonce", name]);
    expect(removed).toMatchObject({ code: 0, stdout: "" });
    expect(removed.stderr).toContain(`The backup of the rekey ${name} is removed.`);
    expect((await alone(["backup"])).code).toBe(1);
    expect(sent("update")).toBe(0);
  });

  test("a token that may not read or remove it is told what its policy needs", async () => {
    const { outOfBand, config } = current();
    const tokenWith = async (capabilities: string[]): Promise<string> => {
      const policy = `path "sys/rekey/backup" { capabilities = ${JSON.stringify(capabilities)} }`;
      await outOfBand("PUT", "sys/policies/acl/backup", { policy });
      const { body } = await outOfBand("POST", "auth/token/create", { policies: ["backup"] });
      return (body.auth as { client_token: string }).client_token;
    };
    const needs = (capability: string): string =>
      `Its policies must allow ${capability} on sys/rekey/backup, and sudo if the service's OpenAPI document marks that path so.`;
    const own = config["steward:default"] as { secrets: object };
    const without = await tokenWith(["list"]);
    setAllConfig({ "steward:default": JSON.stringify({ secrets: { ...own.secrets, token: without } }) });
    await expect(secrets.getRekeyBackup()).rejects.toMatchObject({
      code: "ERR_FORBIDDEN",
      message: expect.stringMatching(/^Cannot read the backup of a rekey: .*permission denied.* \(GET \/v1\/sys\/rekey\/backup, 403\)\. /),
    });
    await expect(secrets.getRekeyBackup()).rejects.toThrow(needs("read"));
    setAllConfig({});
    const run = async (token: string, args: string[]): Promise<Ended> =>
      steward(variablesOf({ ...current(), token }), ["rekey", "backup", ...args]);
    expect(await run(without, [])).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(needs("read")) });

    const name = await forHolders(await holders(3));
    await giveTwo(name);
    await outOfBand("PUT", "sys/rekey/update", { key: share(2), nonce: name });
    const reader = await tokenWith(["read"]);
    expect((await run(reader, [])).code).toBe(0);
    const refused = await run(reader, ["--delete", "--nonce", name]);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(needs("delete")) });
    expect((await outOfBand("GET", "sys/rekey/backup")).status).toBe(200);
  });
});
