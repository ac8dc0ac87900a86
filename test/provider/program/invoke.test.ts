import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type * as grpc from "@grpc/grpc-js";
import { Output, unsecret } from "@pulumi/pulumi/output";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { noEngine } from "../../../provider/contract/operation";
import { createPlugin } from "../../../provider/engine/plugin";
import { unwrapSecrets } from "../../../provider/engine/plugin-values";
import { functions } from "../../../provider/registry/functions";
import { isObject } from "../../../provider/text/json";
import { Sandbox } from "../../../sandbox/index";
import { configOf } from "../../support/context";
import { call, functionNames, optionsOf } from "../../support/functions";
import { Plugin, startPlugin } from "../../support/plugin";
import { startSandbox } from "../../support/sandbox";

// Functions that read, as a program of another language calls them: through the engine, from the native plugin.

type Options = Record<string, JavaScriptValue>;

const schema = require("../../../bin/schema.json") as {
  functions: Record<string, { description: string; outputs: { properties: object } }>;
};
/** The result in a Node program, in plaintext. */
async function inNode(name: string, options: Options): Promise<unknown> {
  const found = await call(name, options);
  if (!isObject(found)) return found;
  const clear = ([field, value]: [string, unknown]): Promise<[string, unknown]> =>
    new Promise((done) =>
      Output.isInstance(value) ? unsecret(value as Output<unknown>).apply((known) => done([field, known])) : done([field, value]),
    );
  return Object.fromEntries(await Promise.all(Object.entries(found).map(clear)));
}

describe.each(["standard", "hashicorp"] as const)("in the %s dialect", (dialect) => {
  let sandbox: Sandbox;
  let plugin: Plugin;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect });
    const settings = JSON.stringify(configOf({ sandbox, dialect })["steward:default"]);
    setAllConfig({ "steward:default": settings });
    plugin = await startPlugin({});
    await plugin.configure("default", { default: settings });
  });
  afterAll(() => plugin.close());

  const invoke = (token: string, options: Options): Promise<Record<string, unknown>> =>
    new Promise((done, fail) =>
      plugin.client.invoke(
        new messages.InvokeRequest().setTok(`steward:${token}`).setArgs(Struct.fromJavaScript(options)),
        (error, answer) => (error ? fail(error) : done((answer?.getReturn()?.toJavaScript() ?? {}) as Record<string, unknown>)),
      ),
    );

  const ours = functions.filter(({ dialects }) => dialects?.includes(dialect) ?? true);

  test.each(ours)("$token returns the same result as in a Node program", async ({ token, property, secrets: secretFields = [] }) => {
    const name = token.replace(":", ".");
    const options = optionsOf(name) as Options;
    const before = sandbox.requests().length;
    const expected = await inNode(name, options);
    const between = sandbox.requests().length;
    const answer = await invoke(token, options);
    expect(sandbox.requests().length - between).toBe(between - before);
    const { properties, secrets: marked } = unwrapSecrets(answer);
    expect(properties).toEqual(JSON.parse(JSON.stringify(property ? { [property]: expected } : expected)));
    expect(marked).toEqual(secretFields.filter((field) => field in properties).map((field) => [field]));
    const spec = schema.functions[`steward:${token}`];
    expect(spec?.description).not.toBe("");
    expect(Object.keys(spec?.outputs.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(properties)));
  });

  const secret = (value: string): Options => ({ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value });

  test.each<[string, Options, RegExp]>([
    ["scheduler:listJobs", { filter: secret('canary === "') }, /^Cannot list jobs: .*\[secret\]/],
    ["platform:getWorkspace", { id: secret("ws-canary") }, /^Cannot read workspace: .*\[secret\]/],
  ])("an error of %s shows no secret option", async (token, options, message) => {
    const { details } = (await invoke(token, options).catch((error) => error)) as grpc.ServiceError;
    expect(details).toMatch(message);
    expect(details).not.toContain("canary");
  });

  test("a generated token replaces that of the connection, and nothing is sent while it is unknown", async () => {
    const before = sandbox.requests().length;
    expect(await invoke("scheduler:listJobs", { token: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" })).toEqual({});
    expect(sandbox.requests().length).toBe(before);
    const { secret: generated } = sandbox.scheduler.tokens.mint({ policies: ["readonly"] });
    for (const more of [{}, { address: sandbox.scheduler.url }] as Options[])
      expect((await invoke("scheduler:listJobs", { token: secret(generated), ...more })).jobs).toHaveLength(3);
    const { details } = (await invoke("scheduler:listJobs", { token: secret("canary") }).catch((error) => error)) as grpc.ServiceError;
    expect(details).toMatch(/403.*the option token/);
    expect(details).not.toContain("canary");
  });

  test.each<[string, Options, RegExp]>([
    ["secrets:listSchedulerRoles", { mounts: "nomad" }, /^Cannot list roles: .*mounts/],
    ["scheduler:listJobs", { pageSize: 0, connection: 1 }, /connection.*pageSize|pageSize.*connection/],
    ["secrets:listSchedulerRoles", { connection: "elsewhere" }, /"elsewhere"/],
    ["secrets:getNothing", {}, /steward:secrets:getNothing/],
  ])("%s with %j is rejected before anything is sent", async (token, options, message) => {
    const before = sandbox.requests().length;
    await expect(invoke(token, options)).rejects.toMatchObject({ details: expect.stringMatching(message) });
    expect(sandbox.requests().length).toBe(before);
  });
});

test("the plugin serves every function that reads", () => {
  const reading = functionNames.filter((name) => /\.(get|list)/.test(name)).map((name) => name.replace(".", ":"));
  expect(functions.map(({ token }) => token).sort()).toEqual(reading.sort());
  expect(Object.keys(schema.functions).sort()).toEqual(reading.map((token) => `steward:${token}`).sort());
});

test("a rejection that Pulumi handles late prints no warning of Node", () => {
  const script = `
    const { scheduler } = require(${JSON.stringify(join(__dirname, "../../../dist/provider"))});
    process.on("unhandledRejection", ({ code }) => console.error(code));
    const promise = scheduler.waitForDeployment({});
    setTimeout(() => {
      promise.catch(({ code }) => console.error(code));
      // Pulumi's SDK keeps the process alive. Node would print its warning before the next turn.
      setImmediate(() => process.exit());
    }, 50);`;
  const { stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(stderr.trim().split("\n")).toEqual(["ERR_INVALID_INPUT", "ERR_INVALID_INPUT"]);
});

test("functions warn of unused environment variables once in a plugin", async () => {
  const sandbox = await startSandbox({ dialect: "openbao" });
  const { url: BAO_ADDR, token: BAO_TOKEN } = sandbox.secrets;
  const lines: string[] = [];
  const plugin = createPlugin({ environment: { BAO_ADDR, BAO_TOKEN, VAULT_NAMESPACE: "canary" }, engine: noEngine }, (severity, line) =>
    lines.push(`${severity}: ${line}`),
  );
  for (const _ of [1, 2]) await plugin.invoke("steward:secrets:getRekeyStatus", {});
  await plugin.check("urn:pulumi:dev::test::steward:secrets:SchedulerRole::web", {}, { name: "web", policies: ["read"] });
  expect(lines).toEqual([expect.stringMatching(/^warning: VAULT_NAMESPACE is set but not used: BAO_ADDR /)]);
});
