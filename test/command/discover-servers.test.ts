import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { call } from "../support/call";
import { configured, folder, onEachSandbox, pulumi, rows } from "./discover";
import { steward } from "./holder";

onEachSandbox("the servers of pulumi-steward discover", (stage) => {
  test("refuses to overwrite a file, and sends no request", async () => {
    const { sandbox, discover } = stage();
    writeFileSync("import.json", "mine");
    const { code, stderr, sent } = await discover(sandbox.env);
    expect([code, sent, readFileSync("import.json", "utf8")]).toEqual([1, [], "mine"]);
    expect(stderr).toBe(
      "pulumi-steward: the file import.json already exists; nothing was searched. Choose a different file with --output or --program, or set --overwrite.\n",
    );
    expect((await discover(sandbox.env, "--overwrite")).code).toBe(0);
    expect(rows()).toHaveLength(6);
    symlinkSync("elsewhere.json", "link.json");
    expect(await discover(sandbox.env, "--output", "link.json")).toMatchObject({ code: 1, stderr: expect.stringContaining("(EEXIST)") });
    expect(existsSync("elsewhere.json")).toBe(false);
    const { stderr: nowhere } = await discover(sandbox.env, "--output", "no/where.json");
    expect(nowhere).toContain("the file no/where.json cannot be written (ENOENT)");
  });

  test("accepts an empty installation", async () => {
    const { sandbox, mount, isReal, only, discover } = stage();
    // The dialect standard finds no mount without its objects.
    if (isReal) await call(sandbox.secrets, "DELETE", `/v1/sys/mounts/${mount}`);
    const { code, stdout, stderr } = await discover(only("secrets"));
    expect([code, existsSync("import.json")]).toEqual([0, false]);
    expect(stdout).toMatch(/^Cannot be imported:/);
    expect(stderr).toContain("There is nothing to import: no file was written.");
  });

  test("fails if a server does not respond, so that a partial list never looks complete", async () => {
    const { sandbox, isReal, mount, role, discover } = stage();
    await role(`${mount}/role/web`);
    await sandbox.secrets.seal();
    const sealed = await discover(sandbox.env);
    expect(sealed).toMatchObject({ code: 1, stdout: "" });
    expect(sealed.stderr).toMatch(/pulumi-steward: Cannot search for secrets\.SchedulerAccess: .*sealed.*503/);
    await sandbox.reset();
    await role(`${mount}/role/web`);
    const path = `/v1/${mount}/role`;
    sandbox.faults.add({ system: "secrets", method: "LIST", path, action: "respond", status: 200, body: '{"data":{"keys":7}}', times: 9 });
    sandbox.faults.add({ system: "secrets", method: "GET", path, action: "respond", status: 200, body: '{"data":{"keys":7}}', times: 9 });
    expect(await discover(sandbox.env)).toMatchObject({ code: 1, stdout: "" });
    sandbox.faults.clear();
    const address = isReal ? "VAULT_ADDR" : "SECRETS_ADDR";
    const gone = await discover({ ...sandbox.env, [address]: "http://127.0.0.1:1" });
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    expect(gone.stderr).toContain("no connection to http://127.0.0.1:1");
    expect(existsSync("import.json")).toBe(false);
  });

  test("reads the servers from the stack's configuration, and prints that", async () => {
    const { sandbox, dialect, mount, role, discover, only } = stage();
    await role(`${mount}/role/web`);
    const { url: address, token } = sandbox.secrets;
    const variables = configured({ "steward:default": { secrets: { address, token, dialect } }, "steward:native": "true" });
    const { code, stdout, stderr } = await discover({ ...variables, ...only("platform"), VAULT_ADDR: "http://127.0.0.1:1" });
    expect(code).toBe(0);
    expect(stderr).toContain(`secrets   ${address}  (steward:default of the stack)\nplatform  ${sandbox.platform.url}  (environment)\n`);
    expect(stderr).not.toContain("steward:native");
    expect(stdout + stderr).not.toContain(token);
    expect(rows()).toHaveLength(7);
    await discover(variables, "--stack", "prod", "--overwrite");
    expect(readFileSync("asked", "utf8")).toBe(
      "config --json --show-secrets --non-interactive\nconfig --json --show-secrets --stack prod --non-interactive\n",
    );
  });

  test("lists the resources of another connection, which need an explicit provider to be imported", async () => {
    const { sandbox, dialect, mount, role, discover, only } = stage();
    await role(`${mount}/role/web`);
    const { url: address, token } = sandbox.secrets;
    const variables = configured({ "steward:oslo": { secrets: { address, token, dialect } } });
    const { code, stdout, stderr } = await discover({ ...variables, ...only("platform") }, "--connection", "oslo");
    expect([code, existsSync("import.json")]).toEqual([0, false]);
    expect(stdout).toMatch(new RegExp(`^steward:secrets:SchedulerRole +web +${mount}/role/web$`, "m"));
    expect(stdout).not.toContain("SMTP");
    expect(stderr).toContain(
      '`pulumi import` uses only the connection "default". Declare an explicit provider with the settings of steward:oslo',
    );
    const { stderr: wrong } = await discover(variables, "--connection", "bergen");
    expect(wrong).toBe(
      'pulumi-steward: No server is configured under the connection "bergen". Set steward:bergen in the configuration of the stack, or correct the name.\n',
    );
  });
});

describe("pulumi-steward discover without a server", () => {
  test("names the ways to configure one", async () => {
    const { code, stderr } = await steward({}, ["discover"]);
    expect([code, stderr]).toEqual([
      1,
      'pulumi-steward: No server is configured under the connection "default". Run the command in a project whose stack configures steward:default, pass --stack, or set SECRETS_ADDR or BAO_ADDR or VAULT_ADDR, or PLATFORM_ADDR or TFE_ADDRESS.\n',
    ]);
  });

  test("uses the environment if no stack is selected", async () => {
    writeFileSync("Pulumi.yaml", "name: story\nruntime: yaml\n");
    mkdirSync("below");
    process.chdir("below");
    const { stderr } = await steward(pulumi('echo "error: no stack selected; please use it" >&2; exit 255'), ["discover"]);
    expect(stderr).toContain(
      "Only the environment sets the servers: no stack selected; please use it.\npulumi-steward: No server is configured",
    );
    const { stderr: missing } = await steward({ PATH: folder }, ["discover"]);
    expect(missing).toContain("Only the environment sets the servers: pulumi is not on the PATH.\n");
  });

  test("fails if the configuration cannot be read", async () => {
    const { code, stderr } = await steward(pulumi('echo "error: incorrect passphrase" >&2; exit 255'), ["discover", "--stack", "prod"]);
    expect([code, stderr]).toEqual([
      1,
      "pulumi-steward: The configuration of the stack cannot be read: incorrect passphrase. Run `pulumi config` for details, or set the servers in the environment and run the command outside the project.\n",
    ]);
    const { stderr: missing } = await steward({ PATH: folder }, ["discover", "--stack", "prod"]);
    expect(missing).toContain("The configuration of the stack cannot be read: pulumi is not on the PATH.");
  });
});
