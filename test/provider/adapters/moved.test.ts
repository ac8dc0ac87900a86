import { engine, hold, other, sandbox, sent, to } from "./two-sandboxes";

describe("the server that a resource was written to", () => {
  const role = { name: "web", policies: ["a"] };

  test("is recorded; another address under the same name stops every operation with one sentence", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    expect(resource.state?.outputs.server).toBe(sandbox.secrets.url);
    resource.configure({ "steward:default": to(other) });
    const moved = `it was written to ${sandbox.secrets.url}, and the connection "default" now names ${other.secrets.url}. Correct the connection's address; or, where it is the same installation under a new one, set acceptMoved: true beside the address in steward:default`;
    await expect(resource.preview(role)).rejects.toThrow(`Cannot update scheduler role "web": ${moved}`);
    await expect(resource.refresh()).rejects.toThrow(`Cannot read scheduler role "web": ${moved}`);
    await expect(resource.destroy()).rejects.toThrow(`Cannot delete scheduler role "web": ${moved}`);
    expect(resource.state).toBeDefined();
    expect(sent(other)).toEqual([]);
  });

  test("is recorded anew when acceptMoved says that it is the same installation", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:default": to(other, { acceptMoved: true }) });
    expect(await resource.up(role)).toBe("update");
    resource.configure({ "steward:default": to(other) });
    expect(await resource.up(role)).toBe("same");
    expect(await resource.refresh()).toEqual([]);
  });

  test("a connection merely renamed sends nothing and replaces nothing", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:renamed": to(sandbox) });
    const before = sent().length;
    expect(await resource.up({ ...role, connection: "renamed" })).toBe("update");
    expect(sent()).toHaveLength(before);
    expect(await resource.refresh()).toEqual([]);
    await resource.destroy();
    expect(await hold(sandbox, "nomad/role/web")).toBe(404);
  });

  test("a connection renamed together with another change is recorded", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:renamed": to(sandbox) });
    const changed = { ...role, policies: ["other"], connection: "renamed" };
    expect(await resource.up(changed)).toBe("update");
    expect(await resource.up(changed)).toBe("same");
    expect(await resource.refresh()).toEqual([]);
  });

  test("a connection to another server replaces", async () => {
    const resource = engine("SchedulerRole", { "steward:default": to(sandbox), "steward:other": to(other) });
    await resource.up(role);
    expect(await resource.up({ ...role, connection: "other" })).toBe("replace");
    expect([await hold(sandbox, "nomad/role/web"), await hold(other, "nomad/role/web")]).toEqual([404, 200]);
  });

  test("a changed mount of the connection replaces", async () => {
    const mounts = `${sandbox.secrets.url}/v1/sys/mounts/team/nomad`;
    await fetch(mounts, { method: "POST", headers: { "X-Vault-Token": sandbox.secrets.token }, body: '{"type":"nomad"}' });
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:default": to(sandbox, { mount: "team/nomad" }) });
    expect(await resource.preview(role)).toMatchObject({ operation: "replace", replaces: ["mount"] });
    await resource.up(role);
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "team/nomad/role/web")]).toEqual([404, 200]);
  });
});

test("two names of one server: the old resource goes before the new one comes", async () => {
  const local = to(sandbox, { address: sandbox.secrets.url.replace("127.0.0.1", "localhost") });
  const resource = engine("SchedulerRole", { "steward:default": to(sandbox), "steward:local": local });
  await resource.up({ name: "web", policies: ["a"], adopt: true });
  expect(await resource.up({ name: "web", policies: ["a"], adopt: true, connection: "local" })).toBe("replace");
  expect(await hold(sandbox, "nomad/role/web")).toBe(200);
});
