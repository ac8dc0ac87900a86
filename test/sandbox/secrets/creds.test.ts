import { onEachStage } from "./creds-service";
import { refused } from "./rekey-service";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const system = 2_764_800;

onEachStage("generated tokens", (stage, { to, engine, access, generate, works, isVault, mounted, toScheduler }) => {
  test("each token is new and has the rights of its role in the scheduler", async () => {
    const reader = await generate("reader");
    expect(reader).toMatchObject({ accessor: expect.stringMatching(uuid), secret: expect.stringMatching(uuid) });
    const register = async (secret: string): Promise<number> => {
      const Job = { ID: "creds", Name: "creds", Type: "batch", Datacenters: ["nowhere"], TaskGroups: [task] };
      return (await toScheduler("PUT", "jobs", secret, { Job })).status;
    };
    const task = { Name: "main", Count: 1, Tasks: [{ Name: "main", Driver: "mock_driver", Config: { run_for: "1s" } }] };
    expect(await works(reader.secret)).toBe(true);
    expect(await register(reader.secret)).toBe(403);

    const operator = await generate("operator");
    expect(await register(operator.secret)).toBe(200);

    // In Nomad, a policy that does not exist allows nothing. The specification requires that it exists.
    await engine("POST", "role/nobody", { policies: "no-such-policy" });
    if (isVault()) expect(await works((await generate("nobody")).secret)).toBe(false);
    else expect((await engine("GET", "creds/nobody")).json.errors[0]).toContain("policies not found: no-such-policy");

    const another = await generate("reader");
    expect(another.accessor).not.toBe(reader.accessor);
    expect(another.secret).not.toBe(reader.secret);
  });

  test("a token of a global role is valid in every region", async () => {
    await engine("POST", "role/traveller", { policies: "readonly", global: true });
    const [home, everywhere] = [await generate("reader"), await generate("traveller")];
    expect(await works(everywhere.secret)).toBe(true);
    const { sandbox } = stage();
    // The real Nomad of the suites has one region.
    if (!sandbox) return;
    sandbox.scheduler.seed({ region: "other", jobs: [{ ID: "far" }] });
    const far = async (secret: string): Promise<number> => (await toScheduler("GET", "jobs?region=other", secret)).status;
    expect([await far(home.secret), await far(everywhere.secret)]).toEqual([403, 200]);
  });

  test("the response contains the token, and in the hashicorp dialect its lease", async () => {
    const { answer } = await generate("reader");
    const data = { accessor_id: expect.stringMatching(uuid), secret_id: expect.stringMatching(uuid) };
    expect(answer.json).toEqual(
      isVault()
        ? {
            ...{ request_id: expect.stringMatching(uuid), renewable: true, lease_duration: system, data, ...mounted("nomad") },
            ...{ wrap_info: null, warnings: null, auth: null },
            lease_id: expect.stringMatching(new RegExp(`^${stage().mount}/creds/reader/[0-9A-Za-z]{24}$`)),
          }
        : { data },
    );
  });

  test("the lease configuration sets the duration, up to the system's maximum", async () => {
    if (!isVault()) return;
    const capped = (ttl: string, max: string): string[] => [
      `TTL of "${ttl}" exceeded the effective max_ttl of "${max}"; TTL value is capped accordingly`,
    ];
    for (const [ttl, max_ttl, lease_duration, warnings] of [
      ["10m", "1h", 600, null],
      ["0", "90m", 5400, capped("768h", "1h30m")],
      ["2h", "1h0m5s", 3605, capped("2h", "1h5s")],
      ["1000h", "0", system, capped("1000h", "768h")],
      ["1000h", "2000h", system, capped("1000h", "768h")],
    ] as const) {
      await engine("POST", "config/lease", { ttl, max_ttl });
      expect((await generate("reader")).answer.json).toMatchObject({ lease_duration, warnings });
    }
    await engine("DELETE", "config/lease");
    expect((await generate("reader")).answer.json.lease_duration).toBe(system);
  });

  test("invalid names and other methods are errors", async () => {
    for (const name of ["a%20b", "a-", "a/b", ""]) expect((await engine("GET", `creds/${name}`)).status).toBe(404);
    for (const method of ["POST", "PUT", "DELETE"])
      expect(await engine(method, "creds/reader", {})).toMatchObject(refused(405, "1 error occurred:\n\t* unsupported operation\n\n"));
  });

  test("a scheduler that is unreachable or rejects the request is an error", async () => {
    const { scheduler, sandbox } = stage();
    const { address } = scheduler;
    const { secret } = await generate("reader");
    const failed = (reason: string): object => refused(500, `1 error occurred:\n\t* ${reason}\n\n`);
    const denied = failed("Unexpected response code: 403 (Permission denied)");
    const bare = address.replace("http://", "");
    const refusing = 'Put "http://127.0.0.1:1/v1/acl/token": dial tcp 127.0.0.1:1: connect: connection refused';
    sandbox?.scheduler.loseLeader();
    if (sandbox) expect(await engine("GET", "creds/reader")).toMatchObject(failed("Unexpected response code: 500 (No cluster leader)"));
    sandbox?.scheduler.electLeader();
    for (const [more, response] of [
      [{ address: "http://127.0.0.1:1" }, failed(refusing)],
      [{ address: address.replace("http:", "https:") }, refused(500, /http: server gave HTTP response to HTTPS client/)],
      [{ address: bare }, failed(`invalid address '${bare}': parse "${bare}": first path segment in URL cannot contain colon`)],
      [{ address: "localhost:4646" }, failed('Put "localhost:///v1/acl/token": unsupported protocol scheme "localhost"')],
      // Only the scheme, host and port are used.
      [{ address: `${address}/` }, { status: 200 }],
      [{ address: `${address}/somewhere` }, { status: 200 }],
      [{ address: address.replace("127.0.0.1", "localhost") }, { status: 200 }],
      [{ token: "wrong" }, denied],
      [{ token: secret }, denied],
      ...(isVault() ? [[{ client_cert: "a certificate" }, failed("Both client cert and client key must be provided")] as const] : []),
      [{ client_cert: "a certificate", client_key: "a key" }, { status: 500 }],
    ] as const) {
      await access(more);
      expect([more, await engine("GET", "creds/reader")]).toMatchObject([more, response]);
    }
  });

  test("without an access configuration the server tries the scheduler's default address", async () => {
    // The specification has no request to delete it, so the engine is replaced.
    await to("DELETE", `sys/mounts/${stage().mount}`);
    await to("POST", `sys/mounts/${stage().mount}`, { type: isVault() ? "nomad" : "scheduler" });
    await engine("POST", "role/reader", { policies: "readonly" });
    const { status, json } = await engine("GET", "creds/reader");
    expect(status).toBe(500);
    expect(json.errors[0]).toContain('Put "http://127.0.0.1:4646/v1/acl/token"');
  });

  test("the token's name in the scheduler is truncated to the configured length", async () => {
    const name = "r".repeat(250);
    await engine("POST", `role/${name}`, { policies: "readonly" });
    expect(await works((await generate(name)).secret)).toBe(true);
    await access({ max_token_name_length: 300 });
    expect((await engine("GET", `creds/${name}`)).json.errors[0]).toContain("token name too long");
    // Vault itself rejects such a role.
    if (!isVault()) {
      await engine("POST", "role/both", { type: "management", policies: "readonly" });
      expect((await engine("GET", "creds/both")).json.errors[0]).toContain("management token cannot be associated with policies");
    }
    await access({ max_token_name_length: 64 });
    expect(await works((await generate(name)).secret)).toBe(true);
  });

  test("unmounting the secrets engine ends its tokens", async () => {
    const { secret } = await generate("operator");
    expect((await to("DELETE", `sys/mounts/${stage().mount}`)).status).toBe(204);
    expect(await works(secret)).toBe(false);
  });
});
