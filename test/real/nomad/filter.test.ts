import { type Sandbox, type Service } from "../../../sandbox/index";
import { startNomad } from "../../../tools/servers";
import { call } from "../../support/call";
import { startSandbox } from "../../support/sandbox";
import { jobOf } from "../../support/scheduler";
import { until } from "../../support/until";

// A separate Nomad: other suites register jobs in the shared one at any time.
let nomad: { address: string; token: string; stop(): Promise<void> };
const real = { url: "", token: "" };
const group = {
  Name: "web",
  Count: 1,
  Tasks: [{ Name: "t", Driver: "mock_driver", Config: { run_for: "1h" }, Resources: { CPU: 10, MemoryMB: 10 } }],
};
const services = [
  jobOf("filter-one", {
    ...{ Name: "One", Priority: 60, Datacenters: ["dc1"], Meta: { team: "net", "a b": "c" } },
    TaskGroups: [{ ...group, Update: { MaxParallel: 1 } }],
  }),
  jobOf("filter-two", {
    ...{ Priority: 50, AllAtOnce: true, Datacenters: ["dc1", "dc2"] },
    TaskGroups: [{ ...group, Name: "api", Count: 2 }],
  }),
];
const batch = { Type: "batch", Update: null, TaskGroups: [group] };
const batches = [
  jobOf("filter-3", {
    ...{ ...batch, Meta: { team: "data", n: "1" } },
    Constraints: [{ LTarget: `\${attr.cpu.arch}`, RTarget: "amd64", Operand: "=" }],
  }),
  jobOf("filter-p", { ...batch, Datacenters: ["dc1"], Periodic: { Enabled: true, Spec: "0 0 1 1 *", SpecType: "cron" } }),
];

// Fields that do not change while the test runs, with every kind of value. Some are missing in a record, and some do not exist.
const selectors: Record<"jobs" | "deployments" | "nodes", string> = {
  jobs: 'ID Name Type Priority AllAtOnce Stop Datacenters Datacenters.0 Datacenters.1 Meta Meta.team Meta["a b"] Meta.team.deep Meta.none Meta.none.deep Constraints Constraints.0.RTarget TaskGroups TaskGroups.0.Name TaskGroups.0.Count TaskGroups.0.Tasks.0.Resources.CPU TaskGroups.x Periodic Periodic.Enabled Periodic.Spec Multiregion Update Update.MaxParallel Update.Stagger Payload ParentID Nope "/ID" "/Meta/team"',
  deployments:
    'JobID Namespace IsMultiregion EvalPriority JobVersion TaskGroups TaskGroups.web TaskGroups.web.DesiredTotal TaskGroups["web"].AutoRevert TaskGroups.web.ProgressDeadline TaskGroups.none.DesiredTotal Nope',
  nodes:
    'Name Datacenter HTTPAddr Address Status TLSEnabled Attributes Attributes["kernel.name"] Attributes.none Meta Drivers Drivers.mock_driver.Detected NodeResources NodeResources.Memory.MemoryMB NodeResources.Networks DrainStrategy DrainStrategy.Deadline HostVolumes Links Events',
};
const values =
  '"filter-one" "One" `filter-` "service" "net" dc1 "dc1" "dc2" 60 "50" 0x32 1 0 -1 true "false" "x" "" "web" "team" "linux" "/ID" `^f.*\\d$` "^[[:lower:]]+$" "[[:alpha:]_]" "(?i:WEB)" "(" 10 30000000000 600000000000 "amd64"'.split(
    " ",
  );
const operators = ["==", "!=", "contains", "not contains", "matches", "not matches"];

let state = 20_251;
/** Returns the same numbers in every run, so that a failing filter can be reproduced. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const one = (list: string[]): string => list[random(list.length)]!;

function filter(names: string[], depth: number): string {
  if (depth > 0 && random(5) < 2) {
    const [left, right] = [filter(names, depth - 1), filter(names, depth - 1)];
    const joined = [`${left} and ${right}`, `${left} or ${right}`, `not ${left}`, `(${left})`];
    return one([...joined, `not (${left} or ${right})`, `(${left}) and ${right}`]);
  }
  const selector = one(names);
  switch (random(8)) {
    case 0:
      return `${selector} is ${one(["", "not "])}empty`;
    case 1:
      return `${one(values)} ${one(["", "not "])}in ${selector}`;
    case 2:
      return one([
        `${selector}==${one(values)}`,
        `${selector} = "x"`,
        `${selector} == 'x'`,
        `not(${selector} == "x")`,
        `${selector} == "x" and`,
        `any ${selector} as a, b { b == ${one(values)} }`,
        `all ${selector} as a { a != ${one(values)} }`,
      ]);
    default:
      return `${selector} ${one(operators)} ${one(values)}`;
  }
}

const ask = (target: Service, path: string, body?: object): ReturnType<typeof call> =>
  call(target, body ? "PUT" : "GET", `/v1/${path}`, body);

async function outcome(target: Service, noun: string, expression: string): Promise<unknown> {
  try {
    const { status, text } = await ask(target, `${noun}?filter=${encodeURIComponent(expression)}`);
    if (status !== 200) return { status, text };
    return JSON.parse(text).map(({ ID }: { ID: string }) => ID);
  } catch {
    return "the connection was dropped";
  }
}

let sandbox: Sandbox;
let others: string[] = [];

beforeAll(async () => {
  nomad = await startNomad();
  Object.assign(real, { url: nomad.address, token: nomad.token });
  const list = async (path: string) => JSON.parse((await ask(real, path)).text);
  others = (await list("jobs")).map(({ ID }: { ID: string }) => ID);
  for (const Job of [...services, ...batches]) expect(await ask(real, "jobs", { Job })).toMatchObject({ status: 200 });
  await until("each service has a deployment", async () => (await list("deployments")).length === services.length);

  sandbox = await startSandbox();
  const { scheduler } = sandbox;
  for (const noun of ["jobs", "deployments", "nodes"] as const)
    for (const { ID } of JSON.parse((await ask(scheduler, noun)).text)) scheduler[noun].remove(ID);
  const full = async (noun: string) => Promise.all((await list(`${noun}s`)).map(({ ID }: { ID: string }) => list(`${noun}/${ID}`)));
  scheduler.seed({ jobs: await full("job"), deployments: await list("deployments"), nodes: await full("node") });
});
afterAll(async () => {
  await nomad.stop();
});

test.each([
  ["jobs", 120],
  ["deployments", 40],
  ["nodes", 40],
] as const)("%s: %i random filters return the same records and error messages as Nomad", async (noun, count) => {
  const names = selectors[noun].match(/"[^"]*"|[^\s[]+(?:\["[^"]*"\])?(?:\.\w+)*/g) ?? [];
  const seen = new Set<string>();
  for (let number = 0; number < count; number += 1) {
    const expression = filter(names, 3);
    const wanted = await outcome(real, noun, expression);
    seen.add(Array.isArray(wanted) ? "found" : typeof wanted === "string" ? "dropped" : "refused");
    expect({ expression, outcome: await outcome(sandbox.scheduler, noun, expression) }).toEqual({ expression, outcome: wanted });
  }
  expect(others).not.toContain("filter-one");
  // No deployment has a pointer that is null, on which a regular expression breaks the connection.
  expect([...seen].sort()).toEqual(noun === "deployments" ? ["found", "refused"] : ["dropped", "found", "refused"]);
});
