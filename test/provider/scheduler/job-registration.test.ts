import { output } from "@pulumi/pulumi";
import { scheduler } from "../../../provider";
import { printed } from "../../support/printed";
import { failure } from "../../support/refusal";
import { serve } from "./server";

const { registerJob } = scheduler;
const job = { ID: "web", Name: "web", TaskGroups: [] };

test("sends the job once and unchanged, and returns the response", async () => {
  const seen = await serve((_, response) => response.end('{"EvalID":"e1","JobModifyIndex":7}'));
  expect(await registerJob({ job, namespace: "team", region: "eu", stale: true })).toEqual({ EvalID: "e1", JobModifyIndex: 7 });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: "PUT", path: "/v1/jobs", query: { namespace: "team", region: "eu" } });
  expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ Job: job });
  await registerJob({ job: { Job: job, EnforceIndex: true, JobModifyIndex: 3 } });
  expect(JSON.parse(seen[1]?.body ?? "")).toEqual({ Job: job, EnforceIndex: true, JobModifyIndex: 3 });
});

test("is retried only after a 429, which had no effect, and a lost response says that the job may be registered", async () => {
  const seen = await serve((asked, response, count) => {
    if (count === 1) asked.request.socket.destroy();
    else if (count === 5) response.writeHead(429, { "retry-after": "0" }).end();
    else if (count === 6) response.end('{"EvalID":"e1"}');
    else response.writeHead([503, 500][count - 2] ?? 400).end("Missing task groups");
  });
  expect(await failure(registerJob({ job }))).toMatchObject({
    ...{ code: "ERR_NO_RESPONSE", method: "PUT", path: "/v1/jobs", message: expect.stringContaining('"web"') },
    details: { outcomeUnknown: true },
  });
  for (const status of [503, 500, 400]) {
    const error = await failure(registerJob({ job }));
    expect(error).toMatchObject({ status, details: { reason: "Missing task groups" } });
  }
  expect(seen).toHaveLength(4);
  expect(await registerJob({ job })).toEqual({ EvalID: "e1" });
  expect(seen).toHaveLength(6);
});

test("a gateway's response is no success on Nomad", async () => {
  const seen = await serve((_, response, count) => response.end(['{"message":"maintenance"}', "[]"][count - 1]), "hashicorp");
  for (const _ of [1, 2])
    expect(await failure(registerJob({ job }))).toMatchObject({ code: "ERR_UNEXPECTED_RESPONSE", details: { outcomeUnknown: true } });
  expect(await failure(registerJob({ job }))).toMatchObject({ code: "ERR_UNEXPECTED_RESPONSE" });
  expect(seen).toHaveLength(3);
});

test.each([output("web"), Promise.resolve("web")])("rejects a job that contains %p before it is sent", async (ID) => {
  const seen = await serve((_, response) => response.end("{}"));
  expect(await failure(registerJob({ job: { Job: { ID } } }))).toMatchObject({
    code: "ERR_INVALID_INPUT",
    message: expect.stringContaining("contains an output"),
  });
  expect(seen).toEqual([]);
});

test("sends nothing in a preview and reports that", async () => {
  const seen = await serve((_, response) => response.end("{}"));
  const { settings } = jest.requireActual("@pulumi/pulumi/runtime/state").getStore();
  const before = settings.options.dryRun;
  try {
    settings.options.dryRun = true;
    expect(await registerJob({ job })).toBeUndefined();
    expect(await scheduler.waitForDeployment({ jobId: "web" })).toBeUndefined();
    // Invalid options fail in a preview, too.
    expect((await failure(registerJob({ job: {} }))).code).toBe("ERR_INVALID_INPUT");
    expect(printed).toEqual([
      expect.stringContaining(' job "web" is not registered'),
      expect.stringContaining(' does not wait for the deployment of job "web"'),
    ]);
    expect(seen).toEqual([]);
  } finally {
    settings.options.dryRun = before;
  }
});
