import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

describe.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("sys/mounts, %s", (dialect, type) => {
  const sandbox = freshSandbox({ dialect });
  const to = (method: string, path: string, body?: unknown) => call(sandbox().secrets, method, `/v1/${path}`, body);

  test("one secrets engine is mounted at the start, without configuration or roles", async () => {
    const { json } = await to("GET", "sys/mounts");
    expect(Object.keys(json.data)).toEqual([`${type}/`, "sys/"]);
    expect(json[`${type}/`]).toEqual(json.data[`${type}/`]);
    expect(json.data[`${type}/`]).toMatchObject({ type });
    for (const path of ["config/access", "config/lease", "role?list=true"]) expect((await to("GET", `${type}/${path}`)).status).toBe(404);
  });

  test("a nested mount has its own data, which is removed with it", async () => {
    expect((await to("POST", "sys/mounts/team/scheduler", { type, description: "ours" })).status).toBe(204);
    expect((await to("GET", "sys/mounts/team/scheduler")).json.data).toMatchObject({ type, description: "ours" });
    await to("POST", "team/scheduler/role/web", { policies: "a" });
    expect((await to("GET", "team/scheduler/role?list=true")).json.data.keys).toEqual(["web"]);
    expect((await to("GET", `${type}/role/web`)).status).toBe(404);
    for (const path of ["team", "team/scheduler2/role/web"])
      expect((await to("GET", path)).json.errors).toEqual([`no handler for route "${path}". route entry not found.`]);
    expect((await to("DELETE", "sys/mounts/team/scheduler")).status).toBe(204);
    expect((await to("GET", "team/scheduler/role/web")).json.errors[0]).toMatch(/^no handler/);
    await to("PUT", "sys/mounts/team/scheduler/", { type });
    await to("PUT", "sys/mounts/team/scheduler", { type });
    expect((await to("GET", "team/scheduler/role/web")).json.errors).toEqual([]);
  });

  test.each([
    ["POST", "sys/mounts/nope", { type: "nope" }, 400, "plugin not found in the catalog: nope"],
    ["POST", "sys/mounts/nope", {}, 400, "backend type must be specified as a string"],
    ["POST", "sys/mounts/sys/x", { type }, 400, 'cannot mount "sys/x/"'],
    ["POST", `sys/mounts/${type}`, { type }, 400, `path is already in use at ${type}/`],
    ["POST", `sys/mounts/${type}/inner`, { type }, 400, `path is already in use at ${type}/`],
    ["GET", "sys/mounts/none", undefined, 400, "No secret engine mount at none/"],
    ["DELETE", "sys/mounts/sys", undefined, 400, 'cannot unmount "sys/"'],
  ])("%s %s %j is rejected", async (method, path, body, status, message) => {
    expect(await to(method, path, body)).toMatchObject({ status, json: { errors: [message] } });
  });

  test("a mount cannot contain another one, similar names are independent, and a second delete succeeds", async () => {
    await to("POST", "sys/mounts/team/scheduler", { type });
    expect((await to("POST", "sys/mounts/team", { type })).json.errors).toEqual(["path is already in use at team/scheduler/"]);
    expect((await to("POST", `sys/mounts/${type}ic`, { type })).status).toBe(204);
    for (const _ of [1, 2]) expect((await to("DELETE", `sys/mounts/${type}ic`)).status).toBe(204);
    expect((await to("POST", "sys/mounts", {})).status).toBe(405);
    expect((await to("GET", "sys/mounts?list=true")).status).toBe(404);
  });
});
