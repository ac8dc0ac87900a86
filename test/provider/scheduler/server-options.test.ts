import { isSecret, Output, output, secret, unknown } from "@pulumi/pulumi/output";
import { scheduler } from "../../../provider";
import { call, functionNames, optionsOf } from "../../support/functions";
import { printed } from "../../support/printed";
import { failure, invalidInputs, refusal } from "../../support/refusal";
import { serveAt } from "../http/exchange";
import { answerList, serve } from "./server";

// The options `token`, `address` and `dialect`, with which a program uses a token that it generates.

const names = functionNames.filter((name) => name.startsWith("scheduler."));
const token = "canary-generated";
const { listJobs } = scheduler;
const isKnown = (value: unknown): Promise<boolean> => (output(value) as unknown as { isKnown: Promise<boolean> }).isKnown;
const settled = <T>(value: Output<T>): Promise<T> => new Promise((done) => value.apply(done));
const first = (name: string, options: object): Promise<unknown> =>
  call(name, { ...optionsOf(name), ...options }, 1).catch((error) => error);

/** Starts a server besides that of the connection. Returns its address and the requests that it gets. */
async function another(status = 200): Promise<{ address: string; seen: { url?: string; headers: Record<string, unknown> }[] }> {
  const seen: { url?: string; headers: Record<string, unknown> }[] = [];
  const address = await serveAt((request, response) => {
    seen.push(request);
    if (status !== 200) response.writeHead(status).end(`no access with ${token}`);
    else answerList(response, [{ ID: "web", JobID: "web" }], { "X-Scheduler-Index": 7, "X-Nomad-Index": 7 });
  });
  return { address, seen };
}

test("there are seven functions", () => expect(names).toHaveLength(7));

test.each(names)("%s uses the token and the address of its options, which may be outputs", async (name) => {
  const before = await serve((_, response) => answerList(response, []));
  process.env.SCHEDULER_NAMESPACE = "team";
  const { address, seen } = await another();
  await first(name, { token: secret(token), address: output(address) });
  expect([seen[0]?.headers["x-scheduler-token"], before]).toEqual([token, []]);
  if (/listDep|register/.test(name)) expect(seen[0]?.url).toContain("namespace=team");
  // A token alone goes to the server of the connection.
  await first(name, { token: Promise.resolve(token) });
  expect(before[0]?.headers["x-scheduler-token"]).toBe(token);
});

test.each(names)("%s sends nothing in a preview that does not know the token, and says so", async (name) => {
  const before = await serve((_, response) => answerList(response, []));
  const { address, seen } = await another();
  const result = await first(name, { token: output(unknown), address });
  // A list ends, and the functions that write or wait have no result in a preview.
  if (/list|watch/.test(name)) expect(result).toEqual([]);
  else if (name === "scheduler.getAgentMembers") expect(await isKnown(result)).toBe(false);
  else expect(result).toBeUndefined();
  expect([before, seen]).toEqual([[], []]);
  expect(printed).toEqual([
    expect.stringMatching(/: this preview does not (list|watch|read|register|wait) .*, since it does not know the token/),
  ]);
});

test("the output of a list is unknown with its token, and secret with a secret one", async () => {
  const seen = await serve((_, response) => answerList(response, [{ ID: "web" }]));
  expect(await isKnown(listJobs({ token: output<string>(unknown as never) }).output())).toBe(false);
  expect(seen).toEqual([]);
  const [plain, secretList] = [listJobs().output(), listJobs({ token: secret(token) }).output()];
  expect(await Promise.all([plain, secretList].map(async (list) => [await settled(list), await isSecret(list)]))).toEqual([
    [[{ ID: "web" }], false],
    [[{ ID: "web" }], true],
  ]);
});

test("without a connection, the options are the whole server", async () => {
  const { address, seen } = await another();
  await first("scheduler.listJobs", { token, address, dialect: "hashicorp" });
  expect(seen[0]?.headers["x-nomad-token"]).toBe(token);
  expect(await failure(call("scheduler.listJobs", { token, address }))).toEqual(invalidInputs("dialect: missing"));
  expect(await failure(call("scheduler.listJobs", { token }))).toEqual(refusal("ERR_NO_CONNECTION"));
});

test.each<[options: object, problem: string]>([
  [{ address: "http://localhost:1" }, "address: address-and-token"],
  [{ token: 5 }, "token: invalid-type"],
  [{ token: "" }, "token: too-small"],
  // The token of the connection may do more.
  [{ token: output(undefined) }, "token: too-small"],
  [{ token, address: output(undefined) }, "address: too-small"],
  [{ token, dialect: "nomad" }, "dialect: invalid-value"],
  [{ token, address: "localhost:4646" }, "url"],
  [{ token: `${token}\n x` }, "token-characters"],
])("the options %j are rejected, and nothing is sent", async (options, problem) => {
  const seen = await serve((_, response) => answerList(response, []));
  const error = await failure(call("scheduler.listJobs", options));
  expect(error).toEqual(problem.includes(" ") ? invalidInputs(problem) : refusal("ERR_INVALID_INPUT", { rule: problem }));
  expect(error.message).not.toContain("canary");
  expect(seen).toEqual([]);
});

test("an error names the option as the source of the token, and does not show the token that a server repeats", async () => {
  await serve((_, response) => answerList(response, []));
  const { address } = await another(403);
  const error = await failure(call("scheduler.listNodes", { token: secret(token), address }));
  expect(error).toMatchObject({ code: "ERR_FORBIDDEN", details: { hint: expect.stringContaining("comes from the option token") } });
  expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain("canary");
});
