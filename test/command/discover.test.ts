import { existsSync, readFileSync } from "node:fs";
import { unknown } from "../../provider/contract/inputs";
import { definitions } from "../../provider/registry/resources";
import { call } from "../support/call";
import { engines, onEachSandbox, rows, written } from "./discover";

test("every resource that can be read by its id is searched for or has a reason not to be", () => {
  const unsaid = definitions.filter(({ readById, discover }) => readById && !discover);
  expect(unsaid.map(({ token }) => token)).toEqual([]);
});

onEachSandbox("pulumi-steward discover", (stage) => {
  const limited = async (policy: string): Promise<Record<string, string>> => {
    const { sandbox, only, isReal } = stage();
    expect((await call(sandbox.secrets, "PUT", "/v1/sys/policies/acl/p", { policy })).status).toBe(204);
    const { json } = await call(sandbox.secrets, "POST", "/v1/auth/token/create", { policies: ["p"] });
    return { ...only("secrets"), [isReal ? "VAULT_TOKEN" : "SECRETS_TOKEN"]: json.auth.client_token };
  };

  test("finds the objects of each mount with one list, prints a table, and writes the file", async () => {
    const { sandbox, mount, write, role, only, discover, isReal } = stage();
    await write(`sys/mounts/team/ops`, { type: mount });
    await write(`${mount}/config/access`, { address: "http://127.0.0.1:1", token: "canary-token" });
    await write(`${mount}/config/lease`, { ttl: "1h", max_ttl: "2h" });
    for (const name of ["web", "batch"]) await role(`${mount}/role/${name}`);
    await role("team/ops/role/web");
    const { code, stdout, stderr, sent } = await discover(only("secrets"));
    expect(code).toBe(0);
    const places = ["config/access", "config/lease", "role?list=true"].flatMap((path) => [
      `GET /v1/${mount}/${path}`,
      `GET /v1/team/ops/${path}`,
    ]);
    if (isReal) places.push(`GET /v1/sys/mounts/${mount}`, "GET /v1/sys/mounts/team/ops");
    // Every role comes from its list. The order of the lists is not fixed.
    expect([...sent].sort()).toEqual([isReal ? "GET /v1/sys/mounts" : "GET /v1/sys/internal/specs/openapi", ...places].sort());
    const found = [
      `secrets:SchedulerAccess ${mount}-access ${mount}/config/access`,
      `secrets:SchedulerLease ${mount}-lease ${mount}/config/lease`,
      `secrets:SchedulerRole batch ${mount}/role/batch`,
      `secrets:SchedulerRole web ${mount}/role/web`,
      "secrets:SchedulerRole team-ops-role-web team/ops/role/web",
    ];
    expect([rows(), engines()]).toEqual([found, isReal ? [mount, "team/ops"] : []]);
    for (const row of found) expect(stdout).toMatch(new RegExp(`^steward:${row.replaceAll(" ", " +")}$`, "m"));
    expect(stdout).toContain(" token: a token is returned only when it is generated");
    expect(stdout).toMatch(/^ {2}rekey: an operation/m);
    expect(stdout).not.toContain("SMTP");
    expect(stderr).toContain(`${sandbox.secrets.url}  (environment)`);
    expect(stderr).toContain(`SchedulerAccess "${mount}-access": the server never returns token, clientKey.`);
    expect(stderr).toMatch(
      /[57] resources in import\.json\. Next:\n {2}\$ pulumi config set steward:native true.*\n {2}\$ pulumi import --file import\.json --out imported\.txt\n$/,
    );
    expect(stdout + stderr).not.toContain("canary");
  });

  test("--as-set writes the roles of a mount as one resource", async () => {
    const { mount, write, role, only, discover } = stage();
    await write(`sys/mounts/team/ops`, { type: mount });
    for (const name of ["web", "batch"]) await role(`${mount}/role/${name}`);
    const { sent } = await discover(only("secrets"), "--as-set");
    expect(rows()).toEqual([`secrets:SchedulerRoles ${mount}-roles ${mount}/role`]);
    expect(sent.filter((request) => request.includes("/role"))).toEqual([
      `GET /v1/${mount}/role?list=true`,
      "GET /v1/team/ops/role?list=true",
    ]);
    await role(`team/ops/role/${unknown}`);
    const { stdout } = await discover(only("secrets"), "--as-set", "--overwrite");
    expect(rows()).toEqual([`secrets:SchedulerRoles ${mount}-roles ${mount}/role`]);
    expect(stdout).toMatch(/team\/ops\/role: .*roles whose names Pulumi cannot store/);
  });

  test("finds settings with one read each, and workspaces on request", async () => {
    const { isReal, only, discover } = stage();
    const settings = ["cost-estimation", "customization", "general", "saml", isReal ? "twilio" : "sms", "smtp"];
    const lists = ["banners", "saml-settings/idp-certificates", "data-retention-policy-settings", "general-settings", "scim-settings"];
    const ofProduct = [
      ...lists.map((path) => `GET /api/v2/admin/${path}`),
      "GET /api/v2/organizations/acme/registry-modules/private/acme/network/aws",
    ];
    const reads = settings.map((name) => `GET /api/v2/admin/${name}-settings`);
    const plain = await discover(only("platform"), "--module", "acme/network/aws");
    expect([...plain.sent].sort()).toEqual(
      ["GET /api/registry/v1/modules/acme/network/aws/versions", ...reads, ...(isReal ? ofProduct : [])].sort(),
    );
    expect(rows()).toEqual(
      ["CostEstimation", "Customization", "General", "Saml", "Sms", "Smtp"].map((type) => {
        const id = type.replace(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
        return `platform:${type}Settings ${id} ${id}`;
      }),
    );
    expect(plain.stdout).toMatch(/^ {2}OIDC key rotation, OIDC key trim, .*: an operation/m);
    expect(plain.stdout).not.toContain("rekey");
    const { sent } = await discover(only("platform"), "--workspaces", "--output", "more.json", "--module", "acme/network/aws");
    expect(sent).toHaveLength(plain.sent.length + 1);
    expect(rows("more.json").slice(0, 4)).toEqual([
      "platform:AdminWorkspace acme-data-prod ws-acmeDataProd",
      "platform:AdminWorkspace acme-network-prod ws-acmeNetworkProd",
      "platform:AdminWorkspace acme-network-test ws-acmeNetworkTest",
      "platform:AdminWorkspace globex-website ws-globexWebsite",
    ]);
  });

  test("reads every page of a list", async () => {
    const { sandbox, only, discover } = stage();
    const workspaces = [...Array(150).keys()].map((index) => ({ id: `ws-${index}`, name: `many-${index}`, organization: "acme" }));
    sandbox.platform.seed({ workspaces });
    const { sent } = await discover(only("platform"), "--workspaces", "--module", "acme/network/aws");
    expect(sent.filter((request) => request.includes("workspaces"))).toHaveLength(2);
    expect(rows().filter((row) => row.includes("AdminWorkspace"))).toHaveLength(154);
  });

  test("omits objects that cannot be imported, and says so if they exist", async () => {
    const { sandbox, only, discover, write, deprecate, mount, isReal } = stage();
    await write(`${mount}/config/access`, { address: "", token: "theirs" });
    await discover(only("secrets"));
    // A server without DELETE of access configurations keeps a blank one.
    expect(existsSync("import.json") && rows().length > 0).toBe(isReal);
    sandbox.platform.seed({ modules: [{ namespace: "acme", name: "vm", provider: "aws", versions: ["1.0 beta"] }] });
    await deprecate("vm", "1.0%20beta");
    const { stdout } = await discover(only("platform"), "--module", "acme/vm/aws", "--overwrite");
    expect(stdout).toContain('ModuleVersionDeprecation acme/vm/aws/1.0 beta: "acme/vm/aws/1.0 beta" cannot be parsed as an id.');
    expect(rows().join()).not.toContain("beta");
  });

  test("finds the deprecated versions of modules, with one read for each module", async () => {
    const { deprecate, isReal, only, discover } = stage();
    for (const version of ["1.0.0", "2.0.0-rc.1"]) await deprecate("network", version);
    const found = ["1-0-0", "2-0-0-rc-1"].map(
      (name, index) => `platform:ModuleVersionDeprecation acme-network-aws-${name} acme/network/aws/${["1.0.0", "2.0.0-rc.1"][index]}`,
    );
    const { stdout, sent } = await discover(only("platform"));
    const modules = sent.filter((path) => !path.includes("/admin/"));
    if (isReal) {
      const page = "page[number]=1&page[size]=100";
      expect(modules.slice(0, 1)).toEqual([`GET /api/v2/organizations?${page}`]);
      expect(modules.slice(1).sort()).toEqual(
        [
          `GET /api/v2/organizations/acme/registry-modules?${page}`,
          `GET /api/v2/organizations/globex/registry-modules?${page}`,
          "GET /api/registry/v1/modules/acme/network/aws/versions",
          "GET /api/registry/v1/modules/globex/website/google/versions",
          "GET /api/v2/organizations/acme/registry-modules/private/acme/network/aws",
          "GET /api/v2/organizations/globex/registry-modules/private/globex/website/google",
        ].sort(),
      );
      expect(rows().slice(0, 2)).toEqual(found);
    } else {
      expect(modules).toEqual([]);
      expect(stdout).toContain(
        "the API specification has no endpoint that lists modules. Specify each module with --module <organization>/<name>/<provider>.",
      );
      await discover(only("platform"), "--module", "acme/network/aws", "--overwrite");
      expect(rows().slice(0, 2)).toEqual(found);
    }
    for (const [option, value, hint] of [
      ["--module", "network", "Write it as <organization>/<name>/<provider>."],
      ["--module", "acme/../aws", "Write it as <organization>/<name>/<provider>."],
      ["--mount", "team/../sys", "Write it as a path such as team/nomad."],
    ] as const) {
      const wrong = await discover(only("platform"), option, value, "--overwrite");
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(hint)]);
    }
  });

  test("lists objects that the token cannot read with the missing permission, and writes the rest", async () => {
    const { isReal, mount, write, role, discover } = stage();
    await write(`sys/mounts/team/ops`, { type: mount });
    await write(`${mount}/config/lease`, { ttl: "1h", max_ttl: "2h" });
    await role(`${mount}/role/web`);
    await role("team/ops/role/web");
    const policy = ["role", "role/*"].flatMap((path) => [`path "${mount}/${path}"`, `path "team/ops/${path}"`]);
    const variables = await limited(policy.map((path) => `${path} { capabilities = ["list", "read"] }`).join("\n"));
    const { code, stdout, stderr, sent } = await discover(variables, "--mount", "/team/ops/");
    expect(code).toBe(0);
    expect(rows().map((row) => row.split(" ")[2])).toEqual([`${mount}/role/web`, "team/ops/role/web"]);
    expect(stdout).toMatch(new RegExp(`^ {2}steward:secrets:SchedulerLease ${mount}/config/lease: .*permission denied.*403.*policy`, "m"));
    expect(stdout).toMatch(/^ {2}steward:secrets:SchedulerAccess team\/ops\/config\/access: /m);
    const fallback = `the mounts cannot be listed: the token may not read /v1/sys/mounts. Only the mount "${mount}" is searched. Add others with --mount.`;
    if (isReal) expect(stderr).toContain(`warning: ${fallback}\n`);
    // The mounts of the dialect standard come from the OpenAPI document, which is read once.
    expect(sent.filter((request) => request.endsWith("openapi"))).toHaveLength(isReal ? 0 : 1);
  });

  test("searches the connection's mount if the mounts cannot be listed", async () => {
    const { mount, discover } = stage();
    const { code, stderr, stdout } = await discover(await limited('path "sys/nothing" { capabilities = ["read"] }'));
    expect(stderr).toContain(`Only the mount "${mount}" is searched. Add others with --mount.`);
    expect(stdout).toContain(`steward:secrets:SchedulerRole ${mount}/role: `);
    expect(stderr).toContain(
      "There is nothing to import: no file was written.\npulumi-steward: nothing was found, and some objects could not be read.",
    );
    expect([code, existsSync("import.json")]).toEqual([1, false]);
  });

  test("says that settings require an administrator, for a token of another user", async () => {
    const { sandbox, isReal, discover, only } = stage();
    const { stdout, code } = await discover({
      ...only("platform"),
      [isReal ? "TFE_TOKEN" : "PLATFORM_TOKEN"]: sandbox.platform.memberToken,
    });
    expect(stdout.match(/admin API only to site administrators/g)).toHaveLength(isReal ? 10 : 6);
    expect(code).toBe(1);
  });

  test("chooses a unique name for each resource that is valid in every language", async () => {
    const { sandbox, isReal, mount, write, role, discover } = stage();
    await write(`sys/mounts/team/ops`, { type: mount });
    // Names with which no program can be generated.
    const reserved = ["null", "true", "arguments", "exports", "module", "Object", "static", "steward"];
    const names = ["web.1", "web-1", "web_1", "1st", "WEB", "web", ...(isReal ? [] : ["für alle", "é"])];
    for (const name of [...names, ...reserved]) await role(`${mount}/role/${encodeURIComponent(name)}`);
    await role("team/ops/role/web");
    await discover(sandbox.env);
    const all = written().map(({ name }) => name);
    for (const name of all) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]*$/);
    const identifiers = all.map((name) => name.toLowerCase().replace(/[-_]/g, ""));
    expect(new Set(identifiers).size).toBe(all.length);
    expect(all).toEqual(expect.arrayContaining(["resource-1st", ...reserved.map((name) => `${mount}-role-${name}`)]));
    for (const name of reserved) expect(all).not.toContain(name);
  });

  test("names the secrets that an import writes in plaintext, without their values", async () => {
    const { setCostKey, only, discover } = stage();
    await setCostKey("canary-secret");
    const { stdout, stderr } = await discover(only("platform"));
    expect(stderr).toContain(
      'steward:platform:CostEstimationSettings "cost-estimation": `pulumi import` writes cloudASecretKey into the program in plaintext.',
    );
    expect(stdout + stderr + readFileSync("import.json", "utf8")).not.toContain("canary");
  });
});
