import { startVault } from "../../tools/servers";
import { call } from "../support/call";
import { declared, discoverIn, importAll } from "../support/discovery";
import { startGateway } from "../support/gateway";
import { nativeProject, Project } from "../support/project";
import { sentBy } from "../support/sandbox";

const names = [...Array(30).keys()].map((index) => `team-${index + 1}`);

const forms = [
  ["as single resources", [], names.length, "SchedulerRole "],
  ["as one set", ["--as-set"], 1, "SchedulerRoles "],
] as const;

describe.each(["dynamic", "native"] as const)("thirty roles of a real Vault become a %s program", (mechanism) => {
  const isNative = mechanism === "native";

  test.each(forms)("%s, and the first up sends nothing", async (_, options, count, type) => {
    const vault = await startVault();
    const gateway = await startGateway(vault.address);
    const write = (path: string, body: object): ReturnType<typeof call> =>
      call({ url: vault.address, token: vault.token }, "POST", `/v1/${path}`, body);
    // test/end-to-end/discover-dynamic.test.ts checks the types of such a program.
    const project = new Project({ PULUMI_NODEJS_TRANSPILE_ONLY: "true" });
    const sent = async (operation: () => Promise<unknown>): Promise<string[]> => (await sentBy(gateway, operation)).sent;
    try {
      for (const name of names) expect((await write(`nomad/role/${name}`, { policies: `${name},common` })).status).toBe(204);
      await write("nomad/config/lease", { ttl: "1h", max_ttl: "2h" });
      const secrets = { address: gateway.url, dialect: "hashicorp" };
      project.config({ "steward:default": { secrets } });
      if (isNative) await project.files({ "Pulumi.yaml": nativeProject() }).set("steward:native", "true");
      await project.set("steward:default.secrets.token", vault.token, "--path", "--secret");

      const found = await sent(async () => {
        const { resources, output } = await discoverIn(project, {}, ...options);
        expect(output).not.toContain(vault.token);
        expect(resources.filter((each) => `${each.type} `.endsWith(`:${type}`))).toHaveLength(count);
        expect(output).toContain(`${count + 1} resources in import.json`);
      });
      const paths = ["config/access", "config/lease", "role?list=true"];
      const searched = ["nomad", "team/scheduler"].flatMap((mount) => paths.map((path) => `GET /v1/${mount}/${path}`));
      // For the plugin, Pulumi reads each resource during the import.
      const roles = isNative ? [] : names.map((name) => `GET /v1/nomad/role/${name}`);
      const again = roles.length > 0 && options.length > 0 ? ["GET /v1/nomad/role?list=true"] : [];
      expect(found.sort()).toEqual(["GET /v1/sys/mounts", ...searched, ...roles, ...again].sort());
      const reads = await sent(async () => expect(await importAll(project, "--protect=false")).toContain(`${count + 1} imported`));
      expect(reads.filter((request) => !isNative || !request.startsWith("GET "))).toEqual([]);

      if (isNative) project.program(await declared(project));
      else project.files({ "package.json": '{ "name": "story", "main": "index.ts" }' });
      if (!isNative) await project.refresh("--expect-no-changes");
      expect(await sent(() => project.up("--expect-no-changes"))).toEqual([]);
      await project.refresh("--expect-no-changes");
    } finally {
      await gateway.close();
      await vault.stop();
    }
  });
});
