import { call } from "../../support/call";
import { Holder, holders, read } from "../../support/pgp";
import { RekeyTarget, rekeyTargets } from "../../support/rekey";
import { damaged, hexOf, uuid } from "./rekey-service";

// The same tests run on the sandbox and, if one is installed, on a real OpenBao, which proves that the sandbox is right.

describe.each(rekeyTargets.filter(({ dialect }) => dialect === "openbao"))("sys/rotate/root, $name", ({ start }) => {
  let target: RekeyTarget;
  beforeEach(async () => {
    target = await start();
  });
  afterEach(() => target.stop());
  const send = (method: string, path: string, body?: object, token?: string) =>
    call({ url: target.gateway.url, token: target.token }, method, path, body, token);

  interface Heard {
    status: number;
    data?: Record<string, unknown>;
    errors?: string[];
  }
  async function to(method: string, end: string, body?: object): Promise<Heard> {
    const { status, json } = await send(method, `/v1/sys/rotate/root/${end}`, body);
    return { status, ...(json?.data && { data: json.data }), ...(json?.errors && { errors: json.errors }) };
  }
  const refused = (...errors: string[]): Heard => ({ status: 400, errors });
  /** As OpenBao 2.7 prints it. */
  const misprinted = (reason: string, type = "errors.errorString"): string => `%!w(*${type}=&{${reason}})`;
  const invalid = (reason: string): Heard => refused(`invalid rotate seal configuration: ${misprinted(reason)}`);
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
  async function give(nonce: string): Promise<{ keys_base64: string[]; keys: string[]; verification_nonce: string }> {
    const heard: Heard[] = [];
    for (const share of target.first.slice(0, 3)) heard.push(await update(share, nonce));
    return heard[2]?.data as never;
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

  test.each([...unauthenticated, ...backup])("%s sys/rotate/root/%s requires a token", async (method, end) => {
    expect(await answer(`sys/rotate/root/${end}`, method, "")).toEqual([403, { errors: ["permission denied"] }]);
  });

  test("an attempt has a status, blocks a second start, and is canceled", async () => {
    expect(await to("GET", "init")).toEqual({ status: 200, data: { n: 0, required: 3, started: false, t: 0 } });
    expect(await to("POST", "init", threeOfTwo)).toEqual({ status: 200, data: running });
    expect(await to("GET", "init")).toEqual({ status: 200, data: running });
    expect(await to("POST", "init", threeOfTwo)).toEqual(refused("rotation already in progress"));
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
    const [first, second, third] = target.first;
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
    expect(await target.opens(keys.slice(1))).toBe(true);
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
    const { json } = await send("GET", "/v1/sys/rotate/root/backup");
    const lists = (keys: string[]) => Object.fromEntries(fingerprints.map((fingerprint, index) => [fingerprint, [keys[index]]]));
    const kept = { nonce, keys: lists(made.keys), keys_base64: lists(made.keys_base64) };
    expect(json).toMatchObject({ ...kept, data: kept });
    expect(await read(all[0] as Holder, made.keys[0] as string)).toMatch(/^[0-9a-f]{66}$/);
    for (const _ of [1, 2]) expect(await to("DELETE", "backup")).toEqual({ status: 204 });
  });

  test.each([...unauthenticated, ["PUT", "init"], ["PUT", "update"]] as const)(
    "%s sys/rekey/%s is disabled, with and without a token",
    async (method, end) => {
      for (const token of ["", target.token])
        expect(await answer(`sys/rekey/${end}`, method, token)).toEqual([405, { errors: ["unsupported operation"] }]);
    },
  );

  test("requests without an attempt or in the wrong phase are rejected with 400", async () => {
    const { first: shares } = target;
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
    const [first = "", second = "", third = ""] = target.first;
    const nonce = await begin();
    const storage = misprinted("failed to decrypt keys from storage: cipher: message authentication failed", "vault.ErrInvalidKey");
    for (const [last, reason] of [
      [damaged(third), `failed to read root key: ${storage}`],
      [damaged(first), `failed to compute key: ${misprinted("duplicate part detected")}`],
      [third.slice(0, 24), `failed to compute key: ${misprinted("all parts must be the same length")}`],
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
    expect(await target.opens(target.first)).toBe(true);
  });
});
