import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { secretSignature, signatureKey } from "../../provider/contract/inputs";
import { call } from "../support/call";
import { compileAll } from "../support/compile";
import { onEachSandbox, pulumi, Stage, written } from "./discover";

// `pulumi-steward discover` for dynamic resources: it writes their state and the program.

const program = (): string => readFileSync("index.ts", "utf8");

onEachSandbox("pulumi-steward discover for dynamic resources", (stage) => {
  const discover: Stage["discoverProgram"] = (...run) => stage().discoverProgram(...run);
  const configureAccess = ({ mount, write }: Stage): Promise<void> =>
    write(`${mount}/config/access`, { address: "https://nomad.example.com:4646", token: "canary-token" });

  test("reads each object once", async () => {
    const { mount, only, role, write } = stage();
    await configureAccess(stage());
    await write(`${mount}/config/lease`, { ttl: "1h", max_ttl: "2h" });
    const names = [...Array(300).keys()].map((index) => `role-${index}`);
    for (const name of names) await role(`${mount}/role/${name}`);
    const { code, sent } = await discover(only("secrets"));
    expect(code).toBe(0);
    const below = sent.filter((request) => request.includes(`/${mount}/`));
    expect(below.sort()).toEqual(
      ["config/access", "config/lease", "role?list=true", ...names.map((name) => `role/${name}`)]
        .map((path) => `GET /v1/${mount}/${path}`)
        .sort(),
    );
    expect(written()).toHaveLength(302);
  });

  test("writes a program that compiles, with the inputs that differ from their defaults", async () => {
    const { mount, only, write, isReal } = stage();
    await configureAccess(stage());
    const text = "'\"`$\\ ü";
    const engine = `
new secrets.SchedulerEngine("${mount}-engine", {
  description: "",
  defaultLeaseTtl: 0,
  maxLeaseTtl: 0,
}, { protect: true });
`;
    await write(`${mount}/role/client`, { policies: "a,b", type: "client" });
    await write(`${mount}/role/management`, { type: "management", global: true });
    const { stdout, stderr } = await discover(only("secrets"));
    expect(program()).toBe(`import { secrets } from "pulumi-steward";

new secrets.SchedulerAccess("${mount}-access", {
  address: "https://nomad.example.com:4646",
  token: { env: "${mount.toUpperCase()}_MANAGEMENT_TOKEN" },
}, { protect: true });
${isReal ? engine : ""}
new secrets.SchedulerRole("client", {
  name: "client",
  policies: ["a", "b"],
}, { protect: true });

new secrets.SchedulerRole("management", {
  name: "management",
${isReal ? "  global: true,\n" : ""}  type: "management",
}, { protect: true });
`);
    expect(stdout + stderr + readFileSync("import.json", "utf8")).not.toContain("canary");
    const attributes = { "support-email-address": "a@example.com", "login-help": text };
    await call(stage().sandbox.platform, "PATCH", "/api/v2/admin/customization-settings", { data: { attributes } });
    await discover(only("platform"), "--overwrite", "--module", "acme/network/aws");
    expect(compileAll({ "program.ts": program() }).errors).toEqual([]);
    expect(program()).toContain(`loginHelp: ${JSON.stringify(text)}`);
  });

  test("--as-set declares roles with the names of members of objects", async () => {
    const { mount, only, write } = stage();
    for (const name of ["constructor", "toString"]) await write(`${mount}/role/${name}`, { policies: "a" });
    const { code } = await discover(only("secrets"), "--as-set");
    expect(code).toBe(0);
    expect(compileAll({ "program.ts": program() }).errors).toEqual([]);
    for (const name of ["constructor", "toString"]) expect(program()).toContain(`    ["${name}" as string]: {\n      policies: ["a"],\n`);
    const [set] = written() as unknown as { inputs: { roles: object }; outputs: { roles: object } }[];
    for (const properties of [set?.inputs, set?.outputs]) expect(Object.keys(properties?.roles ?? {})).toEqual(["constructor", "toString"]);
  });

  test("leaves out a secret that the server shows, and replaces files that others can read", async () => {
    const { setCostKey, only } = stage();
    await setCostKey("canary-key");
    for (const file of ["import.json", "index.ts"]) writeFileSync(file, "", { mode: 0o644 });
    const { code, stdout, stderr } = await discover(only("platform"), "--overwrite", "--module", "acme/network/aws");
    expect(code).toBe(0);
    for (const file of ["import.json", "index.ts"]) expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync("import.json", "utf8");
    expect(stdout + stderr + text + program()).not.toContain("canary");
    const { outputs } = JSON.parse(text).resources.find(({ name }: { name: string }) => name === "cost-estimation");
    expect(outputs.cloudASecretKey).toEqual({ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: "null" });
  });

  test("lists a role that cannot be read, and writes the others", async () => {
    const { sandbox, mount, only, role } = stage();
    for (const name of ["web", "batch"]) await role(`${mount}/role/${name}`);
    const path = `/v1/${mount}/role/web`;
    const body = '{"errors":["permission denied"]}';
    sandbox.faults.add({ system: "secrets", method: "GET", path, action: "respond", status: 403, body, times: 9 });
    const { code, stdout } = await discover(only("secrets"));
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ {2}steward:secrets:SchedulerRole ${mount}/role/web: .*permission denied`, "m"));
    expect(written().map(({ id }) => id)).toEqual([`${mount}/role/batch`]);
    expect(program()).not.toContain('"web"');
  });

  test("fails if a role is lost during the search, so that a partial list never looks complete", async () => {
    const { sandbox, mount, only, role } = stage();
    for (const name of ["web", "batch"]) await role(`${mount}/role/${name}`);
    const path = `/v1/${mount}/role/web`;
    sandbox.faults.add({ system: "secrets", method: "GET", path, action: "respond", status: 200, body: '{"data":7}', times: 9 });
    const { code, stdout } = await discover(only("secrets"));
    expect([code, stdout, existsSync("import.json"), existsSync("index.ts")]).toEqual([1, "", false, false]);
  });

  test("needs two files that do not exist", async () => {
    const { only, mount, role } = stage();
    await role(`${mount}/role/web`);
    const same = await discover(only("secrets"), "--output", "index.ts", "--program", "./index.ts", "--overwrite");
    expect([same.code, same.sent, existsSync("index.ts")]).toEqual([1, [], false]);
    expect(same.stderr).toContain("--output and --program are the same file; nothing was searched");
    writeFileSync("index.ts", "// mine");
    const { stderr, sent } = await discover(only("secrets"));
    expect(sent).toEqual([]);
    expect(stderr).toContain("the file index.ts already exists; nothing was searched. Choose a different file with --output or --program");
    expect((await discover(only("secrets"), "--program", "imported.ts")).code).toBe(0);
    expect([existsSync("import.json"), program()]).toEqual([true, "// mine"]);
  });

  test.each([
    ["v3.253.1", 1],
    ["v3.254.0", 0],
    ["v4.0.0", 0],
    ["v3.259.0-dev.1", 0],
  ])("with Pulumi %s ends with %d", async (version, expected) => {
    const { only, mount, role } = stage();
    await role(`${mount}/role/web`);
    const { code, stderr, sent } = await discover({ ...only("secrets"), ...pulumi(`echo ${version}`) });
    expect(code).toBe(expected);
    if (code === 0) return expect(existsSync("index.ts")).toBe(true);
    expect([sent, existsSync("import.json")]).toEqual([[], false]);
    expect(stderr).toContain(
      "Pulumi v3.253.1 cannot import resources of a dynamic provider: that requires 3.254 or later. Nothing was searched. Update Pulumi, or import with the native plugin: set --native.",
    );
  });

  /** Makes the platform return these attributes besides its own. */
  async function returning(page: string, attributes: object): Promise<void> {
    const { sandbox } = stage();
    const path = `/api/v2/admin/${page}-settings`;
    const { json } = await call(sandbox.platform, "GET", path);
    Object.assign(json.data.attributes, attributes);
    sandbox.faults.add({ system: "platform", method: "GET", path, action: "respond", status: 200, body: JSON.stringify(json), times: 9 });
  }

  test("leaves out attributes that a program cannot declare, and lists them", async () => {
    const { only } = stage();
    await returning("smtp", { host: "", port: 0 });
    await returning("saml", { "slo-endpoint-url": "http://idp.example.com", "foo_bar\nx": 1 });
    const { code, stdout } = await discover(only("platform"));
    expect(code).toBe(0);
    expect(stdout).toContain("  steward:platform:SmtpSettings smtp host: must not be empty\n");
    expect(stdout).toContain("  steward:platform:SamlSettings saml sloEndpointUrl: must be an https URL\n");
    for (const name of ["host:", "port:", "sloEndpointUrl", "foo_bar"]) expect(program()).not.toContain(name);
    const smtp = written().find(({ id }) => id === "smtp") as unknown as { outputs: Record<string, unknown> };
    expect(smtp.outputs).toMatchObject({ host: "", port: 0, __declared: ["auth", "enabled"], managed: [] });
  });

  test("retains settings whose secret no destroy could restore, and says why", async () => {
    await returning(stage().dialect === "standard" ? "sms" : "twilio", { enabled: true, "account-sid": "AC1", "from-number": "+1" });
    await discover(stage().only("platform"));
    const why = "  // A destroy could not restore authToken, and would disable these settings.\n";
    expect(program()).toContain(`${why}  onDelete: "retain",\n`);
    expect(program().split("onDelete")).toHaveLength(2);
    expect(written().find(({ id }) => id === "sms")).toMatchObject({ inputs: { onDelete: "retain" }, outputs: { onDelete: "retain" } });
  });

  test("writes no object of a server, which Pulumi could take for a secret to decrypt, and names the attribute", async () => {
    const { only } = stage();
    await returning("customization", { footer: { [signatureKey]: secretSignature, ciphertext: "v1:of:the-stack" } });
    const { code, stderr } = await discover(only("platform"));
    expect([code, existsSync("import.json")]).toEqual([1, false]);
    expect(stderr).toContain("the value of footer is no string, number or boolean");
  });

  test("escapes characters that change how others are shown", async () => {
    const { only } = stage();
    await returning("customization", { footer: "a\u202eb\u200bc\u{e0001}d" });
    await discover(only("platform"));
    for (const text of [program(), readFileSync("import.json", "utf8")])
      expect([/\p{Cf}/u.test(text), text.includes("a\\u202eb\\u200bc\\udb40\\udc01d")]).toEqual([false, true]);
  });

  test("lists roles that a program cannot declare, and writes the others", async () => {
    const { sandbox, mount, only, role } = stage();
    await role(`${mount}/role/web`);
    for (const name of ["batch", "__proto__"])
      await call(sandbox.secrets, "POST", `/v1/${mount}/role/${name}`, { policies: "a b", type: "client" });
    const { code, stdout } = await discover(only("secrets"));
    expect(code).toBe(0);
    expect(stdout).toContain(`SchedulerRole ${mount}/role/batch: policies[0]: must be the name of one policy`);
    expect(stdout).toMatch(/__proto__: .*is a name that Pulumi cannot store/);
    expect(written().map(({ id }) => id)).toEqual([`${mount}/role/web`]);
  });

  test("writes a variable of its own for the token of each mount", async () => {
    const { sandbox, mount, only, write } = stage();
    for (const path of ["team/ops", "team-ops", "1st"]) {
      await call(sandbox.secrets, "POST", `/v1/sys/mounts/${path}`, { type: mount });
      await write(`${path}/config/access`, { address: "https://nomad.example.com:4646", token: "canary-token" });
    }
    await discover(only("secrets"));
    const variables = [...program().matchAll(/env: "(.*)"/g)].map(([, name]) => name).sort();
    expect(variables).toEqual(["TEAM_OPS_MANAGEMENT_TOKEN", "TEAM_OPS_MANAGEMENT_TOKEN_2", "_1ST_MANAGEMENT_TOKEN"]);
  });

  test("does not take a masked secret for its value", async () => {
    const { only, isReal } = stage();
    await returning("cost-estimation", { [`${isReal ? "aws" : "cloud-a"}-secret-key`]: "********" });
    const { code } = await discover(only("platform"), "--secrets");
    expect(code).toBe(0);
    expect(program()).toContain("// The server has a secret cloudASecretKey.");
    expect(program() + readFileSync("import.json", "utf8")).not.toMatch(/\*\*\*|requireSecret/);
  });

  test.each([
    ["Pulumi.json", '{\n  "name": "story",\n  "runtime": "nodejs"\n}', true],
    ["Pulumi.json", '{"name":"story","runtime":{"name":"nodejs"}}', true],
    ["Pulumi.json", '{"name":"story","runtime":"python"}', false],
    ["Pulumi.yaml", "name: story\nruntime: nodejs\n", true],
    ["Pulumi.yaml", "name: story\nruntime: # ours\n  options:\n    typescript: false\n  name: nodejs\n", true],
    ["Pulumi.yaml", "name: story\nruntime: { name: nodejs }\n", true],
    ["Pulumi.yaml", "name: story\nruntime:\n  name: python\nmain: infrastructure\n", false],
  ])("in a project with %s %j writes ids for the plugin unless it is a Node.js project", async (file, project, isDynamic) => {
    const { only, mount, role } = stage();
    await role(`${mount}/role/web`);
    writeFileSync(file, project);
    expect((await discover({ ...only("secrets"), ...pulumi("echo {}") })).code).toBe(0);
    expect(existsSync("index.ts")).toBe(isDynamic);
    expect(written()[0]?.type).toBe(`${isDynamic ? "pulumi-nodejs:dynamic/steward/" : "steward:"}secrets:SchedulerRole`);
  });

  test.each([
    ["Pulumi.yaml", "name: story\nruntime: nodejs\nstackConfigDir: 'stacks' # ours\n"],
    ["Pulumi.json", '{"name":"story","runtime":"nodejs","stackConfigDir":"stacks"}'],
  ])("--secrets finds the folder of the stack's configuration in %s", async (file, project) => {
    const { setCostKey, only } = stage();
    await setCostKey("canary-key");
    writeFileSync(file, project);
    mkdirSync("stacks");
    writeFileSync("stacks/Pulumi.dev.yaml", "config: {}\n");
    const script = `if [ "$2" = get ]; then exit 1; elif [ "$1" = stack ]; then echo dev; elif [ "$5" = --config-file ]; then printf '%s:\\n  secure: v1:sealed\\n' "$4" > "$6"; else echo {}; fi`;
    const { code, stderr } = await discover({ ...only("platform"), ...pulumi(script) }, "--secrets");
    expect([code, stderr.includes("does not exist")]).toEqual([0, false]);
    expect(readFileSync("import.json", "utf8")).toContain("v1:sealed");
  });

  test("--secrets keeps a different value under the same key of the stack's configuration", async () => {
    const { setCostKey, only } = stage();
    await setCostKey("canary-key");
    writeFileSync("Pulumi.yaml", "name: story\nruntime: nodejs\n");
    const existingValue = 'if [ "$2" = get ]; then echo other; else echo {}; fi';
    const { code, stderr } = await discover({ ...only("platform"), ...pulumi(existingValue) }, "--secrets");
    expect([code, existsSync("import.json")]).toEqual([1, false]);
    expect(stderr).toContain("different value of costEstimationCloudASecretKey");
    expect(readFileSync("asked", "utf8")).not.toContain("config set");
  });
});
