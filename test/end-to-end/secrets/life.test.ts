import { Gateway, startGateway } from "../../support/gateway";
import { Project } from "../../support/project";
import { ensureReadonlyPolicy, onEachTarget, Target, targets } from "../../support/target";

const roles = { a: { policies: ["one", "two"] }, b: { policies: ["two"] } };

/** Every resource of Vault except the rekey. On a rename, some have an alias and some adopt the existing object. */
const program = (mount: string, address: string, isRenamed = false): string => `
  const mount = ${JSON.stringify(mount)};
  const named = (name) => name + "${isRenamed ? "-renamed" : ""}";
  const kept = (name) => ({ aliases: ${isRenamed ? "[{ name }]" : "[]"} });
  const adopt = ${isRenamed};
  const address = ${JSON.stringify(address)};
  const token = process.env.STEWARD_SCHEDULER_TOKEN;
  const access = new secrets.SchedulerAccess(named("access"), { address, token, maxTokenNameLength: 128, mount }, kept("access"));
  new secrets.SchedulerLease(named("lease"), { ttl: "1h", maxTtl: "24h", adopt, mount });
  new secrets.SchedulerRole(named("web"), { name: "web", policies: ["read"], global: true, mount }, kept("web"));
  new secrets.SchedulerRole(named("admin"), { name: "admin", type: "management", adopt, mount });
  new secrets.SchedulerRoles(named("set"), { roles: ${JSON.stringify(roles)}, adopt, mount });
  const readers = new secrets.SchedulerRole(named("readers"), { name: "readers", policies: ["readonly"], mount }, kept("readers"));
  new secrets.SchedulerToken(named("kept"), { role: readers.name, mount }, { ...kept("kept"), dependsOn: access });
  new secrets.SchedulerToken(named("another"), { role: readers.name, mount }, { dependsOn: access });
  exports.found = secrets.SchedulerRole.get(named("theirs"), mount + "/role/theirs").policies;
`;

// The command line behaves the same in both dialects. This is the standard one, or Vault if the suite runs on it.
const one = targets.slice(0, 1);

function life(current: () => Target): void {
  let project: Project;
  let gateway: Gateway;
  /** Every generated token, in order. */
  const tokens: string[] = [];
  beforeAll(async () => {
    await ensureReadonlyPolicy(current());
    const { address, dialect, token, scheduler } = current();
    gateway = await startGateway(address);
    const recorded = (body: string): string => {
      tokens.push(JSON.parse(body).data.secret_id);
      return body;
    };
    gateway.interrupt = ({ path }) => (path.includes("/creds/") ? { when: "after", answer: recorded } : undefined);
    project = new Project({ STEWARD_TOKEN: token, STEWARD_SCHEDULER_TOKEN: scheduler.token });
    project.config({ "steward:default": { secrets: { address: gateway.url, tokenEnv: "STEWARD_TOKEN", dialect } } });
  });
  afterAll(async () => {
    await gateway.close();
  });

  /** The tokens that the scheduler accepts. A token without a lease cannot be revoked. */
  async function accepted(): Promise<boolean[]> {
    const { scheduler, dialect } = current();
    const header = dialect === "hashicorp" ? "X-Nomad-Token" : "X-Scheduler-Token";
    const answers = tokens.map((token) => fetch(`${scheduler.address}/v1/jobs`, { headers: { [header]: token } }));
    return (await Promise.all(answers)).map(({ status }) => status === 200);
  }

  /** The data of the service at a mount. */
  async function held(mount: string): Promise<Record<string, unknown>> {
    const { outOfBand } = current();
    const read = async (path: string): Promise<Record<string, unknown>> => (await outOfBand("GET", `${mount}/${path}`)).data ?? {};
    const lease = await read("config/lease");
    const names = ((await read("role?list=true")).keys as string[] | undefined) ?? [];
    const policies = names.map(async (name) => [name, ((await read(`role/${name}`)).policies as string[] | null) ?? []]);
    return {
      address: (await read("config/access")).address || undefined,
      lease: [lease.ttl, lease.max_ttl],
      roles: Object.fromEntries(await Promise.all(policies)),
    };
  }

  test("up, refresh, repair, replace, rename and destroy reach the declared objects and leave other roles alone", async () => {
    const { dialect, outOfBand, newMount, scheduler } = current();
    const shown = dialect === "hashicorp";
    const [mount, next] = [await newMount(), await newMount()];
    const theirs = { policies: "theirs", type: "client" };
    for (const each of [mount, next]) await outOfBand("POST", `${each}/role/theirs`, theirs);
    const declared = {
      address: scheduler.address,
      lease: [3600, 86400],
      roles: { a: ["one", "two"], admin: [], b: ["two"], readers: ["readonly"], theirs: ["theirs"], web: ["read"] },
    };
    const gone = { address: undefined, lease: [undefined, undefined], roles: { theirs: ["theirs"] } };

    await project.program(program(mount, scheduler.address)).up();
    expect(await held(mount)).toEqual(declared);
    expect(await accepted()).toEqual([true, true]);
    await project.calm();

    const web = { policies: "read", type: "client", global: true };
    await Promise.all([
      outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:1", max_token_name_length: 64 }),
      outOfBand("POST", `${mount}/config/lease`, { ttl: 60, max_ttl: 7200 }),
      outOfBand("POST", `${mount}/role/web`, { ...web, policies: "more", global: false }),
      outOfBand("POST", `${mount}/role/admin`, { policies: "", type: "management", global: true }),
      outOfBand("DELETE", `${mount}/role/a`),
      outOfBand("POST", `${mount}/role/b`, { policies: "two,three", type: "client" }),
      outOfBand("POST", `${mount}/role/theirs`, { ...theirs, policies: "changed" }),
    ]);
    const drifted = await project.refresh();
    expect(drifted.changes.sort()).toEqual(
      [
        `~ address: "${scheduler.address}" => "http://127.0.0.1:1"`,
        ...(shown ? ["~ maxTokenNameLength: 128 => 64"] : []),
        "~ ttl: 3600 => 60",
        "~ maxTtl: 86400 => 7200",
        ...["~ policies: [", '~ [0]: "read" => "more"'],
        // The API document does not show `global` when a role is read.
        ...(shown ? ["~ global: true => false", "~ global: false => true"] : []),
        ...["~ policies: [", '~ [0]: "theirs" => "changed"'],
        "~ roles: {",
        ...["- a: {", "- global: false", "- policies: [", '- [0]: "one"', '- [1]: "two"', '- type: "client"'],
        ...["~ b: {", "~ policies: [", '+ [1]: "three"'],
      ].sort(),
    );
    await project.up();
    expect(await held(mount)).toEqual({ ...declared, roles: { ...declared.roles, theirs: ["changed"] } });
    await project.calm();

    const replaced = await project.program(program(next, scheduler.address)).up();
    expect(replaced.output).toMatch(/\+-8 replaced/);
    expect([await held(mount), await held(next)]).toEqual([{ ...gone, roles: { theirs: ["changed"] } }, declared]);
    expect(await accepted()).toEqual([!shown, !shown, true, true]);

    const renamed = await project.program(program(next, scheduler.address, true)).up();
    expect(renamed.output).toMatch(/\+ 4 created[\s\S]*- 4 deleted/);
    expect(await held(next)).toEqual(declared);
    // The resource with an alias keeps its token: only the other token is generated again.
    const [first, second, ...later] = await accepted();
    const last = later.pop();
    // Two tokens were generated in parallel, in either order.
    expect([first, second, ...later.sort(), last]).toEqual(shown ? [false, false, false, true, true] : tokens.map(() => true));
    await project.calm();

    const destroyed = await project.destroy();
    expect(await held(next)).toEqual(gone);
    expect(tokens).toHaveLength(5);
    expect(await accepted()).toEqual(tokens.map(() => !shown));
    const printed = [drifted, replaced, renamed, destroyed].map(({ output }) => output).join("\n");
    for (const secret of [scheduler.token, ...tokens]) expect(project.stored() + printed).not.toContain(secret);
  });
}

onEachTarget("a stack with every resource of Vault, with the real command line", life, one);
