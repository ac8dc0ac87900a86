import { Row } from "./records";

const jobFields =
  "CreateIndex Datacenters ID JobModifyIndex ModifyIndex Multiregion Name Namespace NodePool ParentID Priority Status StatusDescription Stop SubmitTime Type";
const nodeFields =
  "CreateIndex Datacenter Drivers HostVolumes ID LastDrain ModifyIndex Name NodeClass NodePool SchedulingEligibility Status StatusDescription";

/** A job in a list. `meta`: include its metadata. */
export function jobStub(job: Row, meta: boolean): Row {
  return sorted({
    ...only(job, jobFields),
    ...(meta && { Meta: job.Meta }),
    ParameterizedJob: job.ParameterizedJob !== null,
    Periodic: job.Periodic !== null,
    JobSummary: summary(job),
  });
}

/** The allocations of a job by group. All of them run while the job runs, since there are no clients. */
function summary({ ID, Namespace, CreateIndex, ModifyIndex, TaskGroups, Status, Periodic, ParameterizedJob }: Row): Row {
  const groups = (TaskGroups ?? []) as { Name: string; Count: number }[];
  const places = Periodic === null && ParameterizedJob === null;
  const group = (Count: number): Row => ({
    Complete: 0,
    Failed: 0,
    Lost: 0,
    Queued: places && Status === "pending" ? Count : 0,
    Running: places && Status === "running" ? Count : 0,
    Starting: 0,
    Unknown: 0,
  });
  return {
    Children: { Dead: 0, Pending: 0, Running: 0 },
    CreateIndex,
    JobID: ID,
    ModifyIndex,
    Namespace,
    Summary: Object.fromEntries(groups.map(({ Name, Count }) => [Name, group(Count)])),
  };
}

/** A node in a list, with its host instead of the API address of the full record. */
export function nodeStub(node: Row): Row {
  const { HTTPAddr, Attributes, DrainStrategy } = node;
  return sorted({
    ...only(node, nodeFields),
    Address: String(HTTPAddr)
      .replace(/:\d+$/, "")
      .replace(/^\[(.*)\]$/, "$1"),
    Drain: DrainStrategy !== null,
    Version: (Attributes as Record<string, string> | null)?.["nomad.version"] ?? "",
  });
}

/** The members of the cluster, with the properties of the responding agent. */
export function membership(members: Row[]): Row {
  const [first] = members as { Name?: string; Tags?: Record<string, string> }[];
  const region = first?.Tags?.region ?? "";
  return {
    Members: members,
    ServerDC: first?.Tags?.dc ?? "",
    ServerName: first?.Name?.replace(new RegExp(`\\.${region}$`), "") ?? "",
    ServerRegion: region,
  };
}

function only(row: Row, names: string): Row {
  return Object.fromEntries(names.split(" ").map((name) => [name, row[name]]));
}

function sorted(row: Row): Row {
  return Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
