import { attributeCases, complete, hidden, kinds } from "../../../provider/platform/attributes";
import { onEachPlatform } from "../../../support/platform";
import { Story, storyOnPlatform } from "../../../support/story";

const of = (settings: string): typeof attributeCases => attributeCases.filter((each) => each.settings === settings);
const classes: Record<string, string> = Object.fromEntries(attributeCases.map(({ settings, token }) => [settings, token]));
const literal = (value: unknown): string => JSON.stringify(value);

onEachPlatform("a stack of the platform's resources", (current) => {
  let project: Story;
  beforeEach(() => {
    project = storyOnPlatform(current());
  });
  afterEach(() => project.remove());

  test("refresh reports drift of exactly the changed attributes, up reverts it, and destroy restores the original values", async () => {
    const { held, change, service, requests } = current();
    const before: Record<string, unknown> = {};
    for (const settings of kinds) before[settings] = await held(settings);
    const declared = (settings: string): Record<string, unknown> =>
      Object.fromEntries(of(settings).map(({ attribute, declared: value }) => [attribute, value]));
    const source = kinds.map(
      (settings) => `new platform.${classes[settings]}("${settings}", ${literal({ ...declared(settings), ...hidden[settings] })});`,
    );
    project.program(source.join("\n"));
    expect(await requests(() => project.preview())).toEqual([]);
    const created = await requests(() => project.up());
    expect(created.filter((each) => each.startsWith("GET"))).toHaveLength(kinds.length);
    expect(created.filter((each) => each.startsWith("PATCH"))).toHaveLength(kinds.length);
    for (const settings of kinds) expect(await held(settings)).toMatchObject(declared(settings));
    expect(service.mail.sent()).toHaveLength(1);
    const again = await requests(() => project.expectConverged());
    expect(again.filter((each) => !each.startsWith("GET"))).toEqual([]);
    for (const secret of ["canary-mail", "canary-sms", "secret-2", "client-secret-2", "private_key"])
      expect(project.stored()).not.toContain(secret);

    for (const settings of kinds)
      await change(settings, Object.fromEntries(of(settings).map(({ attribute, outOfBand }) => [attribute, outOfBand])));
    const refreshed = await project.refresh();
    const named = refreshed.changes.map((line) => /^[~+-] (\w+)\s*:/.exec(line)?.[1]).filter(Boolean);
    // The engine shows all changed outputs of a drifted resource except secrets.
    const secrets = ["cloudASecretKey", "cloudBCredentials", "cloudCClientSecret"];
    const shown = attributeCases.map(({ attribute }) => attribute).filter((attribute) => !secrets.includes(attribute));
    expect(named.sort()).toEqual([...shown, "oldIdpCert"].sort());
    for (const secret of secrets) expect(refreshed.output).toContain(`cost estimation settings "cost-estimation": the secret ${secret} `);
    for (const secret of ["secret-2", "secret-3", "private_key"]) {
      expect(refreshed.output).not.toContain(secret);
      expect(project.stored()).not.toContain(secret);
    }

    expect(await requests(() => project.up())).toHaveLength(kinds.length);
    for (const settings of kinds) expect(await held(settings)).toMatchObject(declared(settings));
    expect(service.mail.sent()).toHaveLength(2);
    await project.expectConverged();

    const destroyed = await project.destroy();
    expect(destroyed.output).toContain('warning: SMTP settings "smtp": password ');
    for (const settings of kinds) {
      const { oldIdpCert: _now, ...after } = await held(settings);
      const { oldIdpCert: _then, ...expected } = before[settings] as Record<string, unknown>;
      expect(after).toEqual(expected);
    }
    expect(service.mail.sent()).toHaveLength(2);
  });

  test("actions run once and in the program's order, and a workspace is adopted and destroyed", async () => {
    const { requests, service, change, outOfBand } = current();
    await change("sms", { ...complete.sms, enabled: true });
    const source = (trigger: string): string => `
      const rotation = new platform.OidcKeyRotation("rotate", { triggers: [${literal(trigger)}] });
      const trim = new platform.OidcKeyTrim("trim", { triggers: [rotation.performedAt] });
      new platform.SmsVerification("verify", { testNumber: "+15550123", triggers: [trim.performedAt] });
      const workspace = new platform.AdminWorkspace("old", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true });
      exports.name = workspace.name;
      exports.all = (async () => { const names = []; for await (const each of platform.listWorkspaces()) names.push(each.name); return names; })();`;
    project.program(source("one"));
    const writes = async (operation: () => Promise<unknown>): Promise<string[]> =>
      (await requests(operation)).filter((each) => !each.startsWith("GET"));
    expect(await writes(() => project.preview())).toEqual([]);
    const sms = current().dialect === "hashicorp" ? "twilio-settings" : "sms-settings";
    const once = ["POST oidc-settings/actions/rotate-key", "POST oidc-settings/actions/trim-key", `POST ${sms}/verify`];
    expect(await writes(() => project.up())).toEqual(once);
    expect(await project.outputs()).toEqual({ name: "network-test", all: ["data-prod", "network-prod", "network-test", "website"] });
    expect(await writes(() => project.expectConverged())).toEqual([]);
    expect(await writes(() => project.program(source("two")).up())).toEqual(once);
    expect(service.signingKeys()).toHaveLength(1);
    expect(service.sms.sent()).toHaveLength(2);
    expect(await writes(() => project.destroy())).toEqual(["DELETE workspaces/ws-acmeNetworkTest"]);
    expect((await outOfBand("GET", "/api/v2/admin/workspaces/ws-acmeNetworkTest")).status).toBe(404);
  });

  test("a routine rotation is trimmed by a later up of the same program, which a refresh does not report as drift", async () => {
    const { requests, service } = current();
    project.program(`
      const rotation = new platform.OidcKeyRotation("monthly", { triggers: ["2026-01"], trimLater: true });
      exports.trimAt = rotation.trimAt;`);
    expect(await requests(() => project.preview())).toEqual([]);
    const rotated = await project.up();
    const { trimAt } = await project.outputs();
    expect(rotated.output).toContain(`not trimmed yet: \`pulumi up\` after ${trimAt} trims the old keys`);
    expect(await requests(() => project.expectConverged())).toEqual([]);
    expect((await project.preview()).output).toContain(`\`pulumi up\` after ${trimAt} `);
    expect(service.signingKeys()).toHaveLength(2);

    await project.edit((resources) => {
      const rotation = resources.find(({ urn }) => urn.endsWith("::monthly"));
      Object.assign(rotation?.outputs ?? {}, { trimAt: "2026-01-31T12:00:00.000Z" });
    });
    expect(await requests(() => project.refresh("--expect-no-changes"))).toEqual([]);
    const preview = await project.preview();
    expect(preview.output).toContain("OIDC key rotation: trims the old keys, whose tokens have expired");
    expect(service.signingKeys()).toHaveLength(2);
    expect(await requests(() => project.up())).toEqual(["POST oidc-settings/actions/trim-key"]);
    expect(service.signingKeys()).toHaveLength(1);
    expect(await project.outputs()).not.toHaveProperty("trimAt");
    expect(await requests(() => project.expectConverged())).toEqual([]);
    expect(await requests(() => project.destroy())).toEqual([]);
  });

  test("a refresh reads 100 deprecations of 10 modules with 10 requests, and up reverts drift of one with one write", async () => {
    const { service, requests, outOfBand } = current();
    const versions = Array.from({ length: 10 }, (_, index) => `1.${index}.0`);
    service.seed({ modules: versions.map((_, index) => ({ namespace: "acme", name: `module-${index}`, provider: "aws", versions })) });
    project.program(`
    for (let index = 0; index < 100; index++)
      new platform.ModuleVersionDeprecation("d" + index, {
        organizationName: "acme", moduleName: "module-" + (index % 10), moduleProvider: "aws", moduleVersion: "1." + Math.floor(index / 10) + ".0",
        reason: "Use 2.0.0.",
      });`);
    const created = await requests(() => project.up());
    expect(created.filter((each) => each.startsWith("PATCH"))).toHaveLength(100);
    // One read covers all versions of a module during creations as well.
    expect(created.filter((each) => each.startsWith("GET"))).toHaveLength(10);
    const refreshed = await requests(() => project.refresh("--expect-no-changes"));
    expect(refreshed).toHaveLength(10);
    expect(refreshed.every((each) => each.startsWith("GET /api/registry/v1/modules/acme/module-"))).toBe(true);
    expect(await requests(() => project.preview("--expect-no-changes"))).toEqual([]);

    const path = "/api/v2/organizations/acme/registry-modules/private/acme/module-3/aws/1.4.0";
    const deprecation = { "deprecated-status": "Deprecated", reason: "Theirs.", link: "https://example.com" };
    await outOfBand("PATCH", path, { data: { type: "module-versions", attributes: { deprecation } } });
    // The engine shows all changed outputs of a drifted resource. Refresh follows the undeclared link without a diff of its own.
    expect((await project.refresh()).changes.sort()).toEqual([
      '+ link: "https://example.com"',
      "+ publishedLink: [secret]",
      '~ reason: "Use 2.0.0." => "Theirs."',
    ]);
    expect(await requests(() => project.up())).toEqual([`PATCH ${path}`]);
    await project.expectConverged();
    const destroyed = await requests(() => project.destroy());
    expect(destroyed).toHaveLength(100);
    expect(destroyed.every((each) => each.startsWith("PATCH"))).toBe(true);
  });
});
