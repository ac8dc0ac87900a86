import { text } from "node:stream/consumers";
import { Engine } from "../../support/engine";
import "../../support/printed";
import { refusal } from "../../support/refusal";
import { atNewMount, onEachTarget } from "../../support/target";
import { serveAt } from "../http/exchange";

onEachTarget("SchedulerLease", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerLease", current().config());

  test("an undeclared attribute follows the server and keeps its value", async () => {
    const { outOfBand, mount } = await atNewMount(current());
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

  test("needs no OpenAPI document, and no adopt, for one attribute of a lease that is gone", async () => {
    const { sandbox, outOfBand, mount } = await atNewMount(current());
    await outOfBand("POST", `${mount}/role/theirs`, { policies: "a", type: "client" });
    const lease = engine();
    await lease.up({ ttl: "1h", maxTtl: "1h", mount });
    await outOfBand("DELETE", `${mount}/config/lease`);
    const before = sandbox?.requests().length;
    // An attribute that is removed from the program is read as well.
    expect(await lease.up({ ttl: "1h", mount })).toBe("update");
    await outOfBand("DELETE", `${mount}/config/lease`);
    expect(await engine().up({ maxTtl: "1h", mount })).toBe("create");
    expect(
      sandbox
        ?.requests()
        .slice(before)
        .some(({ path }) => path.includes("openapi")) ?? false,
    ).toBe(false);
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
