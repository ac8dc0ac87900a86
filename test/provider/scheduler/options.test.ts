import * as pulumi from "@pulumi/pulumi";
import { call } from "../../support/functions";
import { failure, invalidInputs } from "../../support/refusal";
import { answerList, serve } from "./server";

// test/troubles/fuzz/functions.test.ts has random options, and an unknown one of each function.

const job = { ID: "web" };

test.each<[name: string, options: unknown, problem: string]>([
  ["listJobs", { pagesize: 5 }, "unrecognized-keys"],
  ["listJobs", { pageSize: 0 }, "pageSize: too-small"],
  ["listJobs", { pageSize: 1.5 }, "pageSize: invalid-type"],
  ["listJobs", { namespace: "" }, "namespace: too-small"],
  ["listJobs", { stale: "yes" }, "stale: invalid-type"],
  ["listJobs", { reverse: 1 }, "reverse: invalid-type"],
  ["listJobs", { signal: {} }, "signal: abort-signal"],
  ["listJobs", { filter: " " }, "filter: empty"],
  ["listJobs", { filter: 5 }, "filter: filter"],
  ["listJobs", { filter: {} }, "filter: filter"],
  ["watch", { resource: "evaluations" }, "resource: invalid-value"],
  ["watch", undefined, "invalid-type"],
  ["watch", { resource: "jobs", wait: 0 }, "wait: at-least-1s"],
  ["watch", { resource: "jobs", wait: "soon" }, "wait: at-least-1s"],
  ["watch", { resource: "jobs", electionTimeout: 0 }, "electionTimeout: at-least-1s"],
  ["waitForDeployment", {}, "jobId: missing"],
  ["waitForDeployment", { jobId: "web", timeout: "0s" }, "timeout: at-least-1s"],
  ["waitForDeployment", { jobId: "web", namespace: "*" }, "namespace: one-namespace"],
  ["registerJob", undefined, "invalid-type"],
  ["registerJob", { job: "web" }, "job: job"],
  ["registerJob", { job: {} }, "job: job"],
  ["registerJob", { job: [job] }, "job: job"],
  ["registerJob", { job: { ...job, Meta: { a: pulumi.output("a") } } }, "job: output"],
  ["registerJob", { job: { ...job, Priority: 5n } }, "job: json"],
  ["registerJob", { job, namespace: "*" }, "namespace: one-namespace"],
])("%s %#: invalid options are rejected by name, and nothing is sent", async (name, options, problem) => {
  const seen = await serve((_, response) => answerList(response, []));
  expect(await failure(call(`scheduler.${name}`, options))).toEqual(invalidInputs(problem));
  expect(seen).toEqual([]);
});

test.each([
  ["registerJob", { job }],
  ["waitForDeployment", { jobId: "web" }],
])("%s needs a namespace if the connection is to all of them", async (name, options) => {
  const seen = await serve(({ method }, response) => (method === "PUT" ? response.end("{}") : answerList(response, [])));
  process.env.SCHEDULER_NAMESPACE = "*";
  expect(await failure(call(`scheduler.${name}`, options))).toEqual(invalidInputs("namespace: one-namespace"));
  expect(seen).toEqual([]);
  await call(`scheduler.${name}`, { ...options, namespace: "apps" }).catch(() => {});
  expect(seen[0]).toMatchObject({ query: { namespace: "apps" } });
});
