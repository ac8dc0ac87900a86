import { idpCertificate } from "../support/certificates";
import { platform } from "../support/platform";
import { Project } from "../support/project";
import { sentBy, startSandbox } from "../support/sandbox";

// The objects of the site on the real command line: deployed, refreshed with drift, reverted, adopted and destroyed. With the native plugin, the programs in
// test/end-to-end/languages do the rest.

const program = (adopt: string): string => `
  const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
  const old = new platform.ModuleVersionDeprecation("old", { ...version, reason: "Old."${adopt} });
  new platform.ModuleVersionRevocation("old", { ...version, message: "Broken."${adopt} }, { dependsOn: old });
  const certificate = ${JSON.stringify(idpCertificate)};
  const idp = new platform.SamlIdpCertificate("idp", { displayName: "Okta", certificate${adopt} });
  const url = "https://idp.example.com";
  const saml = new platform.SamlSettings("saml", { enabled: true, providerType: "okta", ssoEndpointUrl: url, sloEndpointUrl: url }, { dependsOn: idp });
  const scim = new platform.ScimSettings("scim", { enabled: true, paused: true }, { dependsOn: saml });
  exports.token = new platform.ScimToken("token", { description: "Okta" }, { dependsOn: scim }).token;
  new platform.DataRetentionPolicy("retention", { deleteOlderThanDays: 365${adopt} });
  new platform.Banner("news", { title: "News", body: "Soon.", style: "info", audience: "all_users"${adopt} });`;

test("the objects of the site are deployed, refreshed with drift, reverted, adopted and destroyed", async () => {
  const sandbox = await startSandbox({ dialect: "hashicorp" });
  const { outOfBand } = platform("hashicorp", sandbox);
  const change = async (method: string, path: string, attributes?: object, type?: string): Promise<void> => {
    const { status } = await outOfBand(method, `/api/v2/${path}`, attributes && { data: { type, attributes } });
    expect(status).toBeLessThan(300);
  };
  const idIn = async (list: string): Promise<string> => {
    const { body } = await outOfBand("GET", `/api/v2/admin/${list}`);
    return (body.data as unknown as { id: string }[])[0]?.id as string;
  };
  const [project, second] = [new Project(sandbox.env), new Project(sandbox.env)];
  project.program(program(""));
  const { writes } = await sentBy(sandbox, () => project.up());
  expect(writes).toHaveLength(8);
  await project.preview("--expect-no-changes");
  await project.pulumi("refresh", "--yes", "--expect-no-changes");
  const { token } = await project.outputs();
  expect(String(token)).toMatch(/^\w{64}$/);
  expect(project.stored()).not.toContain(String(token));

  const module = "organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
  await change("PATCH", module, { revocation: { status: "Revoked", message: "Theirs." } });
  await change("PATCH", `admin/saml-settings/idp-certificates/${await idIn("saml-settings/idp-certificates")}`, {
    "display-name": "Theirs",
  });
  await change("PATCH", "admin/scim-settings", { paused: false });
  await change("DELETE", `admin/scim-tokens/${await idIn("scim-tokens")}`);
  await change("POST", "admin/data-retention-policy-settings", { deleteOlderThanNDays: 9 }, "data-retention-policy-delete-olders");
  await change("PATCH", `admin/banners/${await idIn("banners")}`, { title: "Theirs", style: "critical" });
  const { output } = await project.pulumi("refresh", "--yes", "--diff");
  for (const field of ["message", "displayName", "paused", "deleteOlderThanDays", "title", "style"]) expect(output).toContain(`~ ${field}`);
  expect(output).toContain("- pulumi-nodejs:dynamic/steward/platform:ScimToken: (delete)");
  expect((await sentBy(sandbox, () => project.up())).writes).toHaveLength(6);
  await project.preview("--expect-no-changes");

  second.program(program(", adopt: true"));
  const lists = ["data-retention-policy-settings", "scim-tokens"];
  expect((await sentBy(sandbox, () => second.up())).writes.sort()).toEqual(lists.map((each) => `POST /api/v2/admin/${each}`));
  await second.preview("--expect-no-changes");
  const destroyed = await sentBy(sandbox, () => project.destroy());
  expect(destroyed.writes.map((each) => each.replace(/(ab|at|idpc)-\w+$/, "<id>")).sort()).toEqual(
    [
      "DELETE /api/v2/admin/banners/<id>",
      "DELETE /api/v2/admin/data-retention-policy-settings",
      "DELETE /api/v2/admin/saml-settings/idp-certificates/<id>",
      "DELETE /api/v2/admin/scim-tokens/<id>",
      "PATCH /api/v2/admin/saml-settings",
      "PATCH /api/v2/admin/scim-settings",
      `PATCH /api/v2/${module}`,
      `PATCH /api/v2/${module}`,
    ].sort(),
  );
  // The other stack finds nothing more to remove than its own token.
  await second.destroy();
  expect((await outOfBand("GET", "/api/v2/admin/scim-tokens")).body.data).toEqual([]);
});
