import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getOpenBao, onFreePorts, startSealed } from "../../tools/servers";
import { call } from "../support/call";
import { Gpg } from "../support/gpg";
import { installed } from "../support/installation";
import { blocks, readPage } from "../support/pages";
import { base64, type Holder, holders, read } from "../support/pgp";
import { Reader } from "../support/reader";
import { onServer, RekeyTarget, rekeyTargets } from "../support/rekey";
import { documented } from "../support/rekey-ceremony";
import { inProgram, realVault, secretIn, shareFor, submitting, writeKeys } from "../support/rekey-reader";
import { startOpenBaoWithStaticSeal } from "../support/servers";

// Each page about a rekey with commands or programs, on a separate Vault.

const modules = installed();
let reader: Reader;
let vault: RekeyTarget;
beforeEach(async () => {
  vault = await realVault();
});
afterEach(async () => {
  reader.remove();
  await vault.stop();
});

async function follow(page: string, own: Record<string, string> = {}): Promise<void> {
  reader = new Reader(page, own, inProgram);
  await reader.with({ VAULT_ADDR: vault.gateway.url, VAULT_TOKEN: vault.token }).project("dev", {}, modules());
}

test("docs/rekey/single-operator.md", async () => {
  await follow("docs/rekey/single-operator.md", { "pass insert --multiline unseal/": "cat > " });
  const current = vault.first.slice(0, 3);
  reader.program();
  await reader.shell({ input: current.map((share) => `${share}\n`).join("") });
  expect(await reader.says("pulumi preview")).toContain("unavailable: the variable SHARE_1, the variable SHARE_2, the variable SHARE_3");
  reader.with(Object.fromEntries(current.map((share, index) => [`SHARE_${index + 1}`, share])));
  expect(await reader.says("pulumi preview")).toMatch(
    /new unseal keys will be generated on .*: 5 shares, threshold 3, with verification\n/,
  );
  await reader.says("pulumi up");
  const store = reader.take("sh");
  const shares: string[] = [];
  for (const index of [0, 1, 2, 3, 4]) {
    expect(await reader.run(store.replace("[0]", `[${index}]`))).toBe("");
    shares.push((await reader.run("cat 1")).trim());
  }
  expect(new Set(shares).size).toBe(5);
  expect(await vault.opens(shares.slice(2))).toBe(true);
  expect(await vault.opens(current)).toBe(false);
  const stored = shares.slice(0, 3).join("\n");
  expect(await reader.says("pulumi-steward rekey drill", { input: `${stored}\n` })).toMatch(/: works$/m);
  expect(await reader.says("pulumi refresh")).not.toContain("rekeyed");
  await reader.says("pulumi logs remove --all --yes");
  reader.finish();
});

test("docs/rekey/recovery-keys.md", async () => {
  // OpenBao is not available on every platform.
  const [entry] = rekeyTargets.filter(({ name }) => name === "real OpenBao, recovery keys");
  const openbao = await entry?.start();
  if (!openbao) return;
  reader = new Reader("docs/rekey/recovery-keys.md", {});
  const shares = Object.fromEntries(openbao.first.slice(0, 3).map((share, index) => [`SHARE_${index + 1}`, share]));
  const environment = { BAO_ADDR: openbao.gateway.url, BAO_TOKEN: openbao.token, ...shares };
  await reader.with(environment).project("dev", {}, modules());
  // The program of a single operator with the line of this page.
  const [program = ""] = blocks("docs/rekey/single-operator.md", "ts");
  const [, line = ""] = /`(target: "recovery")`\.$/m.exec(readPage("docs/rekey/recovery-keys.md")) ?? [];
  reader.write("index.ts", program.replace("secretShares", `${line || "none"}, secretShares`));
  expect(await reader.run("pulumi up")).toContain("the new shares are valid: 5 of them, threshold 3");
  expect(await openbao.opens(openbao.first)).toBe(false);
  await openbao.stop();

  await reader.run("pulumi stack init gitlab");
  const server = await startOpenBaoWithStaticSeal({ recoveryShares: 1 });
  const gitLab = await onServer(server, { dialect: "openbao", keys: "recovery" });
  const all = await writeKeys(reader, 0);
  reader.with({ BAO_ADDR: gitLab.gateway.url, BAO_TOKEN: gitLab.token, RECOVERY_KEY: gitLab.first[0] ?? "" });
  reader.program();
  expect(await reader.says("pulumi up")).toContain("0 of 2 new shares verified");
  const encrypted = JSON.parse(await reader.run("pulumi stack output holders --json")) as { share: string }[];
  const fresh = await Promise.all(encrypted.map(({ share }, index) => read(all[index] as Holder, share)));
  reader.with({ NEW_SHARE_1: fresh[0] ?? "", NEW_SHARE_2: fresh[2] ?? "" });
  expect(await reader.says("pulumi up")).toContain("the new shares are valid: 3 of them, threshold 2");
  expect(await gitLab.opens([fresh[1], fresh[2]].map((share) => base64(share ?? "")))).toBe(true);
  reader.finish();
  await gitLab.stop();
  await server.stop();
});

test("docs/rekey/several-holders.md", async () => {
  await follow("docs/rekey/several-holders.md");
  const [one = "", two = "", three = ""] = vault.first;
  const all = await writeKeys(reader, 0);
  reader.program();
  const decrypt = async (encrypted: string): Promise<string> => {
    const terminal: [string, string][] = [
      ["on one line: ", encrypted],
      ["clear the screen: ", ""],
    ];
    return secretIn(await reader.run("npx --no pulumi-steward rekey decrypt --key me.asc", { terminal }));
  };
  const bring = (name: "SHARE" | "NEW_SHARE", share = ""): Promise<string> =>
    reader.says(`read -rs ${name}; ${name}="$${name}" pulumi up; unset ${name}`, { input: `${share}\n` });
  expect(await reader.says("pulumi preview")).toContain(all[2]?.fingerprint);
  const text = readPage("docs/rekey/several-holders.md").replace(/\s+/g, " ");
  const [, waiting = ""] = /`(Your share was accepted: 1 [^`]+)`/.exec(text) ?? [];
  expect((await bring("SHARE", one)).replace(/\s+/g, " ")).toContain(waiting || "a quotation");
  await bring("SHARE", two);
  expect(await bring("SHARE", three)).toContain(
    "Your share was accepted. You are done. Waiting for 2 more key holders: 0 of 2 new shares verified",
  );
  const output = await reader.says("pulumi stack output encryptedShares");
  const encrypted = JSON.parse(output) as { fingerprint: string; share: string }[];
  const fresh: string[] = [];
  for (const holder of all) {
    reader.write("me.asc", holder.privateKey.armor());
    const own = { "<fingerprint>": holder.fingerprint };
    const kept = await reader.says("pulumi-steward rekey backup --fingerprint <fingerprint>", { own });
    const mine = encrypted.find(({ fingerprint }) => fingerprint === holder.fingerprint)?.share ?? "";
    expect(shareFor(holder, kept)).toBe(mine);
    fresh.push(await decrypt(mine));
  }
  await bring("NEW_SHARE", fresh[2]);
  expect(await vault.opens([one, two, three])).toBe(true);
  const [, live = ""] = /`(the new shares are valid: [^`]+)`/.exec(text) ?? [];
  expect(await bring("NEW_SHARE", fresh[0])).toContain(live);
  expect(await vault.opens(fresh.slice(0, 2).map(base64))).toBe(true);
  expect(await reader.says("pulumi refresh")).not.toContain("rekeyed");
  expect(await reader.run("pulumi stack output complete")).toContain("true");
  await reader.run("pulumi destroy");

  // Its backup is in the way of a rekey without the stack.
  const [, kept = ""] = /belongs to the rekey (\S+),/.exec(await reader.run("npx --no pulumi-steward rekey backup")) ?? [];
  await reader.run(`npx --no pulumi-steward rekey backup --delete --nonce ${kept}`);
  await reader.run("npx --no pulumi-steward rekey init --keys keys/ --threshold 2");
  const submit = "npx --no pulumi-steward rekey submit";
  for (const share of fresh.slice(0, 2)) await reader.run(submit, { terminal: submitting(share) });
  const proven: string[] = [];
  for (const holder of all.slice(0, 2)) {
    reader.write("me.asc", holder.privateKey.armor());
    const own = { "<fingerprint>": holder.fingerprint };
    const encrypted = shareFor(holder, await reader.says("pulumi-steward rekey backup --fingerprint <fingerprint>", { own }));
    proven.push(await decrypt(encrypted));
  }
  for (const share of proven) await reader.says("pulumi-steward rekey verify", { terminal: submitting(share) });
  expect(await vault.opens(proven.map(base64))).toBe(true);
  reader.finish();
});

test("docs/rekey/command-line.md", async () => {
  const page = "docs/rekey/command-line.md";
  const here = { "pass insert --multiline unseal/new": "cat > new" };
  await follow(page, { "https://vault.example.com:8200": vault.gateway.url, ...here });
  const gpg = new Gpg();
  await writeKeys(reader, 0);
  const fingerprint = gpg.generate("ada");
  reader.write("keys/ada.asc", gpg.publicKey(fingerprint));
  expect(reader.take("sh")).toContain("sha256sum --check --ignore-missing SHA256SUMS");
  reader.with({ GNUPGHOME: gpg.home, FINGERPRINT: fingerprint });
  await reader.shell({ input: `${vault.token}\n` });
  expect(await reader.shell()).toMatch(/^new shares +3, threshold 2$/m);
  const submit = reader.take("sh");
  for (const share of vault.first.slice(0, 3)) await reader.run(submit, { terminal: submitting(share) });
  expect(await reader.shell({ terminal: [["[y/N]", "y"]] })).toContain("Your share was accepted: 1 of 2. You are done.");
  await reader.shell({ terminal: [["clear the screen", ""]] });
  await reader.says("pulumi-steward rekey backup");
  await reader.says("pulumi-steward rekey restart", { terminal: [["[y/N]", "y"]] });
  const mine = secretIn(await reader.run("cat new"));
  expect(mine).toHaveLength(66);
  await reader.says("pulumi-steward rekey cancel", { terminal: [["[y/N]", "y"]] });
  expect(await vault.opens(vault.first.slice(0, 3))).toBe(true);
  reader.finish();
  gpg.remove();
});

test("docs/rekey/invitations.md", async () => {
  const here = { "pass insert --multiline unseal/new": "cat > new" };
  await follow("docs/rekey/invitations.md", { "https://vault.example.com:8200": vault.gateway.url, ...here });
  const gpg = new Gpg();
  const inviter = gpg.generate("ivy");
  await writeKeys(reader, 0);
  reader.write("keys/ada.asc", gpg.publicKey(gpg.generate("ada")));
  await reader.run("cp -r keys invitees");
  reader.write("inviter.asc", gpg.publicKey(inviter));
  reader.with({ GNUPGHOME: gpg.home, XDG_STATE_HOME: gpg.home, FINGERPRINT: inviter });
  reader.write("rekey-holder.hcl", documented.hashicorp.holder);
  reader.save("hcl", "rekey-inviter.hcl");
  await reader.shell();
  const token = (await reader.run("vault token create -policy=rekey-inviter -no-default-policy -field=token")).trim();
  await reader.run("npx --no pulumi-steward rekey init --keys keys/ --threshold 2");
  reader.with({ VAULT_TOKEN: token });
  expect(await reader.shell({ terminal: [["[y/N]", "y"]] })).toContain("invitations/ada.asc: for ");
  reader.with({ VAULT_TOKEN: "" });
  await reader.run("cp invitations/ada.asc .");
  const [first = "", ...others] = vault.first.slice(0, 3);
  expect(await reader.shell({ terminal: submitting(first) })).toContain("are accepted from now on");
  for (const share of others) await reader.run("npx --no pulumi-steward rekey submit", { terminal: submitting(share) });
  expect(await reader.shell({ terminal: [["[y/N]", "y"]] })).toContain("Your share was accepted: 1 of 2. You are done.");
  for (const command of ["status", "backup"])
    expect(await reader.run(`npx --no pulumi-steward rekey ${command} --invitation ada.asc`)).toContain(
      command === "status" ? "verified" : "encrypted: ",
    );
  reader.with({ VAULT_TOKEN: token });
  expect(await reader.shell()).toContain("Revoked: the invitations of ada, grace, mary.");
  expect(await reader.run("npx --no pulumi-steward rekey backup --invitation ada.asc", { code: 1 })).toContain("403");
  reader.finish();
  gpg.remove();
});

test("docs/rekey/recovery.md", async () => {
  await follow("docs/rekey/recovery.md");
  // It is killed while its program runs.
  reader.write(
    "index.ts",
    `import { existsSync, writeFileSync } from "node:fs";
    writeFileSync("started", "");
    const waiting = setInterval(() => existsSync("killed") && clearInterval(waiting), 100);`,
  );
  await reader.run("command pulumi up --yes & until [ -e started ]; do sleep 0.1; done; kill -KILL $!; touch killed; wait || true");
  expect(await reader.run("pulumi up", { code: 1 })).toContain("the stack is currently locked");
  await reader.shell();

  const [begin = "", give = "", cancel = ""] = reader.take("sh").split("\n");
  const [mine] = await holders(1);
  reader.write("mine.asc", mine?.publicKey ?? "");
  await reader.run(begin);
  const nonce = String((await vault.outOfBand("GET", "sys/rekey/init")).body.nonce);
  const named = (line: string): string => line.replace("<nonce>", nonce);
  let made = "";
  for (const share of vault.first.slice(0, 3)) made = await reader.run(named(give), { terminal: [["will be hidden", share]] });
  expect(made).toMatch(new RegExp(`Key 1 fingerprint: ${mine?.fingerprint}; value: \\S{100,}`));
  await reader.run(named(cancel));
  expect(await vault.opens(vault.first.slice(0, 3))).toBe(true);

  reader.write("state.json", '{ "checkpoint": { "latest": { "resources": [{ "type": "RekeyShares" }, { "ty');
  await reader.shell();
  expect(await reader.run("cat complete.json")).toContain('[{ "type": "RekeyShares" }]}}}');

  reader.write("new.txt", vault.first.slice(1, 4).join("\n"));
  const split = reader.take("sh");
  expect(await vault.opens((await reader.run(split)).match(/^\S{44}$/gm) ?? [])).toBe(true);
  // Another package is not installed.
  const other = split.replace(/npm pack.*/, "echo other > shamir-secret-sharing-0.0.4.tgz");
  expect(await reader.run(`rm -r node_modules/shamir-secret-sharing; ${other}`, { code: 1 })).toContain("did NOT match");
  reader.finish();
});

test("docs/rekey/drill.md", async () => {
  const all = await holders(5);
  const files = all.map((_, index) => `${index}.asc`);
  await follow("docs/rekey/drill.md", { "<files>": files.join(",") });
  const drill = reader.take("sh");
  // test/provider/secrets/rekey/permissions.test.ts uses it.
  expect(reader.take("hcl")).toContain("sys/rekey/verify");
  const prompts = (shares: string[]): [string, string][] => shares.map((share) => ["(will be hidden): ", share]);
  const [a = "", b = "", c = ""] = vault.first;
  const typed = await reader.run(drill, { terminal: prompts([a, b, c, ""]) });
  expect(typed.match(/^share \d of the input: works\r?$/gm)).toHaveLength(3);
  const piped = await reader.run(drill, { input: `${a}\n${b}\n${Buffer.alloc(33, 1).toString("base64")}\n`, code: 3 });
  expect(piped.match(/^share \d of the input: not proven$/gm)).toHaveLength(3);
  for (const [index, file] of files.entries()) reader.write(file, all[index]?.publicKey ?? "");
  await reader.says("vault operator rekey -init -verify -key-shares=5 -key-threshold=3 -pgp-keys=<files>");
  for (const share of [a, b, c]) await reader.says("pulumi-steward rekey submit", { terminal: submitting(share) });
  await reader.says("pulumi-steward rekey cancel", { terminal: [["[y/N]", "y"]] });
  expect(await vault.opens([a, b, c])).toBe(true);

  // With a stack.
  reader.write(
    "index.ts",
    `import { readFileSync } from "node:fs";
    import { secrets } from "pulumi-steward";
    new secrets.Rekey("drill", { secretShares: 5, secretThreshold: 3, currentShares: [{ env: "SHARE" }],
      pgpKeys: ${JSON.stringify(files)}.map((file) => readFileSync(file, "utf8")) });`,
  );
  for (const SHARE of [a, b, c]) await reader.with({ SHARE }).run("pulumi up");
  await reader.with({ SHARE: "" }).says("pulumi destroy");
  expect((await vault.outOfBand("GET", "sys/rekey/init")).body).toMatchObject({ started: false });
  expect(await vault.opens([a, b, c])).toBe(true);
  reader.finish();
});

test("docs/rekey/record.md", async () => {
  const gpg = new Gpg();
  await follow("docs/rekey/record.md");
  const shares = vault.first.slice(0, 3);
  const sources = shares.map((_, index) => `{ env: "SHARE_${index}" }`).join(", ");
  reader.write(
    "index.ts",
    `import { secrets } from "pulumi-steward";
    const rekey = new secrets.Rekey("unseal", { secretShares: 3, secretThreshold: 2, currentShares: [${sources}], keepSharesInState: true });
    export const record = rekey.record;`,
  );
  reader.with({
    GNUPGHOME: gpg.home,
    FINGERPRINT: gpg.generate("auditor"),
    ...Object.fromEntries(shares.map((share, index) => [`SHARE_${index}`, share])),
  });
  await reader.run("pulumi up");
  await reader.shell();
  expect(await reader.shell({ input: shares.join("\n") }).catch(String)).toContain("every set of 2 of these shares");
  const verified = await reader.shell();
  expect(verified).toMatch(/committed +\S+\n/);
  expect(verified).toContain("are signed by ");
  reader.finish();
  gpg.remove();
});

test("docs/rekey/break-glass.md", async () => {
  const gpg = new Gpg();
  await follow("docs/rekey/break-glass.md", { "<fingerprint>": gpg.generate("admin") });
  reader.with({ GNUPGHOME: gpg.home });
  expect(reader.take("hcl")).toContain("sys/generate-root/");
  const [start, submit, decrypt, revoke] = [reader.take("sh"), reader.take("sh"), reader.take("sh"), reader.take("sh")];
  const generate = async (): Promise<string> => {
    await reader.run(start);
    let made = "";
    for (const share of vault.first.slice(0, 3)) made = await reader.run(submit, { terminal: submitting(share) });
    reader.write("token.txt", /^[\w+/=]{100,}/m.exec(made)?.[0] ?? "");
    return /^hvs\.\S+$/m.exec(await reader.run(decrypt, { input: `${vault.token}\n` }))?.[0] ?? "";
  };
  const as = async (token: string): Promise<Record<string, unknown> | undefined> =>
    (await call({ url: vault.gateway.url, token }, "GET", "/v1/auth/token/lookup-self")).json?.data;
  // Nobody has the first token.
  const [lost, token] = [await generate(), await generate()];
  reader.with({ VAULT_TOKEN: token });
  const own = { "<accessor>": String((await as(lost))?.accessor) };
  expect(await reader.says("vault list auth/token/accessors")).toContain(own["<accessor>"]);
  expect(await reader.says("vault token lookup -accessor <accessor>", { own })).toMatch(/^policies +\[root\]$/m);
  await reader.says("vault token revoke -accessor <accessor>", { own });
  await reader.run(revoke, { terminal: [["(will be hidden): ", token]] });
  expect([await as(lost), await as(token)]).toEqual([undefined, undefined]);
  gpg.remove();
  reader.finish();
});

test.each(["vault", "bao"])("docs/rekey/README.md: the token that it describes rotates the key, with %s", async (program) => {
  await follow("docs/rekey/README.md");
  const isVault = program === "vault";
  const [server] = rekeyTargets.filter(({ name }) => name === (isVault ? "real Vault" : "real OpenBao"));
  // OpenBao is not available on every platform.
  const target = await server?.start();
  if (!target) return;
  const text = readPage("docs/rekey/README.md").replace(/\s+/g, " ");
  const [, first = "", second = "", vaultPath = "", baoPath = "", third = "", status = ""] =
    /`(\w+)` and `(\w+)` on `(\S+)`, on OpenBao on `(\S+)`, and `(\w+)` on `(\S+)`\./.exec(text) ?? [];
  const policy = `path "${isVault ? vaultPath : baoPath}" { capabilities = ["${first}", "${second}"] }
    path "${status}" { capabilities = ["${third}"] }`;
  await target.outOfBand("PUT", "sys/policies/acl/rotate", { policy });
  const { body } = await target.outOfBand("POST", "auth/token/create", { policies: ["rotate"], no_default_policy: true });
  const { client_token: token } = body.auth as { client_token: string };
  reader.with(isVault ? { VAULT_ADDR: target.gateway.url, VAULT_TOKEN: token } : { BAO_ADDR: target.gateway.url, BAO_TOKEN: token });
  expect(text).toContain("`vault operator rotate`");
  expect(await reader.run(`${program} operator rotate`)).toMatch(/^Key Term +2$/m);
  await target.stop();
});

/** Rekeys up to the verification and cancels, and returns the audited requests. */
async function audited(target: RekeyTarget, log: string): Promise<string[]> {
  const send = target.outOfBand;
  const { nonce } = (await send("PUT", "sys/rekey/init", { secret_shares: 3, secret_threshold: 2, require_verification: true })).body;
  await send("GET", "sys/rekey/init");
  for (const key of target.first.slice(0, 3)) await send("PUT", "sys/rekey/update", { key, nonce });
  await send("GET", "sys/rekey/verify");
  await send("DELETE", "sys/rekey/init", { nonce });
  await send("DELETE", "sys/rekey/backup");
  const entries = readFileSync(log, "utf8").trim().split("\n");
  const requests = entries.map((entry) => JSON.parse(entry)).filter(({ type }) => type === "request");
  const paths = requests.map(({ request }) => `${request.operation} ${request.path}`);
  return paths.filter((path) => /sys\/(rekey|rotate)/.test(path));
}

test("docs/rekey/record.md: OpenBao audits each request of a rekey, and Vault those for the backup", async () => {
  const folder = mkdtempSync(join(tmpdir(), "steward-audit-"));
  const log = (name: string): string => join(folder, name);
  reader = new Reader("docs/rekey/record.md");
  await vault.outOfBand("PUT", "sys/audit/file", { type: "file", options: { file_path: log("vault") } });
  expect(await audited(vault, log("vault"))).toEqual(["delete sys/rekey/backup"]);
  // OpenBao is not available on every platform. Only its configuration can enable an audit device.
  if (await getOpenBao()) {
    const audit = [{ type: "file", path: "file/", options: { file_path: log("openbao") } }];
    const server = await onFreePorts(2, (ports) => startSealed("openbao", ports, () => ({ audit })));
    const target = await onServer(server, { dialect: "openbao", keys: "unseal" });
    const path = "sys/rotate/root";
    const ends = ["update init", "read init", ...Array(3).fill("update update"), "read verify", "delete init", "delete backup"];
    expect(await audited(target, log("openbao"))).toEqual(ends.map((end) => end.replace(" ", ` ${path}/`)));
    await target.stop();
    await server.stop();
  }
  rmSync(folder, { recursive: true });
});
