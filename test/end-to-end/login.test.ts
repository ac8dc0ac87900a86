import { call } from "../support/call";
import { allowLogins, idToken } from "../support/identity";
import { nativeProject, Project } from "../support/project";
import { sentBy, startSandbox } from "../support/sandbox";

// Only the real command line ends the processes: it interrupts that of the provider, while that of the program has no work left.

test.each(["dynamic", "native"])("each process of a run logs in once and revokes its token at its end, %s", async (mechanism) => {
  const sandbox = await startSandbox();
  const role = await allowLogins(sandbox.secrets, 'path "nomad/*" { capabilities = ["create", "read", "update", "delete", "list"] }');
  const ID_TOKEN = idToken();
  const project = new Project({ ID_TOKEN });
  if (mechanism === "native") project.files({ "Pulumi.yaml": nativeProject() });
  const login = { path: "auth/jwt/login", body: { role, jwt: { env: "ID_TOKEN" } } };
  const secrets = { address: sandbox.secrets.url, dialect: "hashicorp", login };
  project.config({ "steward:default": { secrets }, ...(mechanism === "native" && { "steward:native": "true" as unknown as object }) });
  project.program(`
    for (const name of ["web", "ops"]) new secrets.SchedulerRole(name, { name, policies: ["a"] });
    exports.roles = secrets.listSchedulerRoles().then((names) => names.length);`);
  const tokens = async (): Promise<number> =>
    (await call(sandbox.secrets, "GET", "/v1/auth/token/accessors?list=true")).json.data.keys.length;
  const { sent, run } = await sentBy(sandbox, () => project.pulumi("up", "--yes"));
  expect(run.code).toBe(0);
  const count = (end: string): number => sent.filter((request) => request.endsWith(end)).length;
  // The program of the preview, that of the update, and the provider of the update.
  expect([count("/auth/jwt/login"), count("/auth/token/revoke-self"), await tokens()]).toEqual([3, 3, 1]);
  expect(run.output + project.stored()).not.toContain(ID_TOKEN);
  expect(run.output + project.stored()).not.toContain("hvs.");

  const failed = await project.with({ ID_TOKEN: idToken(-600) }).pulumi("refresh", "--yes", "--skip-preview");
  expect([failed.code === 0, failed.output.includes("An ID token may have expired")]).toEqual([false, true]);
  await project.with({}).destroy();
  expect(await tokens()).toBe(1);
});
