import { startSandbox } from "../../../support/sandbox";
import { newStory } from "../../../support/story";

test.each(["standard", "hashicorp"] as const)(
  "scheduler-report lists services that do not run, failed deployments and unavailable nodes, and writes nothing (sandbox, %s)",
  async (dialect) => {
    const sandbox = await startSandbox({ dialect });
    const project = newStory(sandbox.env);
    sandbox.scheduler.seed({
      jobs: [{ ID: "late", Namespace: "apps", Type: "service", Status: "pending" }],
      deployments: [{ ID: "d".repeat(36), Namespace: "apps", JobID: "late", Status: "failed", StatusDescription: "No progress" }],
      nodes: [{ ID: "e".repeat(36), Status: "down", HTTPAddr: "10.0.0.7:4646" }],
    });
    await project.example("scheduler-report").up();
    const { notRunning, jobs, failed, outOfWork } = await project.outputs();
    expect(notRunning).toEqual(["apps/late: pending"]);
    expect(jobs).toMatchObject({ apps: 2 });
    expect(failed).toContain("apps/late: No progress");
    expect(outOfWork).toEqual([expect.stringMatching(`^${"e".repeat(36)} \\(`)]);
    await project.expectConverged();
    const sent = sandbox.requests().filter(({ system }) => system === "scheduler");
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
    sandbox.scheduler.seed({ policies: [{ name: "other", namespaces: { other: "read" }, nodes: true }] });
    const small = sandbox.scheduler.tokens.mint({ policies: ["other"] }).secret;
    const { code, output } = await project
      .with({ [dialect === "hashicorp" ? "NOMAD_TOKEN" : "SCHEDULER_TOKEN"]: small })
      .pulumi("up", "--yes", "--skip-preview");
    expect([code === 0, output]).toEqual([false, expect.stringContaining("Permission denied")]);
    expect(output).not.toMatch(/^\s+at /m);
  },
);
