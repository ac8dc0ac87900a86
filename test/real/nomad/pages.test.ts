import { call } from "../../support/call";
import { Guides, imports } from "../../support/guides";
import { packed } from "../../support/installation";
import { exitCodes } from "../../support/pages";
import { jobOf } from "../../support/scheduler";
import { templates } from "../../support/templates";
import { until } from "../../support/until";

const withTemplates = templates();
const { unasked } = exitCodes;
const guides = new Guides(packed());

guides.test("docs/getting-started/nomad.md", { hasProject: false }, async (reader) => {
  reader.with(withTemplates());
  const { nomad } = guides;
  const onNomad = (...request: [method: string, path: string, body?: object]): ReturnType<typeof call> =>
    guides.onNomad(nomad.token, ...request);
  expect((await onNomad("PUT", "namespace/apps", { Name: "apps" })).status).toBe(200);

  reader.save("hcl", "report.nomad.hcl");
  reader.save("hcl", "deploy.nomad.hcl");
  const tokens = await reader.with({ NOMAD_ADDR: nomad.address, NOMAD_TOKEN: nomad.token }).shell();
  const [report = "", deploy = ""] = [...tokens.matchAll(/^Secret ID += (\S+)$/gm)].map(([, secret = ""]) => secret);
  expect(await reader.run("nomad acl token create -policy=steward-report -ttl=25h", { code: 1 })).toContain("24h0m0s");
  await reader.with({ NOMAD_ADDR: "", NOMAD_TOKEN: report }).shell();

  reader.program();
  await reader.says("pulumi up");
  expect(JSON.parse(await reader.run("pulumi stack output --json"))).toMatchObject({ running: [], notRunning: [] });
  await reader.says("pulumi config set strict true");
  const refresh = reader.take("sh");
  await reader.run(refresh);
  await onNomad("PUT", "jobs", { Job: jobOf("late", { Datacenters: ["none"] }) });
  const red = await reader.run(refresh, { code: unasked });
  expect(red).toContain("These services should run: default/late.");
  expect(await reader.run("pulumi stack output notRunning")).toBe("[]\n");
  await onNomad("DELETE", "job/late?purge=true");

  await onNomad("PUT", "jobs", { Job: crashing });
  const stub = async (): Promise<{ Status: string; JobSummary: { Summary: { main: { Starting: number } } } }> =>
    (await onNomad("GET", "jobs?prefix=crashing")).json[0];
  await until("the job restarts", async () => (await stub()).JobSummary.Summary.main.Starting === 1);
  expect(await reader.run(refresh, { code: unasked })).toContain("These services should run: default/crashing.");
  expect(await stub()).toMatchObject({ Status: "running" });
  await onNomad("DELETE", "job/crashing?purge=true");
  await reader.run(refresh);
  // Nomad returns only the namespace `apps`.
  expect(await reader.with({ NOMAD_TOKEN: deploy }).run(refresh, { code: unasked })).toContain('capabilities = ["list-jobs"]');

  reader.program();
  reader.write("web.nomad.hcl", jobFile);
  const [, command = ""] = /\/\/ (nomad job run .*)$/m.exec(reader.read("index.ts")) ?? [];
  await reader.with({ NOMAD_ADDR: nomad.address, NOMAD_TOKEN: deploy }).run(command);
  reader.with({ NOMAD_ADDR: "" });
  expect(await reader.run("pulumi preview")).toContain('job "web" is not registered in a preview');
  expect((await onNomad("GET", "job/web?namespace=apps")).status).toBe(404);
  await reader.says("pulumi up");
  expect(await reader.run("pulumi stack output deployed")).toBe("successful\n");
  // The job has no new version now.
  await reader.says("pulumi up");
  expect(await reader.run("pulumi stack output deployed")).toBe("successful\n");
});

guides.test("docs/guides/nomad-tokens.md#rotate-the-management-token", { own: { "<role>": "operator" } }, async (reader) => {
  reader.with({ VAULT_ADDR: guides.vault.address, NOMAD_ADDR: guides.nomad.address, NOMAD_TOKEN: guides.nomad.token });
  const made = async (output: Promise<string>): Promise<{ accessor: string; secret: string }> => {
    const fields = Object.fromEntries([...(await output).matchAll(/^(\w+) ID += (\S+)$/gm)].map(([, name, value]) => [name, value]));
    return { accessor: fields.Accessor ?? "", secret: fields.Secret ?? "" };
  };
  const { secret: NOMAD_TOKEN } = await made(reader.run("nomad acl token create -type=management"));
  const old = await made(reader.with({ NOMAD_TOKEN }).says("nomad acl token self"));
  expect(old.secret).toBe(NOMAD_TOKEN);
  reader.write(
    "index.ts",
    `${imports}new secrets.SchedulerAccess("access", { address: "${guides.nomad.address}", token: { env: "NOMAD_MANAGEMENT_TOKEN" } });`,
  );
  await reader.run("export NOMAD_MANAGEMENT_TOKEN=$(cat) && pulumi up", { input: old.secret });
  await guides.onVault("POST", "nomad/role/operator", { type: "management", global: true });

  const renewed = await made(reader.shell());
  reader.program(imports);
  expect(await reader.shell({ input: `${renewed.secret}\n` })).toMatch(/1 updated/);
  await reader.with({ NOMAD_TOKEN: renewed.secret }).says("nomad acl token delete <accessor>", { own: { "<accessor>": old.accessor } });
  const read = await reader.says("vault read nomad/creds/<role>");
  expect(read).toMatch(/^secret_id +[0-9a-f-]{36}$/m);
  const [, lease = ""] = /^lease_id +(\S+)$/m.exec(read) ?? [];
  await reader.says("vault lease revoke -sync <lease_id>", { own: { "<lease_id>": lease } });
});

/** A job whose task fails at once. Nomad restarts it after an hour, and calls the job running meanwhile. */
const crashing = {
  ...jobOf("crashing", { Update: null }),
  TaskGroups: [
    {
      Name: "main",
      RestartPolicy: { Attempts: 9, Interval: 864e11, Delay: 36e11, Mode: "delay" },
      Tasks: [{ Name: "pretend", Driver: "mock_driver", Config: { run_for: "1ms", exit_code: 1 }, Resources: { CPU: 1, MemoryMB: 10 } }],
    },
  ],
};

const jobFile = `
job "web" {
  namespace = "apps"
  datacenters = ["dc1"]
  group "web" {
    update {
      min_healthy_time = "0s"
      healthy_deadline = "1m"
    }
    task "web" {
      driver = "mock_driver"
      config {
        run_for = "1h"
      }
      resources {
        cpu = 10
        memory = 10
      }
    }
  }
}`;
