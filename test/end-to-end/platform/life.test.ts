import { attributeCases, hidden, kinds, tokens } from "../../provider/platform/attributes";
import { onEachPlatform, Platform } from "../../support/platform";
import { Project } from "../../support/project";
import { onPlatform } from "../../support/story";

const of = (settings: string): typeof attributeCases => attributeCases.filter((each) => each.settings === settings);
const declared = (settings: string): Record<string, unknown> =>
  Object.fromEntries(of(settings).map(({ attribute, declared: value }) => [attribute, value]));

/** An incident: the trigger of the actions, and the declared workspace and module version. */
const first = { incident: "one", workspaceId: "ws-acmeNetworkTest", moduleVersion: "1.0.0" };
const second = { incident: "two", workspaceId: "ws-acmeNetworkProd", moduleVersion: "1.1.0" };

/** Settings that are renamed without an alias, so their original values are no longer known. */
const withoutAlias = ["cost-estimation", "customization"];

/** Every resource of the platform. */
const program = ({ incident, workspaceId, moduleVersion }: typeof first, isRenamed = false): string => `
  const named = (name) => name + "${isRenamed ? "-renamed" : ""}";
  const kept = (name) => ({ aliases: ${isRenamed ? "[{ name }]" : "[]"} });
  const triggers = ["${incident}"];
  ${kinds
    .map(
      (settings) => `
  const ${tokens[settings]} = new platform.${tokens[settings]}(named("${settings}"), ${JSON.stringify({ ...declared(settings), ...hidden[settings] })},
    ${withoutAlias.includes(settings) ? "{}" : `kept("${settings}")`});`,
    )
    .join("")}
  new platform.SamlCertificateRevocation(named("revoke"), { triggers }, { ...kept("revoke"), dependsOn: SamlSettings });
  const rotation = new platform.OidcKeyRotation(named("rotate"), { triggers }, kept("rotate"));
  const trim = new platform.OidcKeyTrim(named("trim"), { triggers: [rotation.performedAt] }, kept("trim"));
  new platform.SmsVerification(named("verify"), { testNumber: "+15550123", triggers: [trim.performedAt] }, { dependsOn: SmsSettings });
  new platform.AdminWorkspace(named("workspace"), { workspaceId: "${workspaceId}", destroyOnDelete: true });
  new platform.ModuleVersionDeprecation(named("deprecation"), { organizationName: "acme", moduleName: "network", moduleProvider: "aws",
    moduleVersion: "${moduleVersion}", reason: "Old.", link: "https://example.com/new" });
  exports.read = platform.AdminWorkspace.get(named("read"), "ws-globexWebsite").name;
`;

// The command line does the same in both dialects. test/provider/platform/settings.test.ts tests each attribute in both.
const dialects = ["hashicorp"] as const;

function life(current: () => Platform): void {
  let project: Project;
  beforeEach(() => {
    project = onPlatform(current(), (variables) => new Project(variables));
  });

  const workspace = async ({ workspaceId }: typeof first): Promise<number> =>
    (await current().outOfBand("GET", `/api/v2/admin/workspaces/${workspaceId}`)).status;
  async function deprecation({ moduleVersion }: typeof first): Promise<unknown> {
    const { body } = await current().outOfBand("GET", `/api/registry/v1/modules/acme/network/aws/${moduleVersion}`);
    const found = (body as { deprecation?: { reason: string; link: string } | null }).deprecation;
    return found && [found.reason, found.link];
  }
  async function expectDeclared({ held }: Platform, objects: typeof first): Promise<void> {
    for (const settings of kinds) expect(await held(settings)).toMatchObject(declared(settings));
    expect(await workspace(objects)).toBe(200);
    expect(await deprecation(objects)).toEqual(["Old.", "https://example.com/new"]);
  }
  const writes = async (operation: () => Promise<unknown>): Promise<string[]> =>
    (await current().requests(operation)).filter((each) => !each.startsWith("GET"));

  test("up, refresh, repair, replace, rename and destroy reach the declared settings and restore the original ones", async () => {
    const { held, change, outOfBand, service } = current();
    const before: Record<string, unknown> = {};
    for (const settings of kinds) before[settings] = await held(settings);
    await project.program(program(first)).up();
    await expectDeclared(current(), first);
    expect([service.signingKeys().length, service.sms.sent().length, service.mail.sent().length]).toEqual([1, 1, 1]);
    expect(await writes(() => project.calm())).toEqual([]);

    for (const settings of kinds)
      await change(settings, Object.fromEntries(of(settings).map(({ attribute, outOfBand: value }) => [attribute, value])));
    const version = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
    const theirs = { "deprecated-status": "Deprecated", reason: "Theirs.", link: "https://example.com/theirs" };
    await outOfBand("PATCH", version, { data: { type: "module-versions", attributes: { deprecation: theirs } } });
    service.seed({ workspaces: [{ id: "ws-globexWebsite", name: "site", organization: "globex" }] });
    const drifted = await project.refresh();
    const named = drifted.changes.map((line) => /^[~+-] (\w+)\s*:/.exec(line)?.[1]).filter(Boolean);
    // The engine hides a changed secret, so a message of the provider names it.
    const secrets = ["cloudASecretKey", "cloudBCredentials", "cloudCClientSecret"];
    const shown = attributeCases.map(({ attribute }) => attribute).filter((attribute) => !secrets.includes(attribute));
    // The changed outputs of the workspace that `get` reads.
    const read = ["name", "currentRunId", "vcsRepoIdentifier"];
    expect(named.sort()).toEqual([...shown, "oldIdpCert", "reason", "link", ...read].sort());
    for (const secret of secrets) expect(drifted.output).toMatch(new RegExp(`"cost-estimation": the secret ${secret}\\b`));

    await project.up();
    await expectDeclared(current(), first);
    expect(await writes(() => project.calm())).toEqual([]);

    // Only --replace replaces settings.
    const prefix = "urn:pulumi:dev::story::pulumi-nodejs:dynamic/steward/platform:";
    const ordered = kinds.flatMap((settings) => ["--replace", `${prefix}${tokens[settings]}::${settings}`]);
    const replaced = await project.program(program(second)).up(...ordered);
    // An update of an action runs it again.
    expect(replaced.output).toMatch(/~ 4 updated/);
    expect(replaced.output).toMatch(/\+-8 replaced/);
    await expectDeclared(current(), second);
    expect([await workspace(first), await deprecation(first)]).toEqual([404, null]);
    expect(service.sms.sent()).toHaveLength(2);

    const renamed = await project.program(program(second, true)).up();
    expect(renamed.output).toMatch(/\+ 5 created[\s\S]*- 5 deleted/);
    await expectDeclared(current(), second);
    // A rename with an alias does not run an action again.
    expect(service.sms.sent()).toHaveLength(3);
    expect(await writes(() => project.calm())).toEqual([]);

    const destroyed = await project.destroy();
    expect(destroyed.output).toMatch(/SMTP settings "smtp": .*password/);
    for (const settings of kinds) {
      const { oldIdpCert: _now, ...after } = await held(settings);
      const { oldIdpCert: _then, ...expected } = before[settings] as Record<string, unknown>;
      if (withoutAlias.includes(settings)) expect(after).toMatchObject(declared(settings));
      else expect(after).toEqual(expected);
    }
    expect([await workspace(second), await deprecation(second)]).toEqual([404, null]);
    const printed = [drifted, replaced, renamed, destroyed].map(({ output }) => output).join("\n");
    for (const secret of ["canary-mail", "canary-sms", "secret-2", "secret-3", "client-secret-2", "private_key"])
      expect(project.stored() + printed).not.toContain(secret);
  });
}

onEachPlatform("a stack with every resource of the platform, with the real command line", life, dialects);
