import { start } from "../../sandbox/index";
import { call } from "../support/call";
import { declared, discoverIn, importAll } from "../support/discovery";
import { nativeProject, Project } from "../support/project";

// Turns a running installation into a program: `discover`, `pulumi import`, and an `up` that sends nothing.

test("discover and pulumi import adopt an installation, and the first up writes only the unreadable token", async () => {
  const sandbox = await start({ dialect: "hashicorp" });
  const { secrets, platform, scheduler } = sandbox;
  const variables = { STEWARD_TOKEN: secrets.token, TFE_TOKEN: platform.token };
  const project = new Project(variables);
  const write = (path: string, body: object): ReturnType<typeof call> => call(secrets, "POST", `/v1/${path}`, body);
  await write("nomad/config/access", { address: scheduler.url, token: scheduler.token });
  await write("nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
  for (const name of ["web", "web.1", "class"]) await write(`nomad/role/${name}`, { policies: "web,deploy", type: "client" });
  await write("sys/mounts/team/ops", { type: "nomad" });
  await write("team/ops/role/web", { type: "management", global: true });
  const attributes = { "api-rate-limiting-enabled": false };
  await call(platform, "PATCH", "/api/v2/admin/general-settings", { data: { attributes } });
  const deprecation = { "deprecated-status": "Deprecated", reason: "old", link: "https://example.com" };
  const version = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
  await call(platform, "PATCH", version, { data: { type: "module-versions", attributes: { deprecation } } });
  const dialect = "hashicorp";
  project.files({ "Pulumi.yaml": nativeProject() }).config({
    "steward:default": {
      secrets: { address: secrets.url, tokenEnv: "STEWARD_TOKEN", dialect },
      platform: { address: platform.url, tokenEnv: "TFE_TOKEN", dialect },
    },
  });
  /** The requests of an operation that are not reads. */
  const writesOf = async (operation: () => Promise<unknown>): Promise<string[]> => {
    const before = sandbox.requests().length;
    await operation();
    const sent = sandbox.requests().slice(before);
    return sent.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  };
  try {
    await project.set("steward:native", "true");
    const { output, resources } = await discoverIn(project, variables);
    expect(output).toContain(`${secrets.url}  (steward:default of the stack)`);
    expect(output).toContain("$ pulumi import --file import.json --out imported.txt");
    expect(resources).toHaveLength(13);
    expect(await writesOf(async () => expect(await importAll(project)).toContain("13 imported"))).toEqual([]);

    project.program(await declared(project, { "nomad-access": { token: scheduler.token } }));
    const first = await writesOf(async () => expect((await project.up()).output).toMatch(/1 updated\n.*13 unchanged/));
    expect(first).toEqual(["POST /v1/nomad/config/access"]);
    expect(await writesOf(() => project.calm())).toEqual([]);
  } finally {
    project.remove();
    await sandbox.close();
  }
});
