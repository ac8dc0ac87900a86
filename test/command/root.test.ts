import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../support/call";
import { formsIn } from "../support/canaries";
import { blocks } from "../support/pages";
import { binaryKey, Holder, holders, makeHolder } from "../support/pgp";
import { firstKeysTargets, onEachRekeyTarget, RekeyTarget, rekeyTargets, spoiled, withRekeyTarget } from "../support/rekey";
import { tokenServices, tokenWith } from "../support/rekey-ceremony";
import { variablesFor } from "../support/rekey-wire";
import { Ended, ends, enter, Person, steward, typing, variablesOf } from "./holder";
import { askedForShare, confirmed, folder, hexOf } from "./rekey";

const attempt = "sys/generate-root/attempt";
const update = "sys/generate-root/update";

const withRootTokens = rekeyTargets.filter(({ dialect }) => dialect !== "standard");

const suite = (current: () => RekeyTarget): void => {
  let owner: Holder;
  let other: Holder;
  beforeEach(async () => {
    [owner, other] = (await holders(2)) as [Holder, Holder];
  });
  const alone = (args: string[], input?: string): Promise<Ended> => steward(variablesOf(current()), ["root", ...args], input);
  const atTerminal = (args: string[], person: Person): ReturnType<typeof typing> =>
    typing(variablesOf(current()), ["root", ...args], person);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const send = (method: string, path: string, body?: object) => current().outOfBand(method, path, body);
  const status = async () => (await send("GET", attempt)).body;
  const begin = async (holder: Holder): Promise<string> => String((await send("PUT", attempt, { pgp_key: binaryKey(holder) })).body.nonce);
  const share = (index: number): string => current().first[index] as string;
  const give = async (nonce: string, ...keys: string[]): Promise<void> => {
    for (const key of keys) await send("PUT", update, { key, nonce });
  };
  const sent = (): string[] =>
    current()
      .gateway.requests.filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path}`);
  /** The token of a caller of the service. */
  const lookUp = (token: string) => {
    const namespace = current().namespace ? `${current().namespace}/` : "";
    return call({ url: current().gateway.url, token }, "GET", `/v1/${namespace}auth/token/lookup-self`);
  };

  test("holders generate a token for the owner of a key, who decrypts it, and revokes it afterwards", async () => {
    const idle = { code: 0, stdout: expect.stringMatching(/^no generation of a root token /), stderr: "" };
    expect(await alone(["status"])).toEqual(idle);
    const started = await alone(["start", "--key", file("owner.asc", owner.publicKey)]);
    const nonce = String((await status()).nonce);
    expect(started.stdout).toMatch(new RegExp(`^nonce +${nonce}\nshares +0 of 3 submitted\n.*${owner.fingerprint}$`, "m"));
    expect(JSON.parse((await alone(["status", "--json"])).stdout)).toMatchObject({ started: true, nonce, fingerprint: owner.fingerprint });

    const first = await alone(["submit", "--nonce", nonce], `${share(0)}\n`);
    expect(first).toMatchObject(ends(0, /^Your share was accepted: 1 of 3. You are done./m));
    const second = await atTerminal(["submit"], { [confirmed]: `y${enter}`, [askedForShare]: hexOf(share(1)) + enter });
    expect(second).toMatchObject({ code: 0, stdout: "", raw: [true, false, true, false] });
    expect(second.stderr.indexOf(owner.fingerprint)).toBeLessThan(second.stderr.indexOf(askedForShare));
    const last = await alone(["submit", "--nonce", nonce], share(2));
    expect(last).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w+/=]+\n$/) });
    expect(await alone(["status"])).toEqual(idle);

    const args = ["decrypt", "--key", file("owner.key", owner.privateKey.armor())];
    const { stdout, stderr } = await alone(args, last.stdout);
    const token = stdout.trim();
    expect(stderr).toContain("never expires. Once the server is repaired, revoke it: `pulumi-steward root revoke`.");
    expect((await lookUp(token)).json?.data.policies).toEqual(["root"]);
    const create = async (body: object): Promise<string> => {
      const { gateway, namespace } = current();
      const path = `/v1/${namespace ? `${namespace}/` : ""}auth/token/create`;
      return (await call({ url: gateway.url, token }, "POST", path, { policies: ["default"], ...body })).json.auth.client_token;
    };
    const [child, orphan] = [await create({}), await create({ no_parent: true })];
    const revoked = await atTerminal(["revoke"], { [askedForShare]: token + enter });
    expect(revoked).toMatchObject({ code: 0, stdout: "", raw: [true, false], stderr: expect.stringContaining("except orphans") });
    expect((await lookUp(token)).status).toBe(403);
    expect([(await lookUp(child)).status, (await lookUp(orphan)).status]).toEqual([403, 200]);
    const again = await alone(["revoke"], token);
    expect(again).toMatchObject(ends(1, "may be revoked already"));
    const shown = [started, first, second, last, revoked, again].map((each) => each.stdout + each.stderr).join() + stderr;
    expect(formsIn(shown, [...current().first, token])).toEqual([]);
  });

  test("an attempt of another client is shown, and neither replaced nor canceled", async () => {
    const nonce = await begin(other);
    const refused = await alone(["start", "--key", file("owner.asc", owner.publicKey)]);
    expect(refused).toMatchObject(ends(1, other.fingerprint));
    expect(await alone(["cancel", "--nonce", "another"])).toMatchObject({ code: 1 });
    expect(await alone(["cancel"])).toMatchObject({ code: 2 });
    expect(await atTerminal(["cancel"], { [confirmed]: enter })).toMatchObject({ code: 130 });
    expect(sent()).toEqual([]);
    current().gateway.on(`DELETE ${attempt}`, { when: "after" });
    const canceled = await alone(["cancel", "--nonce", nonce]);
    expect(canceled).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("unless another holder submitted the last one"),
    });
    expect((await status()).started).toBe(false);
    expect(await alone(["cancel", "--nonce", nonce])).toMatchObject(ends(1, "attempt-missing"));
  });

  test("a key to which no token can be encrypted is rejected before anything is sent", async () => {
    const old = await makeHolder({ date: new Date(0), keyExpirationTime: 60 });
    const signs = await makeHolder({ subkeys: [] });
    for (const [text, reason] of [
      [owner.privateKey.armor(), "private key"],
      [signs.publicKey, "no valid subkey for encryption"],
      [old.publicKey, "expired"],
      ["no key", "not an OpenPGP public key"],
    ] as const)
      expect(await alone(["start", "--key", file("key", text)])).toMatchObject(ends(1, reason));
    expect(await alone(["start", "--key", share(0)])).toMatchObject({ code: 1, stderr: expect.not.stringContaining(share(0)) });
    expect(current().gateway.requests).toEqual([]);
  });

  test("a start without a response is found again, and a foreign one is not mistaken for it", async () => {
    const start = (): Promise<Ended> => alone(["start", "--key", file("owner.asc", owner.publicKey)]);
    current().gateway.on(`PUT ${attempt}`, { when: "after" });
    expect(await start()).toMatchObject({ code: 0, stdout: expect.stringContaining(owner.fingerprint) });
    await send("DELETE", attempt);
    current().gateway.on(`PUT ${attempt}`, { when: "before", act: async () => void (await begin(other)) });
    expect(await start()).toMatchObject({ code: 1, stdout: "" });
    expect((await status()).pgp_fingerprint).toBe(other.fingerprint);
  });

  test("no share is sent if the attempt changed after it was shown, or has a one-time password", async () => {
    const nonce = await begin(owner);
    const replaced = await atTerminal(["submit"], {
      [confirmed]: `y${enter}`,
      [askedForShare]: async () => {
        await send("DELETE", attempt);
        await begin(other);
        return share(0) + enter;
      },
    });
    expect(replaced).toMatchObject(ends(1, /\(its nonce, the key\)/));
    expect(await alone(["submit", "--nonce", nonce], share(0))).toMatchObject({ code: 1 });
    // A malicious service may keep the nonce.
    const answer = (body: string): string => body.replace(other.fingerprint, owner.fingerprint);
    current().gateway.on(`GET ${attempt}`, { when: "after", answer }, 2);
    const changed = await alone(["submit", "--nonce", String((await status()).nonce)], share(0));
    expect(changed).toMatchObject(ends(1, "(the key)"));
    current().gateway.interrupt = undefined;
    await send("DELETE", attempt);
    const { otp, nonce: open } = (await send("PUT", attempt, {})).body;
    const password = await alone(["submit", "--nonce", String(open)], share(0));
    expect(password).toMatchObject(ends(1, "one-time password"));
    expect(password.stderr).not.toContain(otp);
    expect(sent()).toEqual([]);
  });

  test("nothing is sent over plain HTTP to a remote machine", async () => {
    const variables = variablesOf({ ...current(), gateway: { ...current().gateway, url: "http://vault.example.com:8200" } });
    for (const args of [["submit", "--nonce", "x"], ["revoke"]])
      expect(await steward(variables, ["root", ...args], share(0))).toMatchObject(ends(1, "--allow-http"));
  });

  test("a repeated share is rejected alone, and wrong ones discard all of the same attempt", async () => {
    const nonce = await begin(owner);
    await give(nonce, share(0));
    const repeated = await alone(["submit", "--nonce", nonce], share(0));
    expect(repeated).toMatchObject(ends(3, "kept the others"));
    expect((await status()).progress).toBe(1);
    await give(nonce, share(1));
    const wrong = spoiled(share(2));
    const last = await alone(["submit", "--nonce", nonce], wrong);
    expect(last).toMatchObject(ends(3, `all holders run \`pulumi-steward root submit --nonce ${nonce}\` again`));
    expect(formsIn(last.stderr, [wrong])).toEqual([]);
    expect(await status()).toMatchObject({ nonce, progress: 0 });
    const { sandbox, keys } = current();
    if (!sandbox || keys === "unseal") return;
    sandbox.secrets.setKms(false);
    await give(nonce, share(0), share(1));
    expect((await alone(["submit", "--nonce", nonce], share(2))).stderr).toContain("none of them is known to be wrong");
  });

  test("a lost response is explained from the status, and no share is sent again", async () => {
    const lose = (when: "before" | "after"): void => current().gateway.on(`PUT ${update}`, { when });
    const submit = (index: number): Promise<Ended> => alone(["submit", "--nonce", nonce], share(index));
    const nonce = await begin(owner);
    lose("before");
    expect((await submit(0)).stderr).toContain("not counted");
    lose("after");
    expect((await submit(0)).stderr).toMatch(/\b1 of 3 .*The share was counted/);
    await give(nonce, share(1));
    expect((await submit(2)).stderr).toContain("may have generated a root token that nobody has");
    expect(sent()).toHaveLength(3);
  });

  test("a server that fails to encrypt the token is reported as one that may have generated it", async () => {
    const signs = await makeHolder({ subkeys: [] });
    const nonce = await begin(signs);
    await give(nonce, share(0), share(1));
    const last = await alone(["submit", "--nonce", nonce], share(2));
    expect(last).toMatchObject(ends(1, "may have generated a root token that nobody has"));
  });

  test("only a valid root token is revoked", async () => {
    const admin = { url: current().gateway.url, token: current().token };
    const { json } = await call(admin, "POST", "/v1/auth/token/create", { policies: ["default"] });
    const token = json?.auth.client_token as string;
    if (!current().namespace) {
      const refused = await alone(["revoke"], token);
      expect(refused).toMatchObject(ends(1, "not a root token"));
      expect((await lookUp(token)).status).toBe(200);
      current().gateway.on("POST auth/token/revoke-self", { when: "before" });
      expect(await alone(["revoke"], current().token)).toMatchObject(ends(1, "still accepts"));
      // A 403 that a proxy may have sent proves nothing.
      const root = await call(admin, "POST", "/v1/auth/token/create", { policies: ["root"] });
      current().gateway.on("GET auth/token/lookup-self", { when: "after", answer: () => "<html>blocked</html>" }, 2);
      const doubtful = await alone(["revoke"], root.json?.auth.client_token);
      expect(doubtful).toMatchObject(ends(1, "403"));
    }
    for (const input of ["no token", `${token}x`]) {
      const refused = await alone(["revoke"], input);
      expect(refused).toMatchObject({ code: 1, stderr: expect.not.stringContaining(input) });
    }
  });

  test("the requests have the responses of the real servers", async () => {
    const isOpenBao = current().dialect === "openbao";
    const refused = (reason: string): object => {
      const errors = [isOpenBao ? `1 error occurred:\n\t* ${reason}\n\n` : reason];
      return { status: isOpenBao ? 500 : 400, body: { errors } };
    };
    const give = (key: unknown, nonce: unknown) => send("PUT", update, { key, nonce });
    const idle = await send("GET", attempt);
    const none = isOpenBao ? {} : { nonce: "", encoded_token: "", encoded_root_token: "", pgp_fingerprint: "" };
    const common = { started: false, progress: 0, required: 3, complete: false, otp: "", otp_length: expect.any(Number) };
    expect(idle).toEqual({ status: 200, body: { ...common, ...none } });
    expect(await give(share(0), "x")).toMatchObject(refused("no root generation in progress"));
    expect((await send("DELETE", attempt)).status).toBe(204);
    const bad = await send("PUT", attempt, { pgp_key: "!!!" });
    expect(bad).toMatchObject({ status: 400, body: { errors: [expect.stringMatching(/^error parsing PGP key: error decoding /)] } });
    const nonce = await begin(owner);
    const again = await send("PUT", attempt, { pgp_key: binaryKey(owner) });
    expect(again).toMatchObject({ status: 400, body: { errors: [expect.stringMatching(/^root generation already in progress/)] } });
    expect(await give(share(0), "x")).toMatchObject(
      refused(`incorrect nonce supplied; nonce for this root generation operation is "${nonce}"`),
    );
    expect(await give("abcd", nonce)).toMatchObject(refused("invalid key: key is shorter than minimum 16 bytes"));
    const running = { ...common, ...none, started: true, nonce, pgp_fingerprint: owner.fingerprint };
    expect(await send("GET", attempt)).toEqual({ status: 200, body: running });
    const { otp, ...counted } = { ...running, progress: 1, encoded_token: "", ...(isOpenBao ? {} : { otp_length: 0 }) };
    const { otp_length, ...inOpenBao } = counted;
    expect(await give(share(0), nonce)).toEqual({ status: 200, body: isOpenBao ? inOpenBao : { ...counted, otp } });
    expect(await give(share(0), nonce)).toMatchObject(refused("given key has already been provided during this generation operation"));
    expect((await send("DELETE", attempt, { nonce: "x" })).status).toBe(204);
  });
};

onEachRekeyTarget("pulumi-steward root", suite, withRootTokens);

test.each(firstKeysTargets)("a server without keys starts no generation, $name", ({ start }) =>
  withRekeyTarget(start, { shares: 0, threshold: 0 }, async (target) => {
    const [owner] = (await holders(1)) as [Holder];
    writeFileSync(join(folder, "owner.asc"), owner.publicKey);
    const refused = await steward(variablesOf(target), ["root", "start", "--key", join(folder, "owner.asc")]);
    expect(refused).toMatchObject(ends(1, "has no recovery keys yet"));
    expect(target.gateway.requests.map(({ method }) => method)).not.toContain("PUT");
  }),
);

test.each(tokenServices)("the policy on the page is the one that a holder needs, $dialect", async ({ dialect, start }) => {
  const service = await start();
  const place = dialect === "openbao" ? "sys/generate-root-token" : "sys/generate-root";
  const policy = blocks("docs/rekey/break-glass.md", "hcl").join().replaceAll("sys/generate-root", place);
  const run = (token: string, args: string[], input?: string): Promise<Ended> =>
    steward(variablesFor(dialect, { url: service.url, token }), ["root", ...args], input);
  const [owner] = (await holders(1)) as [Holder];
  writeFileSync(join(folder, "owner.asc"), owner.publicKey);
  const begin = ["start", "--key", join(folder, "owner.asc")];
  const holder = await tokenWith(service, "holder", policy);
  const other = dialect === "openbao" ? "hashicorp" : "openbao";
  const elsewhere = await steward(variablesFor(other, { url: service.url, token: service.token }), ["root", "status"]);
  const hint =
    dialect === "openbao" ? /which OpenBao 2\.5\.3 and later disable.*BAO_ADDR.* see docs\/rekey\/break-glass\.md#/s : /VAULT_ADDR/;
  expect(elsewhere).toMatchObject(ends(1, hint));
  const denied = (capability: string, end: string): object => ends(1, `\`${capability}\` on ${place}/${end}`);
  expect(await run("", ["status"])).toMatchObject(denied("read", "attempt"));
  expect(await run(holder, begin)).toMatchObject(denied("update", "attempt"));
  const { stdout } = await run(await tokenWith(service, "admin", policy.replace('"read"', '"read", "update"')), begin);
  const [, nonce = ""] = /^nonce +(\S+)$/m.exec(stdout) ?? [];
  expect(await run(holder, ["cancel", "--nonce", nonce])).toMatchObject(denied("delete", "attempt"));
  let last: Ended | undefined;
  for (const share of service.shares.slice(0, service.threshold)) last = await run(holder, ["submit", "--nonce", nonce], share);
  expect(last).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w+/=]{100,}\n$/) });
  await service.stop();
});
