import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { onEachDialect } from "../../sandbox/sandbox";
import { call } from "../../support/call";
import { configOf } from "../../support/context";
import { Engine } from "../../support/engine";
import { platform } from "../../support/platform";
import { printed } from "../../support/printed";
import { sentBy } from "../../support/sandbox";

onEachDialect("previewReads", ({ dialect, engine: mount, sandbox }) => {
  beforeEach(() => clearCache());

  const config = (more: object = {}): Record<string, object> => {
    const { secrets, platform } = configOf({ sandbox: sandbox(), dialect })["steward:default"] as Record<string, object>;
    return { "steward:default": { secrets: { ...secrets, previewReads: true, ...more }, platform: { ...platform, previewReads: true } } };
  };
  const engine = (token: string, more?: object): Engine => new Engine(token, config(more));
  const outOfBand = (method: string, path: string, body?: object) => call(sandbox().secrets, method, `/v1/${mount}/${path}`, body);
  const requests = async (operation: () => Promise<unknown>): Promise<string[]> =>
    (await sentBy(sandbox(), operation)).sent.map((request) => request.replace(`/v1/${mount}/`, ""));
  const theirs = { policies: "theirs", global: true, type: "client" };
  const web = { name: "web", policies: ["ours"], global: true };
  const ofRole = (): string[] => printed.filter((line) => !line.includes("does not return"));

  test("a preview of a creation names the existing object, the coming failure, and the changes of an adoption", async () => {
    await outOfBand("POST", "role/web", theirs);
    const sent = await requests(() => engine("secrets:SchedulerRole").preview(web));
    expect(sent.every((request) => request.startsWith("GET "))).toBe(true);
    expect(ofRole()).toEqual([
      expect.stringMatching(`^warning: (scheduler|Nomad) role "web": .*"${mount}".* adopt: true`),
      expect.stringMatching(/^(scheduler|Nomad) role "web": .* policies: \["theirs"\] -> \["ours"\]/),
    ]);
    expect((await outOfBand("GET", "role/web")).json.data.policies).toEqual(["theirs"]);
  });

  test.each([
    { of: "nothing sets it", variable: undefined, previewReads: undefined, sent: [] },
    { of: "only the variable sets it", variable: "1", previewReads: undefined, sent: ["GET role/web"] },
    { of: "the connection sets it to false", variable: "1", previewReads: false, sent: [] },
  ])("a preview reads if STEWARD_PREVIEW_READS is the default of its connection: $of", async ({ variable, previewReads, sent }) => {
    await outOfBand("POST", "role/web", theirs);
    jest.replaceProperty(process, "env", { ...process.env, STEWARD_PREVIEW_READS: variable });
    expect(await requests(() => engine("secrets:SchedulerRole", { previewReads }).preview(web))).toEqual(sent);
    expect(ofRole().length > 0).toBe(sent.length > 0);
  });

  test("the creation reads again in the up, and each line is printed once", async () => {
    await outOfBand("POST", "role/web", theirs);
    const role = engine("secrets:SchedulerRole");
    expect(await requests(() => role.up({ ...web, adopt: true }))).toEqual(["GET role/web", "GET role/web", "POST role/web"]);
    expect(ofRole()).toEqual([expect.stringContaining('policies: ["theirs"] -> ["ours"]')]);
    // Only creations are read.
    expect(await requests(() => role.preview({ ...web, policies: ["other"] }))).toEqual([]);
  });

  test.each([
    ["secrets:SchedulerRoles", { roles: { web: { policies: ["ours"], global: true } } }, 'roles.web.policies: ["theirs"] -> ["ours"]'],
    ["secrets:SchedulerLease", { ttl: "1h" }, "ttl: 60 -> 3600"],
    ["secrets:SchedulerAccess", { address: "http://ours:4646", token: "t" }, 'address: "http://theirs:4646" -> "http://ours:4646"'],
  ])("a preview of %s does the same", async (token, inputs, change) => {
    await outOfBand("POST", "role/web", theirs);
    await outOfBand("POST", "config/lease", { ttl: 60 });
    await outOfBand("POST", "config/access", { address: "http://theirs:4646", token: "theirs" });
    await engine(token).preview(inputs);
    expect(printed).toContainEqual(expect.stringMatching(/^warning: .* adopt: true/));
    expect(printed).toContainEqual(expect.stringContaining(` ${change}.`));
  });

  test("a role that another client created since the check is not overwritten", async () => {
    const role = engine("secrets:SchedulerRole");
    const begins = () => outOfBand("POST", "role/web", theirs).then(() => "continue" as const);
    await expect(role.up(web, { begins })).rejects.toMatchObject({ code: "ERR_ALREADY_EXISTS" });
    expect((await outOfBand("GET", "role/web")).json.data.policies).toEqual(["theirs"]);
  });

  test("a preview of deprecations does the same, and reads the versions of their module once", async () => {
    const names = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
    const version = { ...names, link: "https://acme.example.com" };
    await new Engine("platform:ModuleVersionDeprecation", config()).up({ ...version, reason: "Theirs." });
    clearCache();
    const sent = await requests(() => engine("platform:ModuleVersionDeprecation").up({ ...version, reason: "Ours.", adopt: true }));
    expect(sent.map((request) => request.split(" ")[0])).toEqual(["GET", "PATCH"]);
    expect(printed).toEqual([expect.stringMatching(/ "acme\/network\/aws\/1\.0\.0": .* reason: "Theirs\." -> "Ours\."/)]);
  });

  test("a preview of settings names the changes, without secrets, and the coming failure", async () => {
    const { change, held } = platform(dialect, sandbox());
    await change("general", { limitUserOrganizationCreation: false, supportEmailAddress: "theirs@example.com" });
    const general = engine("platform:GeneralSettings");
    const declared = { limitUserOrganizationCreation: true, apiRateLimit: 50, __secretInputs: ["apiRateLimit"] };
    await general.preview(declared);
    expect([...printed].sort()).toEqual([
      expect.stringContaining(" apiRateLimit: [secret] -> [secret]."),
      expect.stringContaining(" limitUserOrganizationCreation: false -> true."),
    ]);
    expect(await requests(() => general.up(declared))).toEqual([
      "GET /api/v2/admin/general-settings",
      "GET /api/v2/admin/general-settings",
      "PATCH /api/v2/admin/general-settings",
    ]);
    expect(printed).toHaveLength(4);
    await engine("platform:SmtpSettings").preview({ enabled: true });
    expect(printed.join("\n")).toMatch(/^warning: SMTP settings "smtp": .* enabled: .* host/m);
    expect(await requests(() => general.destroy())).toEqual(["PATCH /api/v2/admin/general-settings"]);
    expect(await held("general")).toMatchObject({ limitUserOrganizationCreation: false });
  });

  test("a preview of settings names a write-only attribute without a value", async () => {
    await engine("platform:SmtpSettings").preview({ username: "ours", password: "canary" });
    expect(printed.join("\n")).toMatch(/^SMTP settings "smtp": .* password/m);
    expect(printed.join("\n")).not.toContain("canary");
  });

  test("a preview of a workspace says if it exists", async () => {
    sandbox().platform.seed({ workspaces: [{ id: "ws-theirs", name: "theirs", organization: "acme" }] });
    const workspace = engine("platform:AdminWorkspace");
    expect(await requests(() => workspace.up({ workspaceId: "ws-theirs" }))).toEqual([
      "GET /api/v2/admin/workspaces/ws-theirs",
      "GET /api/v2/admin/workspaces/ws-theirs",
    ]);
    expect(printed).toEqual([expect.stringMatching(/^workspace "ws-theirs": (?!.*->)/)]);
    await engine("platform:AdminWorkspace").preview({ workspaceId: "ws-missing" });
    expect(printed[1]).toMatch(/^warning: workspace "ws-missing": /);
  });

  test("a preview without credentials continues, and says why it cannot read", async () => {
    const role = engine("secrets:SchedulerRole", { token: undefined, tokenEnv: "STEWARD_UNSET" });
    expect((await role.preview(web)).operation).toBe("create");
    expect(printed).toEqual([expect.stringMatching(/^warning: (scheduler|Nomad) role "web": /)]);
  });
});
