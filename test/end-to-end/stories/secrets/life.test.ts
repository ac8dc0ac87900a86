import { storyForEach } from "../../../support/story";
import { onEachTarget } from "../../../support/target";

const program = (mount: string): string => `
  const mount = ${JSON.stringify(mount)};
  new secrets.SchedulerAccess("access", { address: "http://127.0.0.1:4646", token: "canary-management", maxTokenNameLength: 128, mount });
  new secrets.SchedulerLease("lease", { ttl: "1h", maxTtl: "24h", mount });
  const web = new secrets.SchedulerRole("web", { name: "web", policies: ["read"], global: true, mount });
  new secrets.SchedulerRole("admin", { name: "admin", type: "management", mount });
  new secrets.SchedulerRoles("set", { roles: { a: { policies: ["one", "two"] }, b: { policies: ["two"] } }, mount });
  exports.policies = web.policies;
  exports.names = secrets.listSchedulerRoles({ mount });
`;

onEachTarget("a stack of the Nomad secrets engine's resources", (current) => {
  const stage = storyForEach(current);

  test("refresh reports exactly the drift of each readable attribute, up reverts it, and destroy removes everything", async () => {
    const { project, mount } = stage();
    const { dialect, outOfBand } = current();
    const shown = dialect === "hashicorp";
    project.program(program(mount));
    await project.up();
    await project.expectConverged();
    expect(await project.outputs()).toEqual({ policies: ["read"], names: [] });
    expect(project.stored()).not.toContain("canary-management");
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys).toEqual(["a", "admin", "b", "web"]);

    const access = { address: "http://127.0.0.1:4646", max_token_name_length: 128 };
    const web = { policies: "read", type: "client", global: true };
    const rounds: { change: () => Promise<unknown>[]; drift: string[] }[] = [
      {
        change: () => [
          outOfBand("POST", `${mount}/config/access`, { ...access, address: "http://127.0.0.1:4647" }),
          outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 86400 }),
          outOfBand("POST", `${mount}/role/web`, { ...web, policies: "more" }),
          outOfBand("POST", `${mount}/role/b`, { policies: "two,three", type: "client" }),
        ],
        drift: [
          '~ address: "http://127.0.0.1:4646" => "http://127.0.0.1:4647"',
          "~ ttl: 3600 => 60",
          "~ policies: [",
          '~ [0]: "read" => "more"',
          "~ roles: {",
          "~ b: {",
          "~ policies: [",
          '+ [1]: "three"',
        ],
      },
      {
        change: () => [
          outOfBand("POST", `${mount}/config/access`, { ...access, max_token_name_length: 64 }),
          outOfBand("POST", `${mount}/config/lease`, { ttl: 3600, max_ttl: 7200 }),
          outOfBand("POST", `${mount}/role/web`, { ...web, global: false }),
          outOfBand("POST", `${mount}/role/admin`, { policies: "", type: "management", global: true }),
          outOfBand("DELETE", `${mount}/role/a`),
        ],
        drift: [
          ...(shown ? ["~ maxTokenNameLength: 128 => 64"] : []),
          "~ maxTtl: 86400 => 7200",
          // The API document does not show `global` when a role is read.
          ...(shown ? ["~ global: true => false", "~ global: false => true"] : []),
          "~ roles: {",
          "- a: {",
          "- global: false",
          "- policies: [",
          '- [0]: "one"',
          '- [1]: "two"',
          '- type: "client"',
        ],
      },
      {
        change: () => [
          outOfBand("POST", `${mount}/role/web`, { policies: "", type: "management", global: true }),
          outOfBand("POST", `${mount}/role/b`, { policies: "", type: "management" }),
        ],
        drift: [
          "~ policies: [",
          '- [0]: "read"',
          '~ type: "client" => "management"',
          "~ roles: {",
          "~ b: {",
          "~ policies: [",
          '- [0]: "two"',
          '~ type: "client" => "management"',
        ],
      },
    ];
    for (const { change, drift } of rounds) {
      await Promise.all(change());
      const refreshed = await project.refresh();
      expect(refreshed.changes.sort()).toEqual(drift.sort());
      expect(refreshed.output).not.toContain("canary-management");
      expect((await project.preview()).changes.length).toBeGreaterThan(0);
      await project.up();
      await project.expectConverged();
    }

    await project.destroy();
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys ?? []).toEqual([]);
    expect((await outOfBand("GET", `${mount}/config/lease`)).status).toBe(404);
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address ?? "").toBe("");
  });
});
