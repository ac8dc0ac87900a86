import type { Noun, Records, Row } from "./records";
import { home, keyOf } from "./records";
import { defaults, member, nanoseconds } from "./seed";
import type { SchedulerSeed } from "./service";

const known = ["region", "jobs", "deployments", "nodes", "members", "namespaces", "policies"];

/** Adds what the seed names, or replaces what has the same identity. A wrong seed changes nothing. */
export function applySeed(records: Records, seed: SchedulerSeed): void {
  check(seed);
  const region = records.region(seed.region ?? home);
  for (const name of seed.namespaces ?? []) records.namespaces.add(name);
  for (const policy of seed.policies ?? []) records.policies.set(policy.name, structuredClone(policy));
  for (const given of seed.members ?? []) region.members.set(given.Name, member(structuredClone(given), region.name));

  const now = nanoseconds(records.clock.now().getTime());
  const write = (noun: Noun, row: Row): void => {
    const namespace = String(row.Namespace ?? "default");
    if (noun !== "nodes") records.namespaces.add(namespace);
    region.write(noun, keyOf(noun, String(row.ID), namespace), {
      ...defaults[noun],
      ...row,
      ...(noun !== "nodes" && { Namespace: namespace }),
    });
  };
  region.together(() => {
    for (const job of seed.jobs ?? []) {
      const JobModifyIndex = region.index + 1;
      write("jobs", { Name: job.ID, Region: region.name, SubmitTime: now, JobModifyIndex, ...job });
    }
    for (const deployment of seed.deployments ?? []) {
      const job = region.find("jobs", String(deployment.JobID), deployment.Namespace);
      const { JobModifyIndex = 0, CreateIndex: JobCreateIndex = 0 } = job ?? {};
      write("deployments", {
        JobModifyIndex,
        JobSpecModifyIndex: JobModifyIndex,
        JobCreateIndex,
        CreateTime: now,
        ModifyTime: now,
        ...deployment,
      });
    }
    for (const node of seed.nodes ?? []) write("nodes", { Name: node.ID, ...node });
  });
  records.wake();
}

/** What would otherwise be found late: a misspelt member, a record without its name. */
function check(seed: SchedulerSeed): void {
  const unknown = Object.keys(seed).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`Unknown member "${unknown}" of a seed. Known: ${known.join(", ")}.`);
  for (const noun of ["jobs", "deployments", "nodes"] as const)
    for (const { ID } of seed[noun] ?? [])
      if (typeof ID !== "string" || ID === "") throw new TypeError(`Each of the seed's ${noun} needs its ID.`);
  for (const { Name } of seed.members ?? [])
    if (typeof Name !== "string" || Name === "") throw new TypeError("Each of the seed's members needs its Name.");
  for (const { name } of seed.policies ?? [])
    if (typeof name !== "string" || name === "") throw new TypeError("Each of the seed's policies needs its name.");
}
