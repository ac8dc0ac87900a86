import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ConfigureRequest, ListRequest, ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { definitions } from "../../../provider/definitions";
import { servePlugin } from "../../../provider/engine/plugin-server";
import { Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";
import { nativeProject, Project } from "../../support/project";

// The ids and names of all objects of a type, for `pulumi do <type> list`.

let sandbox: Sandbox;
let served: Awaited<ReturnType<typeof servePlugin>>;
let client: ResourceProviderClient;
beforeAll(async () => {
  sandbox = await start({ dialect: "hashicorp" });
  served = await servePlugin(undefined, "0.0.0", { environment: sandbox.env });
  client = new ResourceProviderClient(`127.0.0.1:${served.port}`, grpc.credentials.createInsecure());
  await new Promise((done) => client.configure(new ConfigureRequest().setArgs(Struct.fromJavaScript({})), done));
  for (const name of ["web", "batch"])
    await call(sandbox.secrets, "POST", `/v1/nomad/role/${name}`, { policies: "deploy", type: "client" });
  const access = { address: "https://nomad.example.com:4646", token: "canary-token" };
  await call(sandbox.secrets, "POST", "/v1/nomad/config/access", access);
});
afterAll(async () => {
  client.close();
  served.close();
  await sandbox.close();
});

async function list(type: string, limit = 0): Promise<string[]> {
  const found: string[] = [];
  for await (const response of client.list(new ListRequest().setToken(`steward:${type}`).setLimit(limit)) as AsyncIterable<ListResponse>)
    found.push(`${response.getResult()?.getName()} ${response.getResult()?.getId()}`);
  return found.sort();
}

test.each([
  ["secrets:SchedulerRole", ["batch nomad/role/batch", "web nomad/role/web"]],
  ["secrets:SchedulerRoles", ["nomad nomad/role"]],
  ["secrets:SchedulerAccess", ["nomad nomad/config/access"]],
  ["secrets:SchedulerLease", []],
  ["platform:SmtpSettings", ["smtp smtp"]],
  ["secrets:SchedulerToken", []],
])("lists each %s with its name and id", async (type, expected) => {
  expect(await list(type)).toEqual(expected);
});

test("lists at most as many as asked for, and reports an error in one sentence", async () => {
  expect(await list("secrets:SchedulerRole", 1)).toHaveLength(1);
  await expect(list("secrets:Unknown")).rejects.toThrow("pulumi-steward has no resource type steward:secrets:Unknown");
  await sandbox.secrets.seal();
  await expect(list("secrets:SchedulerRole")).rejects.toThrow(/Cannot list secrets\.SchedulerRole: .*sealed/);
});

test("the schema says which types can be listed", () => {
  const { resources } = require("../../../bin/schema.json");
  const listed = Object.keys(resources).filter((type) => resources[type].listInputs);
  expect(listed).toEqual(definitions.filter(({ discover }) => typeof discover === "function").map(({ token }) => `steward:${token}`));
});

test("pulumi do prints them", async () => {
  await sandbox.reset();
  await call(sandbox.secrets, "POST", "/v1/nomad/role/web", { policies: "deploy", type: "client" });
  const project = new Project(sandbox.env).files({ "Pulumi.yaml": nativeProject() });
  try {
    const { output } = await project.pulumi(
      "do",
      "--package",
      join(__dirname, "../../../bin/pulumi-resource-steward"),
      "steward:secrets:SchedulerRole",
      "list",
    );
    expect(output).toContain("nomad/role/web");
  } finally {
    project.remove();
  }
});
