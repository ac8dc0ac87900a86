import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { AddressInfo } from "node:net";
import { join } from "node:path";
import { call } from "../support/call";
import { formsIn } from "../support/canaries";
import { certificate, privateKey } from "../support/certificates";
import { Gateway, startGateway } from "../support/gateway";
import { Gpg } from "../support/gpg";
import { blocks } from "../support/pages";
import { allRekeyTargets } from "../support/rekey";
import { documented, TokenService, tokenServices } from "../support/rekey-ceremony";
import { Keys, variablesFor, wireOf } from "../support/rekey-wire";
import { argumentsOf, Ended, ends, enter, Person, steward, typing } from "./holder";
import { askedForShare, confirmed, folder } from "./rekey";

const names = ["ada", "grace", "mary"];
let [ivy, mallory]: Gpg[] = [];
let holders: Gpg[];
let [inviter, stranger] = ["", ""];
let fingerprints: string[];
beforeAll(() => {
  [ivy, mallory, ...holders] = ["ivy", "mallory", ...names].map(() => new Gpg());
  [inviter, stranger] = [own(ivy).generate("ivy"), own(mallory).generate("mallory")];
  fingerprints = holders.map((gpg, index) => gpg.generate(names[index] as string));
  for (const gpg of holders) gpg.run(["--import"], own(ivy).publicKey(inviter));
});
afterAll(() => {
  for (const gpg of [...holders, own(ivy), own(mallory)]) gpg.remove();
});
const own = (gpg: Gpg | undefined): Gpg => gpg as Gpg;

/** Those that require tokens, and the others: real ones, or else one with recovery keys. */
const services = [
  ...tokenServices.map((each) => ({ ...each, name: `tokens, ${each.dialect}`, keys: "unseal" as Keys, namespace: "" })),
  ...allRekeyTargets
    .filter(({ name }) => (/^real/.test(name) ? name !== "real OpenBao" : name === "sandbox, openbao, recovery keys"))
    .map(({ start, ...column }) => ({
      namespace: "",
      ...column,
      dialect: column.dialect as TokenService["dialect"],
      start: async (): Promise<TokenService> => {
        const { gateway, first, dialect, token, stop } = await start();
        return { dialect: dialect as TokenService["dialect"], url: gateway.url, token, shares: first, threshold: 3, stop };
      },
    })),
];

const [inviterPolicy = ""] = blocks("docs/rekey/invitations.md", "hcl");
const { holder: holderPolicy } = documented.hashicorp;

describe.each(services)("invitations ($name)", ({ dialect, keys, namespace, start }) => {
  let service: TokenService;
  let gateway: Gateway;
  let token: string;
  const wire = wireOf(dialect, keys);
  const role = {
    allowed_policies: "rekey-holder",
    orphan: true,
    renewable: false,
    token_no_default_policy: true,
    token_explicit_max_ttl: "1h",
  };
  const send = (method: string, path: string, body?: object) =>
    call(service, method, `/v1/${namespace && `${namespace}/`}${wire.sent(method, path)[1]}`, body);
  const here = (policy: string): string => policy.replace(/sys\/rekey\/\w+/g, (path) => wire.sent("GET", path)[1]);
  const setPolicy = (name: string, policy: string) => send("PUT", `sys/policies/acl/${name}`, { policy: here(policy) });
  const setRole = (more: object): Promise<unknown> => send("POST", "auth/token/roles/rekey-holder", { ...role, ...more });
  beforeEach(async () => {
    service = await start();
    gateway = await startGateway(service.url, wire);
    await setPolicy("rekey-holder", holderPolicy);
    await setPolicy("rekey-inviter", inviterPolicy);
    const created = await send("POST", "auth/token/create", { policies: ["rekey-inviter"], no_default_policy: true });
    token = created.json.auth.client_token;
    await setRole({});
    mkdirSync(join(folder, "keys"));
    for (const [index, gpg] of holders.entries())
      writeFileSync(join(folder, "keys", `${names[index]}.asc`), gpg.publicKey(fingerprints[index] as string));
    expect(await asRoot(["init", "--keys", join(folder, "keys"), "--threshold", "2"])).toMatchObject({ code: 0 });
  });
  afterEach(async () => {
    await gateway.close();
    await service.stop();
  });

  const variables = (server: { url: string; token: string }): Record<string, string> => ({
    ...variablesFor(dialect, server),
    ...(namespace && { BAO_NAMESPACE: namespace }),
  });
  const placeOf = (): string => gateway.url + (namespace && `, namespace ${namespace}`);
  const asRoot = (args: string[], input?: string): Promise<Ended> => steward(variables(service), argumentsOf({ keys }, ...args), input);
  const state = (name: string): string => join(folder, `state-${name}`);
  const environmentOf = (gpg: Gpg | undefined, name: string): Record<string, string> => ({
    GNUPGHOME: own(gpg).home,
    XDG_STATE_HOME: state(name),
  });
  const asInviter = (args: string[], more = {}): Promise<Ended> =>
    steward({ ...variables({ url: gateway.url, token }), ...environmentOf(ivy, "ivy"), ...more }, argumentsOf({ keys }, ...args));
  const out = (): string => join(folder, "invitations");
  const invite = async (...more: string[]): Promise<Ended> =>
    asInviter(["invite", "--keys", join(folder, "keys"), "--out", out(), "--sign", inviter, "--nonce", await nonce(), ...more]);
  const fileOf = (index: number): string => join(out(), `${names[index]}.asc`);
  /** A holder, whose environment has an address and no token. */
  const addressOf = (url = gateway.url): Record<string, string> =>
    Object.fromEntries(Object.entries(variables({ url, token: "" })).filter(([, value]) => value !== ""));
  const asHolder = (index: number, args: string[], input = "", variables = addressOf()): Promise<Ended> =>
    steward({ ...variables, ...environmentOf(holders[index], names[index] as string) }, ["rekey", ...args], input);
  const submit = (index: number, file: string, ...more: string[]): Promise<Ended> =>
    asHolder(index, ["submit", "--invitation", file, ...more], service.shares[index]);
  const trusting = (): string[] => ["--from", inviter.toUpperCase().replace(/.{4}/g, "$& ")];
  async function status(): Promise<Record<string, unknown>> {
    return wire.fields((await send("GET", "sys/rekey/init")).json);
  }
  const nonce = async (): Promise<string> => String((await status()).nonce);
  const contentOf = (index: number): Record<string, unknown> =>
    JSON.parse(
      own(holders[index])
        .run(["--decrypt"], readFileSync(fileOf(index)))
        .toString(),
    );
  const accessors = async (): Promise<string[]> => (await send("GET", "auth/token/accessors?list=true")).json.data.keys;
  /** A file with this content, signed and encrypted by anyone. */
  function forged(gpg: Gpg | undefined, content: object | string, args: string[], recipient = 0): string {
    const key = join(folder, "keys", `${names[recipient]}.asc`);
    const file = join(folder, `forged-${readdirSync(folder).length}`);
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(file, own(gpg).run(["--armor", ...args, "--encrypt", "--recipient-file", key], text));
    return file;
  }
  const signedBy = (fingerprint: string): string[] => ["--local-user", fingerprint, "--sign"];
  const nothingSent = async (ended: Ended, reason: string | RegExp): Promise<void> => {
    expect(ended).toMatchObject(ends(1, reason));
    expect((await status()).progress ?? 0).toBe(0);
  };

  test("holders take part with nothing but an invitation and their address, and the inviter ends all", async () => {
    const before = await accessors();
    const invited = await invite();
    expect(invited).toMatchObject({ code: 0, stdout: "" });
    for (const [index, name] of names.entries())
      expect(invited.stderr).toContain(`${name}.asc: for ${fingerprints[index]} "${name}", until 20`);
    expect((await accessors()).length).toBe(before.length + 3);
    expect(await asInviter(["status"])).toMatchObject({ code: 0, stderr: "" });
    expect([statSync(out()).mode & 0o777, statSync(fileOf(0)).mode & 0o777]).toEqual([0o700, 0o600]);

    const first = await submit(0, fileOf(0), ...trusting(), "--record", join(folder, "record"));
    expect(first).toMatchObject(
      ends(0, /^certificate +none: plain HTTP\ninvitation +signed by \w{40}, until 20.*\nYour share was accepted: 1 of 3/m),
    );
    expect(readFileSync(join(folder, "record"), "utf8")).toContain('"count":1');
    expect(first.stderr).toContain(`Invitations of ${inviter} for ${placeOf()} are accepted from now on.`);
    expect(await submit(1, fileOf(1), ...trusting())).toMatchObject({ code: 0 });
    const last = await asRoot(["submit", "--nonce", await nonce()], service.shares[2]);
    expect(last.code).toBe(0);
    const safe = join(folder, "safe");
    const store = `cat > '${safe}'; env >> '${safe}'; ps -A -ww -o args >> '${safe}'`;
    const outputs = [invited, first];
    for (const index of [0, 1]) {
      const verified = await asHolder(index, ["verify", "--invitation", fileOf(index), "--from-backup", "--store", store]);
      expect(verified).toMatchObject({ code: 0, stderr: expect.not.stringContaining("from now on") });
      outputs.push(verified);
    }
    expect((await status()).started).toBe(false);
    const backup = await asHolder(2, ["backup", "--invitation", fileOf(2), ...trusting()]);
    expect(backup.stdout).toMatch(new RegExp(`^for the holder of ${fingerprints[2]}, encrypted: [0-9a-f]+\n$`));

    const reminded = await asInviter(["status"]);
    expect(reminded.stderr).toMatch(/still valid: (\w+ until 20\S+Z(, |\. )){3}Run `pulumi-steward rekey invite --revoke/);
    const tokens = [0, 1, 2].map((index) => contentOf(index).token as string);
    const kept = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, "latin1"));
    const revoked = await asInviter(["invite", "--revoke"]);
    expect(revoked).toMatchObject(ends(0, "Revoked: the invitations of "));
    expect(await accessors()).toEqual(before);
    expect((await asInviter(["status"])).stderr).not.toContain("still valid");
    expect((await asInviter(["invite", "--revoke"])).stderr).toContain("no invitation");
    const denied = await asHolder(2, ["backup", "--invitation", fileOf(2)]);
    expect(denied).toMatchObject(ends(1, "403"));
    const shown = [...outputs, backup, reminded, revoked, denied].map(({ stdout, stderr }) => stdout + stderr);
    expect(formsIn([...shown, ...kept].join(), tokens)).toEqual([]);
  });

  test("a stolen invitation cannot be used without the holder's key, nor by a holder who was given another's", async () => {
    await invite();
    await nothingSent(await submit(1, fileOf(0), ...trusting()), /gpg cannot decrypt the message .*Nothing was sent/);
    // Ada passes on what ivy signed.
    const signed = own(holders[0]).run(["--unwrap", "--decrypt"], readFileSync(fileOf(0)));
    const file = join(folder, "passed");
    writeFileSync(file, own(holders[1]).run(["--recipient", fingerprints[1] as string, "--no-literal", "-z", "0", "--encrypt"], signed));
    await nothingSent(await submit(1, file, ...trusting()), `for the holder of another key, ${fingerprints[0]}; nothing was sent`);
  });

  test("a forged invitation is refused", async () => {
    await invite();
    const count = gateway.requests.length;
    const content = contentOf(0);
    own(holders[0]).run(["--import"], own(holders[1]).publicKey(fingerprints[1] as string));
    const cases: [file: string, args: string[], reason: string | RegExp][] = [
      [forged(ivy, content, []), trusting(), "there is no signature"],
      [forged(holders[0], content, signedBy(fingerprints[0] as string)), trusting(), "signed by another key"],
      [forged(mallory, content, signedBy(stranger)), trusting(), /cannot check the signature of the key .* `gpg --import`/],
      [forged(holders[1], content, signedBy(fingerprints[1] as string)), trusting(), `signed by another key, ${fingerprints[1]}`],
      [fileOf(0), [], `signed by ${inviter}, whom you have not accepted yet`],
      [fileOf(0), ["--from", inviter.slice(-16)], "--from is not the fingerprint of a key"],
      [forged(ivy, { ...content, more: 1 }, signedBy(inviter)), trusting(), "no invitation"],
      [forged(ivy, "no JSON", signedBy(inviter)), trusting(), "no invitation"],
      [forged(ivy, { ...content, dialect: "other" }, signedBy(inviter)), trusting(), "no invitation"],
      [forged(ivy, { ...content, expires: new Date().toISOString() }, signedBy(inviter)), trusting(), "expired"],
      [join(folder, "absent"), trusting(), "(ENOENT)"],
    ];
    for (const [index, [file, args, reason]] of cases.entries())
      expect([index, await submit(0, file, ...args)]).toEqual([index, expect.objectContaining(ends(1, reason))]);
    expect(gateway.requests.length).toBe(count);
    expect(existsSync(state("ada"))).toBe(false);
  });

  test("an invitation to a rekey that is gone, replaced or shown otherwise sends no share", async () => {
    await invite();
    const attempt = /\/init$/;
    gateway.interrupt = ({ method, path }) =>
      method === "GET" && attempt.test(path)
        ? { when: "after", answer: (body) => JSON.stringify({ ...JSON.parse(body), t: 3 }) }
        : undefined;
    const tampered = await submit(0, fileOf(0), ...trusting());
    await nothingSent(
      tampered,
      /other parameters than the invitation \(their threshold\)\. Nothing was sent\..*\[rekey\/tampered-attempt\]/,
    );
    gateway.interrupt = undefined;
    const canceled = await asInviter(["cancel", "--nonce", await nonce()], variables({ ...service, url: gateway.url }));
    expect(canceled.stderr).toMatch(/still valid: ada until .*, grace until .*, mary until /);
    await nothingSent(
      await submit(0, fileOf(0)),
      /no longer in progress on (?!.*another one).* Nothing was sent\. Ask for a new invitation/,
    );
    const status = await asHolder(0, ["status", "--invitation", fileOf(0)]);
    expect(status).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("no rekey"),
      stderr: expect.stringContaining("attempt-missing"),
    });
    await asRoot(["init", "--keys", join(folder, "keys"), "--threshold", "2"]);
    await nothingSent(await submit(0, fileOf(0)), "no longer in progress on");
    await nothingSent(await asHolder(0, ["submit", "--invitation", fileOf(0), "--nonce", await nonce()]), "and another one is");
    expect(gateway.requests.filter(({ method }) => method === "PUT")).toEqual([]);
    for (const share of service.shares.slice(0, 3)) await asRoot(["submit", "--nonce", await nonce()], share);
    for (const more of [[], ["--nonce", await nonce()]])
      expect(await asHolder(0, ["backup", "--invitation", fileOf(0), ...more])).toMatchObject(
        ends(1, "the invitation does not match the backup"),
      );
  });

  test("the address is that of the holder's environment, or the holder confirms it", async () => {
    await invite();
    const count = gateway.requests.length;
    const elsewhere = await asHolder(0, ["submit", "--invitation", fileOf(0), ...trusting()], "", addressOf("http://127.0.0.1:1"));
    await nothingSent(elsewhere, `the invitation is for ${placeOf()} (${dialect}), and your environment is for http://127.0.0.1:1`);
    const other = { [dialect === "openbao" ? "VAULT_ADDR" : "BAO_ADDR"]: gateway.url };
    await nothingSent(await asHolder(0, ["submit", "--invitation", fileOf(0), ...trusting()], "", other), "your environment is for");
    const nowhere = await asHolder(0, ["submit", "--invitation", fileOf(0), ...trusting()], "", {});
    await nothingSent(nowhere, `export ${Object.keys(addressOf())[0]}=${gateway.url}`);
    const address = "http://192.0.2.1:8200";
    const remote = forged(ivy, { ...contentOf(0), address }, signedBy(inviter));
    for (const name of ["status", "backup", "submit"])
      await nothingSent(
        await asHolder(0, [name, "--invitation", remote, ...trusting()], "", addressOf(address)),
        `tokens would be sent to ${address} in plaintext`,
      );
    expect(gateway.requests.length).toBe(count);
    const variables = { ...environmentOf(holders[0], "ada"), PATH: String(process.env.PATH) };
    const atTerminal = (person: Person): Promise<Ended> =>
      typing(variables, ["rekey", "submit", "--invitation", fileOf(0), ...trusting()], person);
    expect(await atTerminal({ [confirmed]: `n${enter}` })).toMatchObject({ code: 130 });
    expect([gateway.requests.length, existsSync(state("ada"))]).toEqual([count, false]);
    const person = {
      "Is this your server? [y/N] ": `y${enter}`,
      "this rekey? [y/N] ": `y${enter}`,
      [askedForShare]: service.shares[0] + enter,
    };
    const agreed = await atTerminal(person);
    expect(agreed).toMatchObject({ code: 0, stderr: expect.stringContaining("Your share was accepted: 1 of 3") });
  });

  test("an invitation that fails leaves no token and no file behind, or says which", async () => {
    const before = await accessors();
    const failure = { when: "before" } as const;
    const create = "POST auth/token/create/rekey-holder";
    gateway.on(create, failure, 3);
    expect(await invite()).toMatchObject(ends(1, "Each token of this run is revoked."));
    expect([await accessors(), readdirSync(out()), readdirSync(join(state("ivy"), "pulumi-steward"))]).toEqual([before, [], []]);
    const less = inviterPolicy.replaceAll(/path "auth.*revoke.*/g, "");
    gateway.on(create, { ...failure, act: async () => void (await setPolicy("rekey-inviter", less)) }, 2);
    expect(await invite()).toMatchObject(ends(1, /These may still be valid: ada until 20/));
    expect(await asInviter(["invite", "--revoke"])).toMatchObject(ends(1, "these invitations may still be valid: ada until"));
    await setPolicy("rekey-inviter", inviterPolicy);
    gateway.on("POST auth/token/revoke-accessor", { when: "before" }, 1);
    expect(await asInviter(["invite", "--revoke"])).toMatchObject(ends(0, "Revoked: the invitations of ada."));
    // A run that was killed as it saved the accessor.
    expect((await invite()).code).toBe(0);
    const saved = join(state("ivy"), "pulumi-steward");
    for (const file of readdirSync(saved)) writeFileSync(join(saved, file), "");
    expect((await asInviter(["status"])).stderr).toContain("an unknown holder until an unknown time");
    expect(await asInviter(["invite", "--revoke"])).toMatchObject(ends(0, "Revoked: the invitations of an unknown holder, an unknown"));
    expect(await accessors()).toEqual(before);
    rmSync(out(), { recursive: true });
    gateway.on(create, { when: "after" }, 2);
    expect(await invite()).toMatchObject(ends(1, "The server may have made one more, which nobody has"));
    gateway.interrupt = undefined;
    before.push(...(await accessors()).filter((accessor) => !before.includes(accessor)));
    // The accessor cannot be saved, and then the file cannot be written.
    writeFileSync(join(folder, "file"), "");
    expect(await asInviter(["invite", "--revoke"], { XDG_STATE_HOME: join(folder, "file") })).toMatchObject({ code: 0 });
    const args = ["invite", "--keys", join(folder, "keys"), "--sign", inviter, "--nonce", await nonce(), "--out"];
    expect(await asInviter([...args, out()], { XDG_STATE_HOME: join(folder, "file") })).toMatchObject(ends(1, "Set XDG_STATE_HOME"));
    expect(await asInviter([...args, join(folder, "file")])).toMatchObject(ends(1, "the --out file cannot be created (EEXIST)"));
    expect((await accessors()).sort()).toEqual(before.sort());
  });

  test("a role whose tokens can do more than an invitation needs is refused, and so is what cannot be signed or written", async () => {
    const before = await accessors();
    for (const [more, flaw] of [
      [{ renewable: true }, "can be renewed"],
      [{ orphan: false }, "is not an orphan"],
      [{ token_no_default_policy: false }, "has the policy default"],
      [{ allowed_policies: "rekey-holder,more" }, "has more than one policy, more, rekey-holder"],
    ] as const) {
      await setRole(more);
      expect(await invite()).toMatchObject(ends(1, new RegExp(`a token of the role "rekey-holder" .*${flaw}.*docs/rekey/invitations.md`)));
      expect(await accessors()).toEqual(before);
    }
    await setRole({});
    const configuration = join(own(ivy).home, "gpg.conf");
    writeFileSync(configuration, `recipient ${inviter}`);
    expect(await invite()).toMatchObject(
      ends(1, /Each token of this run is revoked\.\n.*gpg has encrypted the invitation to another key, too/),
    );
    rmSync(configuration);
    expect(await accessors()).toEqual(before);
    gateway.requests.splice(0);
    expect(await invite("--role", "absent")).toMatchObject({ code: 1 });
    expect(await invite("--sign", inviter.slice(-16))).toMatchObject(ends(1, "--sign is not the fingerprint of a key"));
    expect(await invite("--sign", stranger)).toMatchObject(ends(1, `gpg has no private key with the fingerprint ${stranger}`));
    expect(await invite("--nonce", "another")).toMatchObject(ends(1, "[rekey/nonce-mismatch]"));
    expect(await asInviter(["invite", "--out", out()])).toMatchObject({ code: 2 });
    mkdirSync(join(folder, "none"));
    expect(await invite("--keys", join(folder, "none"))).toMatchObject(ends(1, "none has no key"));
    mkdirSync(out());
    writeFileSync(fileOf(1), "");
    expect(await invite()).toMatchObject(ends(1, "grace.asc"));
    expect([await accessors(), gateway.requests.filter(({ path }) => path.endsWith("/create/rekey-holder")).length]).toEqual([before, 0]);
    await asRoot(["cancel", "--nonce", await nonce()]);
    expect(await asInviter(["invite", "--keys", join(folder, "keys"), "--out", "x", "--sign", inviter, "--nonce", "x"])).toMatchObject(
      ends(1, "[rekey/attempt-missing]"),
    );
  });

  test("the names in the certificate of the server are shown before the prompt", async () => {
    const server = createServer({ cert: certificate, key: privateKey }, (incoming, outgoing) => {
      const { method, url, headers } = incoming;
      incoming.pipe(
        request(new URL(String(url), service.url), { method, headers }, (answer) =>
          answer.pipe(outgoing.writeHead(Number(answer.statusCode))),
        ),
      );
    });
    await new Promise<void>((done) => server.listen(0, done));
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    writeFileSync(join(folder, "ca.pem"), certificate);
    const prefix = String(Object.keys(addressOf())[0]).replace("_ADDR", "");
    const tls = { ...addressOf(), [`${prefix}_ADDR`]: url, [`${prefix}_CACERT`]: join(folder, "ca.pem") };
    await asInviter(["invite", "--keys", join(folder, "keys"), "--out", out(), "--sign", inviter, "--nonce", await nonce()], tls);
    const shown = await asHolder(0, ["submit", "--invitation", fileOf(0), ...trusting()], service.shares[0], tls);
    expect(shown).toMatchObject(ends(0, /^certificate +localhost, issued by localhost$/m));
    server.closeAllConnections();
    server.close();
  });
});
