import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import * as fc from "fast-check";
import { z } from "zod";
import { connect } from "../../../provider/connection";
import { StewardError } from "../../../provider/contract/errors";
import { inputSchema } from "../../../provider/contract/fields";
import { checkFailures } from "../../../provider/contract/inputs";
import { noEngine, System } from "../../../provider/contract/operation";
import * as platformClient from "../../../provider/platform/client";
import { definitions } from "../../../provider/registry/resources";
import * as schedulerClient from "../../../provider/scheduler/client";
import * as secretsClient from "../../../provider/secrets/client";
import { inspectShares } from "../../../provider/secrets/rekey/inputs";
import { isObject } from "../../../provider/text/json";
import { call, functionNames } from "../../support/functions";
import { limited, limits } from "../../support/limits";
import { fieldsOf, fitting } from "./arbitrary";
import { Server, startServer } from "./server";

// Every schema, with values of every JSON type in every place. Only this package words what a user reads: zod's own messages are replaced by a mark.

const foreign = "a message of zod";
const values: readonly unknown[] = [null, true, -1, 1.5, 1e300, "", "x", [], [null], [5], ["x"], {}, { x: 5 }, { "a.b": {} }];

/** The value with each of its parts replaced by each of these values, or removed, and each object with another key. */
function* damaged(value: unknown): Generator<unknown> {
  yield* values;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) for (const other of damaged(item)) yield Object.assign([...value], { [index]: other });
  if (!isObject(value)) return;
  yield { ...value, unheard: 1 };
  for (const [key, inner] of Object.entries(value)) {
    const { [key]: _, ...rest } = value;
    yield rest;
    for (const other of damaged(inner)) yield { ...value, [key]: other };
  }
}

let server: Server;
Object.assign(limits, { initialBackoff: 1, deadline: 1_000 });
beforeAll(async () => {
  z.config({ customError: () => foreign });
  server = await startServer();
  const connection = { address: server.address, token: "canary" };
  setAllConfig({ "steward:default": JSON.stringify({ secrets: connection, platform: connection, scheduler: connection }) });
});

test.each(definitions)("the inputs of $token", (definition) => {
  const messages = new Set<string>();
  for (const field of fieldsOf(definition))
    for (const valid of fc.sample(fitting[field] as fc.Arbitrary<unknown>, 5))
      for (const value of damaged(valid)) {
        const inputs = { [field]: value };
        const { error } = inputSchema(definition.fields).safeParse(inputs);
        for (const { path, reason } of checkFailures(error ?? { issues: [] }, inputs)) messages.add(`${path}: ${reason}`);
      }
  expect(messages.size).toBeGreaterThan(0);
  expect([...messages].filter((message) => message.includes(foreign))).toEqual([]);
});

test("the shares of a rekey", () => {
  const findings = [...damaged(["x", { env: "X" }, { file: "x" }])].flatMap(
    (shares) => inspectShares({ currentShares: shares, newShares: shares } as never).shareFindings,
  );
  expect(findings.map(({ reason }) => reason)).not.toEqual([]);
  expect(findings.filter(({ reason }) => reason.includes(foreign))).toEqual([]);
});

/** The error of a call. Empty if it succeeds. */
async function errorOf(work: () => unknown): Promise<string> {
  server.say([{ status: 403, headers: {}, wrong: [], choice: 0, echoes: false }]);
  try {
    await limited(work);
    return "";
  } catch (error) {
    if (!(error instanceof StewardError) || error.code === "ERR_INTERNAL") throw error;
    return error.message;
  }
}

/** Expects an own message for each wrong value, as a whole and of each property. An unknown property makes the schema name those that it has. */
async function expectOwnWording(call: (value: unknown) => unknown, base: object = {}): Promise<void> {
  const [, listed = ""] = /expected one of (.*?)\./.exec(await errorOf(() => call({ ...base, unheard: 1 }))) ?? [];
  expect(listed).not.toBe("");
  const given = [...values, ...listed.split(", ").flatMap((key) => [...damaged([{}])].map((value) => ({ ...base, [key]: value })))];
  for (const value of given)
    expect({ value, error: await errorOf(() => call(value)) }).not.toMatchObject({ error: expect.stringContaining(foreign) });
}

test.each([...functionNames, "secrets.decryptShare"])("the options of %s", (name) => expectOwnWording((options) => call(name, options, 1)));

const clients = [secretsClient, platformClient, schedulerClient].map(({ system }) => [system.name, system as System<object>] as const);

test.each(clients)("the settings of %s in a connection", async (name, system) => {
  const sources = { environment: {}, cache: new Map(), engine: noEngine, log: { info: () => {}, warn: () => {} } };
  const connectTo = (value: unknown): unknown => connect(system, "default", { ...sources, config: () => JSON.stringify(value) });
  await expectOwnWording(connectTo);
  await expectOwnWording((value) => connectTo({ [name]: value }), { address: server.address });
});
