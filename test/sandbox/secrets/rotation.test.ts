import { call } from "../../support/call";
import { Holder, holders, read } from "../../support/pgp";
import { rekeyTargets } from "../../support/rekey";
import { damaged, hexOf, startStored, uuid } from "./rekey-service";

// The same tests run on the sandbox and, if one is installed, on a real OpenBao, which proves that the sandbox is right.

type Server = Awaited<ReturnType<typeof startStored>>;
interface Heard {
  status: number;
  data?: Record<string, unknown>;
  errors?: string[];
}

async function sendTo(server: Server, method: string, path: string, body?: object): Promise<Heard> {
  const { status, json } = await call(server, method, `/v1/sys/rotate/${path}`, body);
  return { status, ...(json?.data && { data: json.data }), ...(json?.errors && { errors: json.errors }) };
}
const refused = (...errors: string[]): Heard => ({ status: 400, errors });
/** As OpenBao 2.7 prints it. */
const misprinted = (reason: string, type = "errors.errorString"): string => `%!w(*${type}=&{${reason}})`;

const onOpenBao = rekeyTargets.filter(({ dialect, keys, namespace }) => dialect === "openbao" && keys === "unseal" && !namespace);

async function startShamir(): Promise<Server> {
  const { gateway, token, first, stop } = await onOpenBao[0]!.start();
  return { url: gateway.url, token, shares: first, stop };
}

const unauthentic = misprinted("failed to decrypt keys from storage: cipher: message authentication failed", "vault.ErrInvalidKey");
const kinds = onOpenBao.flatMap(({ name }) => [
  { name, kind: "root", start: startShamir, configuration: "rotate seal", wrong: `failed to read root key: ${unauthentic}` },
  {
    name,
    kind: "recovery",
    start: () => startStored("openbao"),
    configuration: "recovery",
    wrong: "recovery key verification failed: recovery key does not match submitted values",
  },
]);

describe.each(kinds)("sys/rotate/$kind, $name", ({ kind, start, configuration, wrong }) => {
  let target: Server;
  beforeEach(async () => {
    target = await start();
  });
  afterEach(() => target.stop());
  const send = (method: string, path: string, body?: object, token?: string) => call(target, method, path, body, token);
  const to = (method: string, end: string, body?: object) => sendTo(target, method, `${kind}/${end}`, body);
  const invalid = (reason: string): Heard => refused(`invalid ${configuration} configuration: ${misprinted(reason)}`);
  const anyNonce = expect.stringMatching(uuid);
  const threeOfTwo = { secret_shares: 3, secret_threshold: 2, require_verification: true };
  const running = {
    n: 3,
    nonce: anyNonce,
    progress: 0,
    required: 3,
    started: true,
    t: 2,
    verification_nonce: "",
    verification_required: true,
  };
  async function begin(more: object = {}): Promise<string> {
    const { data } = await to("POST", "init", { ...threeOfTwo, ...more });
    return String(data?.nonce);
  }
  const update = (key: string | undefined, nonce: string): Promise<Heard> => to("POST", "update", { key, nonce });
  async function give(
    nonce: string,
    shares: string[] = target.shares.slice(0, 3),
  ): Promise<{ keys_base64: string[]; keys: string[]; verification_nonce: string }> {
    const heard: Heard[] = [];
    for (const share of shares) heard.push(await update(share, nonce));
    return heard.at(-1)?.data as never;
  }
  /** Tests if these shares are live, with an attempt that changes nothing. */
  async function accepts(shares: string[]): Promise<boolean> {
    const made = await give(await begin(), shares);
    await to("DELETE", "init");
    return made?.keys?.length === 3;
  }

  /** The requests that need no token below sys/rekey. */
  const unauthenticated = [
    ["GET", "init"],
    ["POST", "init"],
    ["DELETE", "init"],
    ["POST", "update"],
    ["GET", "verify"],
    ["POST", "verify"],
    ["DELETE", "verify"],
  ] as const;
  const backup = [
    ["GET", "backup"],
    ["DELETE", "backup"],
  ] as const;
  const answer = async (path: string, method: string, token: string) => {
    const { status, json } = await send(method, `/v1/${path}`, method.startsWith("P") ? {} : undefined, token);
    return [status, json];
  };

  test.each([...unauthenticated, ...backup])("%s %s requires a token", async (method, end) => {
    expect(await answer(`sys/rotate/${kind}/${end}`, method, "")).toEqual([403, { errors: ["permission denied"] }]);
  });

  test("an attempt has a status, blocks a second start, and is canceled", async () => {
    expect(await to("GET", "init")).toEqual({ status: 200, data: { n: 0, required: 3, started: false, t: 0 } });
    expect(await to("POST", "init", threeOfTwo)).toEqual({ status: 200, data: running });
    expect(await to("GET", "init")).toEqual({ status: 200, data: running });
    for (const body of [threeOfTwo, {}]) expect(await to("POST", "init", body)).toEqual(refused("rotation already in progress"));
    for (const _ of [1, 2]) expect(await to("DELETE", "init")).toEqual({ status: 204 });
    expect(await to("POST", "init", { secret_shares: 5, secret_threshold: 1 })).toEqual(
      invalid("threshold must be greater than one for multiple shares"),
    );
  });

  test.each([
    ["shares must be at least one", { secret_shares: 0, secret_threshold: 0 }],
    ["threshold must be at least one", { secret_shares: 1, secret_threshold: 0 }],
    ["shares must be less than 256", { secret_shares: 256, secret_threshold: 2 }],
    ["threshold cannot be larger than shares", { secret_shares: 2, secret_threshold: 3 }],
    ["count mismatch between number of provided PGP keys and number of shares", { ...threeOfTwo, pgp_keys: ["AAAA"] }],
  ])("%s", async (reason, body) => {
    expect(await to("POST", "init", body)).toEqual(invalid(reason));
  });

  test("a backup without PGP keys is accepted and not made", async () => {
    const nonce = await begin({ backup: true });
    expect((await to("GET", "init")).data).toEqual(running);
    expect(await give(nonce)).toMatchObject({ complete: true, backup: true, pgp_fingerprints: null });
    expect(await to("GET", "backup")).toEqual(refused("no backed-up keys found"));
  });

  test("the last current share returns the new shares", async () => {
    const [first, second, third] = target.shares;
    const nonce = await begin();
    expect(await update(first, nonce)).toEqual({ status: 200, data: { ...running, progress: 1 } });
    expect(await update(second, "other")).toEqual(refused(`incorrect nonce supplied; nonce for rotation is "${nonce}"`));
    expect(await update(first, nonce)).toEqual(refused("given key has already been provided during this rotation"));
    await update(second, nonce);
    const { data = {} } = await update(third, nonce);
    const made = {
      backup: false,
      complete: true,
      nonce,
      pgp_fingerprints: null,
      verification_nonce: anyNonce,
      verification_required: true,
    };
    expect(data).toEqual({ ...made, keys: expect.any(Array), keys_base64: expect.any(Array) });
    expect(data.keys_base64).toHaveLength(3);
    expect((data.keys_base64 as string[]).map(hexOf)).toEqual(data.keys);
    expect((await to("GET", "init")).data).toEqual({ ...running, nonce, verification_nonce: data.verification_nonce });
  });

  test("the verification commits the new shares, and restarts with a new nonce", async () => {
    expect(await to("GET", "verify")).toEqual(refused("no rotation configuration found"));
    const { keys_base64: keys, verification_nonce: first } = await give(await begin());
    const verifying = { n: 3, nonce: first, progress: 0, started: true, t: 2 };
    expect(await to("GET", "verify")).toEqual({ status: 200, data: verifying });
    expect(await to("POST", "verify", { key: keys[0], nonce: first })).toEqual({ status: 200, data: { ...verifying, progress: 1 } });
    const { status, data } = await to("DELETE", "verify");
    expect([status, data]).toEqual([200, { ...verifying, nonce: anyNonce }]);
    const nonce = data?.nonce;
    expect(nonce).not.toBe(first);
    for (const key of keys.slice(0, 1)) await to("POST", "verify", { key, nonce });
    expect(await to("POST", "verify", { key: keys[1], nonce })).toEqual({ status: 200, data: { complete: true, nonce } });
    expect(await accepts(keys.slice(1))).toBe(true);
  });

  test("new shares are encrypted to PGP keys and kept in the backup", async () => {
    const all: Holder[] = await holders(3);
    const fingerprints = all.map(({ fingerprint }) => fingerprint);
    expect(await to("GET", "backup")).toEqual(refused("no backed-up keys found"));
    const pgp_keys = all.map(({ publicKey }) => publicKey.replace(/-----[^-]+-----|\n=.*|\s/g, ""));
    const nonce = await begin({ pgp_keys, backup: true });
    expect((await to("GET", "init")).data).toEqual({ ...running, backup: true, pgp_fingerprints: fingerprints });
    const made = await give(nonce);
    expect(made).toMatchObject({ complete: true, backup: true, pgp_fingerprints: fingerprints });
    const { json } = await send("GET", `/v1/sys/rotate/${kind}/backup`);
    const lists = (keys: string[]) => Object.fromEntries(fingerprints.map((fingerprint, index) => [fingerprint, [keys[index]]]));
    const kept = { nonce, keys: lists(made.keys), keys_base64: lists(made.keys_base64) };
    expect(json).toMatchObject({ ...kept, data: kept });
    expect(await read(all[0] as Holder, made.keys[0] as string)).toMatch(/^[0-9a-f]{66}$/);
    for (const _ of [1, 2]) expect(await to("DELETE", "backup")).toEqual({ status: 204 });
  });

  test.each([...unauthenticated, ["PUT", "init"], ["PUT", "update"]] as const)(
    "%s %s of Vault's rekey is disabled, with and without a token",
    async (method, end) => {
      for (const token of ["", target.token]) {
        expect(await answer(`sys/rekey/${end}`, method, token)).toEqual([405, { errors: ["unsupported operation"] }]);
        expect(await answer(`sys/rekey-recovery-key/${end}`, method, token)).toEqual([404, { errors: ["unsupported path"] }]);
      }
    },
  );

  test("requests without an attempt or in the wrong phase are rejected with 400", async () => {
    const { shares } = target;
    expect(await update(shares[0], "x")).toEqual(refused("no rotation in progress"));
    expect(await to("POST", "verify", { key: shares[0], nonce: "x" })).toEqual(refused("no rotation in progress"));
    expect(await to("DELETE", "verify")).toEqual(refused("no rotation configuration found"));
    const nonce = await begin();
    expect(await update("", nonce)).toEqual(refused("missing required field 'key'"));
    expect(await update(shares[0], "")).toEqual(refused("missing required field 'nonce'"));
    expect(await to("POST", "verify", { key: shares[0], nonce: "x" })).toEqual(refused("no rotation verification in progress"));
    const { verification_nonce: proof } = await give(nonce);
    const next = `nonce for the verification operation is "${proof}"`;
    expect(await update(shares[0], nonce)).toEqual(refused(`rotation already finished; verification must be performed; ${next}`));
    await to("POST", "verify", { key: shares[0], nonce: proof });
    expect(await to("POST", "verify", { key: shares[1], nonce: proof })).toEqual(
      refused("rotation verification failed; incorrect key shares supplied"),
    );
    expect((await to("GET", "verify")).data).toMatchObject({ progress: 0, started: true, nonce: expect.not.stringContaining(proof) });
  });

  test("wrong shares and shares that cannot be combined discard the progress", async () => {
    const [first = "", second = "", third = ""] = target.shares;
    const nonce = await begin();
    for (const [last, reason] of [
      [damaged(third), wrong],
      [damaged(first), `failed to compute key: ${misprinted("duplicate part detected")}`],
      [third.slice(0, 24), `failed to compute key: ${misprinted("all parts must be the same length")}`],
      ["abcd", `failed to compute key: ${misprinted("all parts must be the same length")}`],
    ] as const) {
      for (const share of [first, second]) await update(share, nonce);
      expect(await update(last, nonce)).toEqual(refused(reason));
      expect((await to("GET", "init")).data).toMatchObject({ nonce, progress: 0 });
    }
  });

  test("a new share counts each time, and the verification fails at the threshold", async () => {
    const { keys_base64: keys, verification_nonce: nonce } = await give(await begin());
    await to("POST", "verify", { key: keys[0], nonce });
    expect(await to("POST", "verify", { key: keys[0], nonce })).toEqual(
      refused(`failed to compute key for verification: ${misprinted("duplicate part detected")}`),
    );
    expect((await to("GET", "verify")).data).toMatchObject({ progress: 0, nonce: expect.not.stringContaining(nonce) });
    await to("DELETE", "init");
    expect(await accepts(target.shares.slice(2))).toBe(true);
  });
});

describe.each(onOpenBao)("recovery keys, $name", () => {
  const three = { secret_shares: 3, secret_threshold: 2 };
  let server: Server;
  afterEach(() => server.stop());
  const to = (method: string, path: string, body?: object): Promise<Heard> => sendTo(server, method, path, body);
  const status = (path: string) => to("GET", `${path}/init`).then(({ data }) => data);
  const sealStatus = async () => (await call(server, "GET", "/v1/sys/seal-status")).json;

  test("a rotation of the recovery keys and one of the root key are independent, and need the same recovery keys", async () => {
    server = await startStored("openbao");
    const [first, second, third] = server.shares;
    await to("POST", "root/init", three);
    // OpenBao ignores this parameter of Vault.
    await to("POST", "recovery/init", { ...three, stored_shares: 1 });
    const nonces = { root: (await status("root"))?.nonce, recovery: (await status("recovery"))?.nonce };
    await to("POST", "root/update", { key: first, nonce: nonces.root });
    for (const key of [second, third]) await to("POST", "recovery/update", { key, nonce: nonces.recovery });
    expect(await status("root")).toMatchObject({ n: 1, t: 1, progress: 1, required: 3 });
    expect(await status("recovery")).toMatchObject({ n: 3, t: 2, progress: 2, required: 3 });
    expect((await to("POST", "recovery/update", { key: first, nonce: nonces.recovery })).data).toMatchObject({ complete: true });
    expect(await status("root")).toMatchObject({ nonce: nonces.root, progress: 1, required: 2 });
    expect(await sealStatus()).toMatchObject({ t: 2, n: 3, recovery_seal: true });
  });

  test("the root key needs neither PGP keys nor a backup nor a verification", async () => {
    server = await startStored("openbao");
    const unwanted = { ...three, require_verification: true };
    expect(await to("POST", "root/init", { ...unwanted, backup: true, pgp_keys: ["", ""] })).toEqual(
      refused("PGP key encryption not supported when using stored keys"),
    );
    expect(await to("POST", "root/init", { ...unwanted, backup: true })).toEqual(
      refused("key backup not supported when using stored keys"),
    );
    expect(await to("POST", "root/init", unwanted)).toEqual(
      refused("requiring verification not supported when rotating the barrier key with recovery keys"),
    );
  });

  test("a Shamir seal has none", async () => {
    server = await startShamir();
    const key = server.shares[0];
    const unsupported = misprinted("recovery not supported");
    expect(await to("GET", "recovery/init")).toEqual(refused(`unable to look up config: ${unsupported}`));
    for (const body of [three, {}]) expect(await to("POST", "recovery/init", body)).toEqual(refused("recovery keys not supported"));
    expect(await to("DELETE", "recovery/init")).toEqual({ status: 204 });
    expect(await to("POST", "recovery/update", { key, nonce: "x" })).toEqual(refused(`failed to fetch existing config: ${unsupported}`));
    expect(await to("POST", "recovery/update", {})).toEqual(refused("missing required field 'key'"));
    for (const method of ["GET", "DELETE"]) expect(await to(method, "recovery/verify")).toEqual(refused("no rotation configuration found"));
    expect(await to("POST", "recovery/verify", { key, nonce: "x" })).toEqual(refused("no rotation in progress"));
    expect(await to("GET", "recovery/backup")).toEqual(refused("no backed-up keys found"));
    expect(await to("DELETE", "recovery/backup")).toEqual({ status: 204 });
  });

  test("the first recovery keys need no current ones, and are live after their verification", async () => {
    server = await startStored("openbao", 0);
    expect(server.shares).toEqual([]);
    expect(await sealStatus()).toMatchObject({ t: 0, n: 0, recovery_seal: true });
    expect(await status("recovery")).toEqual({ n: 0, required: 0, started: false, t: 0 });
    expect(await to("POST", "recovery/init", { ...three, secret_threshold: 4 })).toEqual(
      refused(`invalid recovery configuration: ${misprinted("threshold cannot be larger than shares")}`),
    );
    const { data = {} } = await to("POST", "recovery/init", { ...three, require_verification: true });
    const { keys_base64: keys, keys: hex, verification_nonce: nonce, ...rest } = data as Record<string, string[]>;
    expect(rest).toEqual({ backup: false, complete: true, n: 3, t: 2, pgp_fingerprints: null, verification_required: true });
    expect(keys!.map(hexOf)).toEqual(hex);
    const running = { n: 3, t: 2, progress: 0, required: 0, started: true, verification_nonce: nonce, verification_required: true };
    expect(await status("recovery")).toEqual({ ...running, nonce: expect.stringMatching(uuid) });
    expect(await to("POST", "recovery/init", three)).toEqual(refused("rotation already in progress"));
    const given = (key: string | undefined, proof: unknown = nonce) => to("POST", "recovery/verify", { key, nonce: proof });
    expect((await given(keys![0])).data).toEqual({ n: 3, nonce, progress: 1, started: true, t: 2 });
    expect(await given(damaged(keys![1]!))).toEqual(refused("rotation verification failed; incorrect key shares supplied"));
    expect(await sealStatus()).toMatchObject({ t: 0, n: 0 });
    const again = (await status("recovery"))?.verification_nonce;
    await given(keys![0], again);
    expect((await given(keys![1], again)).data).toEqual({ complete: true, nonce: again });
    expect(await sealStatus()).toMatchObject({ t: 2, n: 3 });
    expect(await status("recovery")).toEqual({ n: 0, required: 2, started: false, t: 0 });
  });

  test("the first recovery keys are live at once without a verification, and an attempt can be canceled", async () => {
    server = await startStored("openbao", 0);
    const [holder] = await holders(1);
    const pgp_keys = [holder!.publicKey.replace(/-----[^-]+-----|\n=.*|\s/g, "")];
    const encrypted = { secret_shares: 1, secret_threshold: 1, pgp_keys, backup: true, require_verification: true };
    const { data } = await to("POST", "recovery/init", encrypted);
    expect(data).toMatchObject({ backup: true, n: 1, t: 1, pgp_fingerprints: [holder!.fingerprint] });
    const { nonce } = (await status("recovery")) ?? {};
    expect((await to("GET", "recovery/backup")).data).toMatchObject({ nonce, keys: { [holder!.fingerprint]: data?.keys } });
    expect(await to("DELETE", "recovery/init")).toEqual({ status: 204 });
    expect(await sealStatus()).toMatchObject({ t: 0, n: 0 });
    const { data: made = {} } = await to("POST", "recovery/init", three);
    expect(made).toMatchObject({ complete: true, verification_nonce: "", verification_required: false });
    expect(await sealStatus()).toMatchObject({ t: 2, n: 3 });
    const begun = (await to("POST", "recovery/init", three)).data;
    expect(begun).toMatchObject({ started: true, required: 2 });
    const [first, second] = made.keys as string[];
    await to("POST", "recovery/update", { key: first, nonce: begun?.nonce });
    expect((await to("POST", "recovery/update", { key: second, nonce: begun?.nonce })).data).toMatchObject({ complete: true });
  });

  test("without recovery keys, no share rotates the root key", async () => {
    server = await startStored("openbao", 0);
    const { data } = await to("POST", "root/init", three);
    expect(data).toMatchObject({ n: 1, t: 1, required: 0 });
    const key = Buffer.alloc(33, 1).toString("base64");
    expect(await to("POST", "root/update", { key, nonce: data?.nonce })).toEqual(
      refused(`failed to compute key: ${misprinted("less than two parts cannot be used to reconstruct the secret")}`),
    );
  });
});
