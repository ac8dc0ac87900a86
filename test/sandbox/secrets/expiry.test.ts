import { onEachStage, sandboxes } from "./creds-service";

// The sandbox alone, since its clock can be advanced. test/provider/secrets/scheduler-token.test.ts waits for the expiry on real servers.

onEachStage(
  "the expiry of leases",
  (stage, { to, engine, access, generate, tokenWith, works, isVault }) => {
    const advance = (seconds: number): void => stage().sandbox!.clock.advance(seconds * 1000);
    const reader = (more: object, parent?: string) => tokenWith(`${stage().mount}/creds/*`, ["read"], more, parent);

    test("a token ends exactly when its lease expires: without a configuration after 32 days", async () => {
      for (const life of [2_764_800, 600]) {
        const { secret, lease } = await generate("operator");
        advance(life - 30);
        expect(await works(secret)).toBe(true);
        advance(30);
        expect(await works(secret)).toBe(false);
        if (isVault()) expect((await to("PUT", "sys/leases/lookup", { lease_id: lease })).status).toBe(400);
        await engine("POST", "config/lease", { ttl: "10m" });
      }
    });

    test("the end of the requesting token or of its parent comes before the lease's own expiry", async () => {
      const short = await reader({ ttl: "5m" });
      const parent = (await to("POST", "auth/token/create", { policies: ["root"], ttl: "7m" })).json.auth.client_token;
      const child = await reader({ ttl: "1h" }, parent);
      const [first, second] = [await generate("reader", short), await generate("reader", child)];
      advance(301);
      expect(await works(first.secret)).toBe(false);
      expect(await works(second.secret)).toBe(true);
      advance(120);
      // Before a request to the scheduler, which would end it, too.
      expect((await engine("GET", "creds/reader", undefined, child)).status).toBe(403);
      expect(await works(second.secret)).toBe(false);
    });

    test("the revocation is retried if the scheduler is unreachable at the expiry", async () => {
      const { secret } = await generate("reader");
      await access({ address: "http://127.0.0.1:1" });
      advance(2_764_801);
      expect(await works(secret)).toBe(true);
      await access();
      expect(await works(secret)).toBe(false);
    });

    test("a sealed server ends no lease until it is unsealed", async () => {
      const { secret } = await generate("reader");
      const { secrets } = stage().sandbox!;
      await secrets.seal();
      advance(2_764_801);
      expect(await works(secret)).toBe(true);
      await secrets.unseal(secrets.shares);
      expect(await works(secret)).toBe(false);
    });
  },
  sandboxes,
);
