import { join } from "node:path";
import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { ListRequest, ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { definitions } from "../../../provider/registry/resources";
import { Sandbox } from "../../../sandbox/index";
import { call } from "../../support/call";
import { limits } from "../../support/limits";
import { Plugin, startPlugin } from "../../support/plugin";
import { nativeProject, Project } from "../../support/project";
import { startSandbox } from "../../support/sandbox";

// The plugin over gRPC, as the engine calls it, and the ids and names of all objects of a type, for `pulumi do <type> list`.

let sandbox: Sandbox;
let plugin: Plugin;
beforeAll(async () => {
  sandbox = await startSandbox();
  plugin = await startPlugin({ environment: sandbox.env, limits: { ...limits, maxRetries: 0 } });
  await plugin.configure("default");
  for (const name of ["web", "batch"])
    await call(sandbox.secrets, "POST", `/v1/nomad/role/${name}`, { policies: "deploy", type: "client" });
  const access = { address: "https://nomad.example.com:4646", token: "canary-token" };
  await call(sandbox.secrets, "POST", "/v1/nomad/config/access", access);
});
afterAll(() => plugin.close());

async function list(type: string, limit = 0): Promise<string[]> {
  const found: string[] = [];
  for await (const response of plugin.client.list(
    new ListRequest().setToken(`steward:${type}`).setLimit(limit),
  ) as AsyncIterable<ListResponse>)
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

const urn = "urn:pulumi:dev::test::steward:secrets:SchedulerRole::web";
const create = (name: string): Promise<unknown> => {
  const properties = Struct.fromJavaScript({ name, policies: ["deploy"], type: "client", mount: "nomad" });
  return promisify<messages.CreateRequest, unknown>(plugin.client.create.bind(plugin.client))(
    new messages.CreateRequest().setUrn(urn).setProperties(properties),
  );
};

test("an error without a response contains the resource that may exist", async () => {
  sandbox.faults.add({ system: "secrets", method: "POST", path: /role\/made$/, action: "drop-after" });
  const error = await create("made").then(
    () => undefined,
    (reason: grpc.ServiceError) => reason,
  );
  const [packed] = error?.metadata.get("grpc-status-details-bin") ?? [];
  const [detail] = Status.deserializeBinary(packed as Buffer).getDetailsList();
  const made = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() as Uint8Array);
  expect(made.getId()).toBe("nomad/role/made");
  expect(made.getProperties()?.toJavaScript()).toMatchObject({ name: "made", __outcomeUnknown: true });
  expect(made.getReasonsList()).toEqual([error?.details]);
  sandbox.faults.clear();
});

test("a failed check names the property only in its reason", async () => {
  const request = new messages.CheckRequest().setUrn(urn).setNews(Struct.fromJavaScript({ name: "made", policies: ["a b "] }));
  const checked = await promisify<messages.CheckRequest, messages.CheckResponse>(plugin.client.check.bind(plugin.client))(request);
  expect(checked.getFailuresList().map((each) => each.toObject())).toEqual([
    { property: "", reason: expect.stringMatching(/^policies\[0\]: /) },
  ]);
});

test.each([
  ["default_0_1_0", 'connection "default"'],
  ["production", 'provider "production"'],
])("an error of the provider %s names the %s", async (name, expected) => {
  await plugin.configure(name, { secrets: JSON.stringify({ address: sandbox.secrets.url, token: "wrong", dialect: "hashicorp" }) });
  await expect(create(name)).rejects.toThrow(expected);
  await plugin.configure("default");
});
