import { certificate, privateKey } from "../../support/certificates";
import { Story, storyForEach } from "../../support/story";
import { onEachTarget } from "../../support/target";

onEachTarget("a stack of the secrets service", (current) => {
  const stage = storyForEach(current);

  test("an exclusive set: refresh reports an undeclared role, preview plans its removal, and up removes it", async () => {
    const { project, mount } = stage();
    const { outOfBand } = current();
    project.program(
      `new secrets.SchedulerRoles("set", { roles: { ours: { policies: ["one"] } }, exclusive: true, mount: ${JSON.stringify(mount)} });`,
    );
    await project.up();
    await project.expectConverged();
    await outOfBand("POST", `${mount}/role/theirs`, { policies: "x", type: "client" });
    expect((await project.refresh()).changes).toContain("+ theirs: {");
    expect((await project.preview()).changes).toContain("- theirs: {");
    await project.up();
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys).toEqual(["ours"]);
    await project.expectConverged();
  });

  test("refresh of an exclusive set names roles that Pulumi hides, and fails for names that Pulumi cannot store", async () => {
    const { project, mount } = stage();
    const { outOfBand, dialect } = current();
    // Pulumi treats names alike in both dialects.
    if (dialect === "standard") return;
    project.program(
      `new secrets.SchedulerRoles("set", { roles: { ours: { policies: ["one"] } }, exclusive: true, mount: ${JSON.stringify(mount)} });`,
    );
    await project.up();
    await outOfBand("POST", `${mount}/role/__proto__`, { policies: "x", type: "client" });
    const refused = await project.pulumi("refresh", "--yes", "--skip-preview", "--diff");
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/error: .*: "__proto__"\./);
    await outOfBand("DELETE", `${mount}/role/__proto__`);
    await outOfBand("POST", `${mount}/role/__hidden`, { policies: "x", type: "client" });
    expect((await project.refresh()).output).toMatch(/warning: .* __hidden\b/);
    expect((await project.preview()).output).toMatch(/warning: .* __hidden\b/);
    await project.up();
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys).toEqual(["ours"]);
  });

  test("a forced replacement that fails names deleteBeforeReplace, with which it succeeds", async () => {
    const { project, mount } = stage();
    const { outOfBand, dialect } = current();
    // Pulumi behaves alike in both dialects.
    if (dialect === "standard") return;
    const source = (options: string): Story =>
      project.program(`
        new secrets.SchedulerAccess("access", { address: "http://127.0.0.1:4646", token: "canary-token", mount: ${JSON.stringify(mount)} }, ${options});
        new secrets.SchedulerRole("web", { name: "web", policies: ["a"], mount: ${JSON.stringify(mount)} }, ${options});`);
    await source("{}").up();
    const urns = (await project.resources()).map(({ urn }) => urn).filter((urn) => /::(access|web)$/.test(urn));
    const replace = ["up", "--yes", "--skip-preview", ...urns.flatMap((urn) => ["--replace", urn])];
    const refused = await project.pulumi(...replace, "--continue-on-error");
    expect(refused.code).not.toBe(0);
    const needed = /adopt: true [^\n]*`pulumi up --replace`[^\n]* deleteBeforeReplace: true\./;
    for (const type of ["access configuration", "role"])
      expect(refused.output).toMatch(new RegExp(`scheduler ${type} [^\n]*${needed.source}`));
    expect((await source("{ deleteBeforeReplace: true }").pulumi(...replace)).output).toMatch(/\+-2 replaced/);
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address).toBe("http://127.0.0.1:4646");
    expect((await outOfBand("GET", `${mount}/role/web`)).status).toBe(200);
    await project.expectConverged();
  });

  test("a changed mount replaces the resources, and a renamed connection replaces nothing", async () => {
    const { project, mount } = stage();
    const { address, dialect, newMount, outOfBand } = current();
    const connection = { secrets: { address, tokenEnv: "STEWARD_TOKEN", dialect } };
    const source = (where: string, name: string): string => `
      new secrets.SchedulerLease("lease", { ttl: "1h", mount: ${JSON.stringify(where)}, connection: ${JSON.stringify(name)} });
      new secrets.SchedulerRole("web", { name: "web", policies: ["a"], mount: ${JSON.stringify(where)}, connection: ${JSON.stringify(name)} });`;
    await project.config({ "steward:one": connection }).program(source(mount, "one")).up();

    const renamed = project.config({ "steward:two": connection }).program(source(mount, "two"));
    expect((await renamed.preview()).output).toMatch(/~ 2 to update/);
    await renamed.up();
    await renamed.expectConverged();

    const other = await newMount();
    expect((await renamed.program(source(other, "two")).preview()).output).toMatch(/\+-2 to replace/);
    await renamed.up();
    await renamed.expectConverged();
    expect((await outOfBand("GET", `${mount}/config/lease`)).status).toBe(404);
    expect((await outOfBand("GET", `${other}/config/lease`)).data).toMatchObject({ ttl: 3600 });
    await renamed.destroy();
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

  test("invalid input and rejections print one sentence without a stack trace, and the next up converges", async () => {
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
