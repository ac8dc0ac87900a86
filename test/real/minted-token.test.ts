import { call } from "../support/call";
import { Project } from "../support/project";
import { targets } from "../support/target";

const nomad = { address: process.env.REAL_NOMAD_ADDRESS ?? "", token: process.env.REAL_NOMAD_TOKEN ?? "" };
const ask = (token: string, path: string, method = "GET", body?: object): ReturnType<typeof call> =>
  call({ url: nomad.address, token }, method, `/v1/${path}`, body);

test("Vault generates a token that has exactly its role's permissions in Nomad", async () => {
  const vault = await (targets[0] ?? fail()).start();
  const mount = await vault.newMount();
  const policy = { Name: "steward-jobs", Rules: 'namespace "default" { policy = "read" }' };
  expect((await ask(nomad.token, "acl/policy/steward-jobs", "POST", policy)).status).toBe(200);

  const project = new Project({ VAULT_ADDR: vault.address, VAULT_TOKEN: vault.token, MANAGEMENT_TOKEN: nomad.token }).program(`
    const mount = ${JSON.stringify(mount)};
    const access = new secrets.SchedulerAccess("access", { address: ${JSON.stringify(nomad.address)}, token: process.env.MANAGEMENT_TOKEN, mount });
    new secrets.SchedulerLease("lease", { ttl: "10m", maxTtl: "1h", mount });
    new secrets.SchedulerRole("jobs", { name: "jobs", policies: ["steward-jobs"], mount }, { dependsOn: access });
    new secrets.SchedulerRole("operator", { name: "operator", type: "management", mount }, { dependsOn: access });
  `);
  try {
    await project.up();
    await project.expectConverged();
    expect(project.stored()).not.toContain(nomad.token);

    const jobs = (await vault.outOfBand("GET", `${mount}/creds/jobs`)).data;
    expect((await ask(String(jobs?.secret_id), "jobs")).status).toBe(200);
    expect((await ask(String(jobs?.secret_id), "acl/policies")).status).toBe(200);
    expect((await ask(String(jobs?.secret_id), "acl/policies")).json).toHaveLength(1);
    expect((await ask(String(jobs?.secret_id), "acl/tokens")).status).toBe(403);
    const operator = (await vault.outOfBand("GET", `${mount}/creds/operator`)).data;
    expect((await ask(String(operator?.secret_id), "acl/tokens")).status).toBe(200);

    await project.destroy();
    // No management token is left that could create others.
    expect((await vault.outOfBand("GET", `${mount}/config/access`)).status).toBe(404);
  } finally {
    project.remove();
    await vault.stop();
  }
});

function fail(): never {
  throw new Error("There is no real server to test on.");
}
