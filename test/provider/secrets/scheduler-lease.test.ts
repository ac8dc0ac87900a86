import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { onEachTarget } from "../../support/target";

onEachTarget("SchedulerLease", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerLease", current().config());

  test("is created, updated, replaced, removed outside Pulumi and deleted", async () => {
    const { outOfBand, newMount } = current();
    const [mount, other] = [await newMount(), await newMount()];
    const lease = engine();
    expect(await lease.up({ ttl: "1h", maxTtl: "24h", mount })).toBe("create");
    expect(lease.outputs()).toEqual({ ttl: 3600, maxTtl: 86400, mount });
    expect(lease.state?.id).toBe(`${mount}/config/lease`);
    expect(await lease.refresh()).toEqual([]);
    expect(await lease.up({ ttl: "1h", maxTtl: "24h", mount })).toBe("same");
    expect(await lease.up({ ttl: "90s", maxTtl: "24h", mount })).toBe("update");
    expect((await outOfBand("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 90, max_ttl: 86400 });

    expect(await lease.preview({ ttl: "90s", mount: other })).toMatchObject({
      operation: "replace",
      replaces: ["mount"],
      deleteBeforeReplace: true,
    });
    expect(await lease.up({ ttl: "90s", mount: `/${other}/` })).toBe("replace");
    expect((await outOfBand("GET", `${mount}/config/lease`)).status).toBe(404);
    expect((await outOfBand("GET", `${other}/config/lease`)).data).toMatchObject({ ttl: 90, max_ttl: 0 });

    await outOfBand("DELETE", `${other}/config/lease`);
    expect(await lease.refresh()).toBe("gone");
    await lease.up({ ttl: "90s", mount: other });
    await outOfBand("DELETE", `${other}/config/lease`);
    await lease.destroy();
  });

  test("durations are compared by value", async () => {
    const mount = await current().newMount();
    const lease = engine();
    await lease.up({ ttl: "1h", maxTtl: 86400, mount });
    for (const ttl of ["60m", "3600", 3600, "3600s", "0.5h30m"]) expect(await lease.up({ ttl, maxTtl: "1d", mount })).toBe("same");
  });

  test("each attribute changed outside Pulumi is drift, and up repairs it", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const lease = engine();
    const inputs = { ttl: "1h", maxTtl: "24h", mount };
    await lease.up(inputs);
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 86400 });
    expect(await lease.refresh()).toEqual(["ttl"]);
    expect(await lease.up(inputs)).toBe("update");
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 3600, max_ttl: 7200 });
    expect(await lease.refresh()).toEqual(["maxTtl"]);
    expect(await lease.up(inputs)).toBe("update");
    expect(await lease.refresh()).toEqual([]);
  });

  test("an undeclared attribute follows the server and keeps its value", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 7200 });
    const lease = engine();
    await lease.up({ ttl: "1h", mount, adopt: true });
    expect((await outOfBand("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 3600, max_ttl: 7200 });
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 3600, max_ttl: 9000 });
    expect(await lease.refresh()).toEqual([]);
    expect(lease.outputs()).toMatchObject({ maxTtl: 9000 });
    await lease.up({ ttl: "2h", mount });
    expect((await outOfBand("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 7200, max_ttl: 9000 });
  });

  test("one that exists is not taken over without adopt", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 7200 });
    await expect(engine().up({ ttl: "1h", mount })).rejects.toMatchObject({
      code: "ERR_ALREADY_EXISTS",
      message: `Cannot create scheduler lease configuration "${mount}": the engine has a lease configuration already. If you renamed the resource, give it an alias of its old name. Otherwise set adopt: true to overwrite it; destroying the resource then brings the service's defaults back. To replace it with \`pulumi up --replace\`, set the resource option deleteBeforeReplace: true.`,
    });
    await expect(engine().up({ ttl: "1h", mount, adopt: "unchanged" })).rejects.toMatchObject({
      code: "ERR_ALREADY_EXISTS",
      message: expect.stringContaining("adopting it would change ttl: 60 -> 3600. Declare what is there"),
    });
    expect((await outOfBand("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 60, max_ttl: 7200 });
    expect(printed).toEqual([]);
    // The one that is not declared stays what it is.
    expect(await engine().up({ ttl: "1m", mount, adopt: "unchanged" })).toBe("create");
    expect(printed).toEqual([]);
    const lease = engine();
    await lease.up({ ttl: "1h", maxTtl: "1d", mount, adopt: true });
    expect(printed).toEqual(
      ["ttl: 60 -> 3600", "maxTtl: 7200 -> 86400"].map(
        (change) => `scheduler lease configuration "${mount}": adopting it changes ${change}.`,
      ),
    );
    expect(await lease.up({ ttl: "1h", maxTtl: "1d", mount })).toBe("same");
  });

  test("the error of an unreadable OpenAPI document names a way to create a lease with one attribute", async () => {
    const { sandbox, dialect, newMount } = current();
    const mount = await newMount();
    const refuseDocument = (): void => {
      const document = { path: /openapi/, action: "respond", status: 403, body: '{"errors":["permission denied"]}' } as const;
      sandbox?.faults.add({ system: "secrets", times: 10, ...document });
    };
    const wayRound = {
      create: "With adopt: true it is created without this proof.",
      update: "Or declare both ttl and maxTtl: then nothing is read first.",
    };
    const expectRefusal = async (operation: Promise<unknown>, verb: "create" | "update"): Promise<void> => {
      const refused = await operation.catch((error) => error.message);
      if (!sandbox || dialect === "hashicorp") expect(["create", "update"]).toContain(refused);
      else
        expect(refused).toBe(
          `Cannot ${verb} scheduler lease configuration "${mount}": the server gave no reason (GET /v1/${mount}/config/lease, 404). Only the OpenAPI document can prove that it does not exist, and it cannot be read: allow the token to read /v1/sys/internal/specs/openapi. ${wayRound[verb]}`,
        );
    };
    for (const inputs of [{ ttl: "1h" }, { maxTtl: "1h" }]) {
      refuseDocument();
      await expectRefusal(engine().up({ ...inputs, mount }), "create");
      expect(await engine().up({ ...inputs, mount, adopt: true })).toBe("create");
      await current().outOfBand("DELETE", `${mount}/config/lease`);
      sandbox?.faults.clear();
    }
    sandbox?.faults.clear();
    // An attribute that leaves the program is read as well.
    const lease = engine();
    await lease.up({ ttl: "1h", maxTtl: "1h", mount });
    await current().outOfBand("DELETE", `${mount}/config/lease`);
    refuseDocument();
    await expectRefusal(lease.up({ ttl: "1h", mount }), "update");
    sandbox?.faults.clear();
  });

  test("get reads the lease and manages nothing", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 7200 });
    const lease = engine();
    expect(await lease.get(`${mount}/config/lease`)).toEqual({ ttl: 60, maxTtl: 7200, mount });
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 61, max_ttl: 7200 });
    await lease.refresh();
    expect(lease.outputs()).toMatchObject({ ttl: 61 });
  });
});

test.each([
  ["standard", { ttl: "1h", maxTtl: 86400 }, { ttl: "3600s", max_ttl: "86400s" }],
  ["hashicorp", { ttl: "1h", maxTtl: 86400 }, { ttl: "3600s", max_ttl: "86400s" }],
  ["standard", { ttl: 0, maxTtl: "90" }, { ttl: "0s", max_ttl: "90s" }],
] as const)("both are sent as strings with a unit (%s, %j)", async (dialect, inputs, sent) => {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method === "POST") bodies.push(JSON.parse(body));
    response.writeHead(request.method === "POST" ? 204 : 404).end(request.method === "POST" ? undefined : '{"errors":[]}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lease = new Engine("secrets:SchedulerLease", { "steward:default": { secrets: { address, token: "t", dialect } } });
    expect(await lease.up({ ...inputs, adopt: true })).toBe("create");
    expect(bodies).toEqual([sent]);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});
