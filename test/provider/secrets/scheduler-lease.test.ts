import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";
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
    const refused = engine().up({ ttl: "1h", mount });
    await expect(refused).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    for (const data of [`"${mount}"`, "adopt: true", "pulumi up --replace", "deleteBeforeReplace: true"])
      await expect(refused).rejects.toThrow(data);
    const unchanged = engine().up({ ttl: "1h", mount, adopt: "unchanged" });
    await expect(unchanged).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "differs" }));
    await expect(unchanged).rejects.toThrow(/ ttl: 60 -> 3600\. /);
    expect((await outOfBand("GET", `${mount}/config/lease`)).data).toMatchObject({ ttl: 60, max_ttl: 7200 });
    expect(printed).toEqual([]);
    // The one that is not declared stays what it is.
    expect(await engine().up({ ttl: "1m", mount, adopt: "unchanged" })).toBe("create");
    expect(printed).toEqual([]);
    const lease = engine();
    await lease.up({ ttl: "1h", maxTtl: "1d", mount, adopt: true });
    expect(printed).toEqual(["ttl: 60 -> 3600", "maxTtl: 7200 -> 86400"].map((change) => expect.stringContaining(change)));
    expect(await lease.up({ ttl: "1h", maxTtl: "1d", mount })).toBe("same");
  });

  test("the error of an unreadable OpenAPI document names a way to create a lease with one attribute", async () => {
    const { sandbox, dialect, newMount } = current();
    const mount = await newMount();
    const refuseDocument = (): void => {
      const document = { path: /openapi/, action: "respond", status: 403, body: '{"errors":["permission denied"]}' } as const;
      sandbox?.faults.add({ system: "secrets", times: 10, ...document });
    };
    /** The inputs that make the read unnecessary. */
    const wayRound = { create: /adopt: true/, update: /\bttl and maxTtl\b/ };
    const expectRefusal = async (operation: Promise<unknown>, verb: "create" | "update"): Promise<void> => {
      if (!sandbox || dialect === "hashicorp") return expect(await operation).toBe(verb);
      const request = { method: "GET", path: `/v1/${mount}/config/lease`, status: 404 };
      await expect(operation).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "openapi-unreadable", ...request }));
      await expect(operation).rejects.toThrow("/v1/sys/internal/specs/openapi");
      await expect(operation).rejects.toThrow(wayRound[verb]);
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
