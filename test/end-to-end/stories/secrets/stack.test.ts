import { certificate, privateKey } from "../../../support/certificates";
import { storyForEach } from "../../../support/story";
import { onEachTarget } from "../../../support/target";

onEachTarget("a stack of Vault", (current) => {
  const stage = storyForEach(current);

  test("an exclusive set: refresh reports undeclared roles, names hidden ones, and fails for a name that Pulumi cannot store", async () => {
    const { project, mount } = stage();
    const { outOfBand } = current();
    const create = (name: string): Promise<unknown> => outOfBand("POST", `${mount}/role/${name}`, { policies: "x", type: "client" });
    project.program(
      `new secrets.SchedulerRoles("set", { roles: { ours: { policies: ["one"] } }, exclusive: true, mount: ${JSON.stringify(mount)} });`,
    );
    await project.up();
    await create("__proto__");
    const refused = await project.pulumi("refresh", "--yes", "--skip-preview", "--diff");
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/error: .*: "__proto__"\./);
    await outOfBand("DELETE", `${mount}/role/__proto__`);
    for (const name of ["theirs", "__hidden"]) await create(name);
    const { changes } = await project.refresh();
    expect(changes).toEqual(["+ undeclared: [", '+ [0]: "__hidden"', '+ [1]: "theirs"']);
    expect((await project.preview()).output).toMatch(/roles: __hidden, theirs will be deleted/);
    await project.up();
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys).toEqual(["ours"]);
    await project.expectConverged();
  });

  test("get reads objects of other owners, follows their changes, and destroy leaves them", async () => {
    const { project, mount } = stage();
    const { outOfBand } = current();
    await outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:4646", token: "canary-theirs" });
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
    await project
      .program(
        `const role = secrets.SchedulerRole.get("web", ${JSON.stringify(`${mount}/role/web`)});
         secrets.SchedulerAccess.get("access", ${JSON.stringify(`${mount}/config/access`)});
         secrets.SchedulerRoles.get("all", ${JSON.stringify(`${mount}/role`)});
         exports.policies = role.policies;`,
      )
      .up();
    expect(await project.outputs()).toEqual({ policies: ["theirs"] });
    await project.expectConverged();
    await outOfBand("POST", `${mount}/role/web`, { policies: "newer", type: "client" });
    expect((await project.refresh()).changes).toContain('~ [0]: "theirs" => "newer"');
    expect(project.stored()).not.toContain("canary");
    await project.destroy();
    expect((await outOfBand("GET", `${mount}/role/web`)).status).toBe(200);
  });

  test("a secret removed from the program leaves no plaintext in the state", async () => {
    const { project, mount } = stage();
    const source = (more: object): string =>
      `new secrets.SchedulerAccess("access", ${JSON.stringify({ address: "http://127.0.0.1:4646", token: "canary-token-1", mount, ...more })});`;
    await project.program(source({ clientCert: certificate, clientKey: privateKey })).up();
    await project.refresh("--expect-no-changes");
    await project.program(source({})).up();
    await project.refresh("--expect-no-changes");
    await project.program(source({ token: "canary-token-2" })).up();
    await project.expectConverged();
    const stored = project.stored();
    expect(stored).not.toContain("canary-token");
    expect(stored).not.toContain("PRIVATE KEY");
    expect(stored).toContain("BEGIN CERTIFICATE");
  });

  test("a secret token in the configuration serves resources and functions and is stored nowhere in plaintext", async () => {
    const { project, mount } = stage();
    const { address, dialect, token } = current();
    project
      .config({ "steward:default": { secrets: { address, dialect, mount } } })
      .program(`new secrets.SchedulerLease("lease", { ttl: "1h" }); exports.names = secrets.listSchedulerRoles();`);
    await project.set("steward:default.secrets.token", token, "--secret", "--path");
    await project.up();
    await project.expectConverged();
    expect(await project.outputs()).toEqual({ names: [] });
    expect(project.stored()).not.toContain(token);
    expect(project.stored()).toContain(`${mount}/config/lease`);
  });

  test("invalid input and rejections print one message without a stack trace, and the next up converges", async () => {
    const { project, mount } = stage();
    const { outOfBand } = current();
    const bad = await project
      .program(
        `new secrets.SchedulerAccess("access", { address: "nowhere", token: { canary: "canary-value" }, clientKey: "canary-key", mount: "" });`,
      )
      .pulumi("preview");
    expect(bad.code).not.toBe(0);
    for (const path of ["address", "token", "clientKey", "mount"]) expect(bad.output).toMatch(new RegExp(`: ${path}: `));
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
    const role = (more: string): string =>
      `new secrets.SchedulerRole("web", { name: "web", policies: ["ours"], mount: ${JSON.stringify(mount)}${more} });`;
    const taken = await project.program(role("")).pulumi("up", "--yes", "--skip-preview");
    expect(taken.output).toMatch(new RegExp(`error: .*"web": .*"${mount}".* adopt: true `));
    const unknown = await project.program(`exports.names = secrets.listSchedulerRoles({ connection: "none" });`).pulumi("preview");
    expect(unknown.output).toMatch(/ secrets .*"none"/);
    for (const { output } of [bad, taken, unknown]) {
      expect(output).not.toMatch(/^\s+at .*[:)]\d*/m);
      expect(output).not.toContain("canary");
    }
    await project.program(role(", adopt: true")).up();
    await project.expectConverged();
  });
});
