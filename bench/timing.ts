import { say } from "../tools/command";
import { startVault } from "../tools/servers";
import { inTemporaryFolder, median } from "./measure";
import { Contender, isNative, program, titles } from "./programs";
import { Deployment, Operation, operations, pulumiProject } from "./pulumi";
import { fixed, table } from "./table";
import { Idiom, Terraform, terraformProject } from "./terraform";

/** The median seconds of each operation. */
export type Times = Record<Operation, number>;
type Timed = Exclude<Contender, "closure"> | Idiom;

const idioms = ["count", "for_each"] as const;
const isIdiom = (contender: Timed): contender is Idiom => idioms.some((idiom) => idiom === contender);

export interface Timing {
  /** Undefined if not measured. */
  times(contender: Timed, count: number): Times | undefined;
  report: string;
}

interface Vault {
  address: string;
  token: string;
}

const mountOf = (contender: Timed): string => `bench-${contender}`;
export const titleOf = (contender: Timed): string => (isIdiom(contender) ? `Terraform, ${contender}` : titles[contender]);
const key = (contender: Timed, count: number): string => `${contender} ${count}`;

async function request(vault: Vault, method: string, path: string, body?: object): Promise<{ status: number; body: string }> {
  const response = await fetch(`${vault.address}/v1/${path}`, {
    method,
    headers: { "X-Vault-Token": vault.token },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.text() };
}

/** Checks the number of roles on the server, so that a contender that does nothing cannot win. */
async function assertRoles(vault: Vault, contender: Timed, expected: number): Promise<void> {
  const { status, body } = await request(vault, "GET", `${mountOf(contender)}/role?list=true`);
  const found = status === 404 ? 0 : (JSON.parse(body).data?.keys?.length ?? 0);
  if (found !== expected) throw new Error(`${titleOf(contender)} left ${found} of its roles on the server instead of ${expected}.`);
}

async function lifecycle(vault: Vault, contender: Timed, count: number, terraform: Terraform | undefined): Promise<Times> {
  return inTemporaryFolder(async (folder) => {
    const mount = mountOf(contender);
    const variables = { VAULT_ADDR: vault.address, VAULT_TOKEN: vault.token };
    const deployment: Deployment = isIdiom(contender)
      ? terraformProject(terraform as Terraform, folder, { idiom: contender, count, mount, variables })
      : await pulumiProject(folder, program(contender, count, mount), variables, isNative(contender));
    const talks = contender !== "empty" && contender !== "floor";
    const create = await deployment.create();
    if (talks) await assertRoles(vault, contender, count);
    const times = { create, preview: await deployment.preview(), refresh: await deployment.refresh(), destroy: await deployment.destroy() };
    if (talks) await assertRoles(vault, contender, 0);
    return times;
  });
}

/** Measures all contenders on one real Vault. They alternate, so that a slow phase of the machine affects all of them. */
export async function timing(counts: readonly number[], runs: number, terraform: Terraform | undefined): Promise<Timing> {
  const contenders: Timed[] = ["floor", "role", "roles", "nativeRole", "nativeRoles", ...(terraform ? idioms : [])];
  const turns: [Timed, number][] = [
    ["empty", 0],
    ["floor", 1],
    ...counts.flatMap((count) => contenders.map((each): [Timed, number] => [each, count])),
  ];
  const measured = new Map<string, Times[]>(turns.map((turn) => [key(...turn), []]));
  const vault = await startVault();
  try {
    for (const contender of contenders.filter((each) => each !== "floor")) {
      const { status, body } = await request(vault, "POST", `sys/mounts/${mountOf(contender)}`, { type: "nomad" });
      if (status >= 300) throw new Error(`Cannot mount ${mountOf(contender)}: ${status} ${body}`);
    }
    for (let round = 1; round <= runs; round++)
      for (const [contender, count] of turns) {
        const times = await lifecycle(vault, contender, count, terraform);
        measured.get(key(contender, count))?.push(times);
        say(`run ${round} of ${runs}, ${key(contender, count)}: ${seconds(times).join(" / ")} s`);
      }
  } finally {
    await vault.stop();
  }
  const medians = new Map(
    [...measured].map(([name, all]) => [
      name,
      Object.fromEntries(operations.map((operation) => [operation, median(all.map((times) => times[operation]))])) as Times,
    ]),
  );
  const times: Timing["times"] = (contender, count) => medians.get(key(contender, count));
  const rows = turns.map(([contender, count]) => {
    const own = times(contender, count) as Times;
    return [
      contender === "empty" ? "" : String(count),
      titleOf(contender),
      ...seconds(own),
      contender === "empty" ? "" : ratios(own, times("floor", count)),
      ratios(own, times("count", count)),
      ratios(own, times("for_each", count)),
    ];
  });
  const header = ["roles", "", ...operations, "x floor", ...idioms.map((idiom) => `x ${idiom}`)];
  return { times, report: table(terraform ? header : header.slice(0, -2), terraform ? rows : rows.map((row) => row.slice(0, -2)), 2) };
}

const seconds = (times: Times): string[] => operations.map((operation) => fixed(times[operation]));

const ratios = (times: Times, base: Times | undefined): string =>
  base && times !== base ? operations.map((operation) => fixed(times[operation] / base[operation])).join(" / ") : "";
