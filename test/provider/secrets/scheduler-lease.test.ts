import { text } from "node:stream/consumers";
import { Engine } from "../../support/engine";
import "../../support/printed";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";
import { serveAt } from "../http/exchange";

onEachTarget("SchedulerLease", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerLease", current().config());

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

  test("the error of an unreadable OpenAPI document names a way to create a lease with one attribute", async () => {
    const { sandbox, dialect, outOfBand, newMount } = current();
    // Vault's 404 proves that no lease configuration exists.
    if (!sandbox || dialect === "hashicorp") return;
    const mount = await newMount();
    const lease = engine();
    const both = { ttl: "1h", maxTtl: "1h", mount };
    await lease.up(both);
    await outOfBand("DELETE", `${mount}/config/lease`);
    const document = { path: /openapi/, action: "respond", status: 403, body: '{"errors":["permission denied"]}' } as const;
    sandbox.faults.add({ system: "secrets", times: Number.POSITIVE_INFINITY, ...document });
    const request = { method: "GET", path: `/v1/${mount}/config/lease`, status: 404 };
    const unreadable = refusal("ERR_NOT_FOUND", { rule: "openapi-unreadable", ...request });
    const expectRefusal = async (refused: Promise<unknown>): Promise<void> => {
      for (const part of [unreadable, "/v1/sys/internal/specs/openapi", "A create with adopt: true needs no proof"])
        await expect(refused).rejects.toThrow(part);
    };
    // An attribute that is removed from the program is read as well.
    await expectRefusal(lease.up({ ttl: "1h", mount }));
    for (const inputs of [{ ttl: "1h" }, { maxTtl: "1h" }]) {
      await expectRefusal(engine().up({ ...inputs, mount }));
      expect(await engine().up({ ...inputs, mount, adopt: true })).toBe("create");
      await outOfBand("DELETE", `${mount}/config/lease`);
    }
    sandbox.faults.clear();
  });
});

test.each([
  ["standard", { ttl: "1h", maxTtl: 86400 }, { ttl: "3600s", max_ttl: "86400s" }],
  ["hashicorp", { ttl: "1h", maxTtl: 86400 }, { ttl: "3600s", max_ttl: "86400s" }],
  ["standard", { ttl: 0, maxTtl: "90" }, { ttl: "0s", max_ttl: "90s" }],
] as const)("both are sent as strings with a unit (%s, %j)", async (dialect, inputs, sent) => {
  const bodies: unknown[] = [];
  const address = await serveAt(async (request, response) => {
    const body = await text(request);
    if (request.method === "GET") return response.writeHead(404).end('{"errors":[]}');
    bodies.push(JSON.parse(body));
    response.writeHead(204).end();
  });
  const lease = new Engine("secrets:SchedulerLease", { "steward:default": { secrets: { address, dialect } } });
  expect(await lease.up({ ...inputs, adopt: true })).toBe("create");
  expect(bodies).toEqual([sent]);
});

test.each([{}, { ttl: 60 }, { max_ttl: 7200 }, { ttl: 60, max_ttl: null }, { ttl: 60, max_ttl: "1w" }])(
  "no operation takes the response %j for a lease configuration",
  async (data) => {
    const writes: string[] = [];
    const address = await serveAt((request, response) => {
      if (request.method === "GET") return response.end(JSON.stringify({ data }));
      writes.push(request.method ?? "");
      response.writeHead(204).end();
    });
    const lease = (): Engine => new Engine("secrets:SchedulerLease", { "steward:default": { secrets: { address, dialect: "hashicorp" } } });
    const unexpected = refusal("ERR_UNEXPECTED_RESPONSE", { method: "GET", path: "/v1/nomad/config/lease" });
    await expect(lease().up({ ttl: 120, adopt: true })).rejects.toThrow(unexpected);
    await expect(lease().get("nomad/config/lease")).rejects.toThrow(unexpected);
    expect(writes).toEqual([]);
  },
);
