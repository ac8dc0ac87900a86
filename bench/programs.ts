/** The programs to compare. */
export type Contender = "empty" | "floor" | "role" | "roles" | "closure" | "nativeRole" | "nativeRoles";

export const titles: Record<Contender, string> = {
  empty: "empty program",
  floor: "engine floor (provider that does nothing)",
  role: "secrets.SchedulerRole",
  roles: "secrets.SchedulerRoles",
  closure: "dynamic.Resource (the usual way)",
  nativeRole: "secrets.SchedulerRole, native",
  nativeRoles: "secrets.SchedulerRoles, native",
};

export const isNative = (contender: Contender): boolean => contender.startsWith("native");

export const policies: readonly string[] = ["deploy", "read-logs"];
export const roleName = (index: number): string => `role-${String(index).padStart(4, "0")}`;

/** The cheapest possible provider, which measures the engine alone. */
const floorText =
  "exports.handler=()=>({diff:async()=>({changes:false}),create:async i=>({id:i.name,outs:i}),read:async(id,props)=>({id,props}),delete:async()=>{}})";

const floor = `
class Role extends pulumi.CustomResource {
  constructor(name, args, opts) {
    super("pulumi-nodejs:dynamic/bench:Floor", name, { __provider: ${JSON.stringify(floorText)}, ...args }, opts);
  }
}`;

const role = `
const { SchedulerRole: Role } = require("pulumi-steward").secrets;`;

/** A dynamic provider in the program, as in Pulumi's guides. */
const closure = `
async function call(method, { mount, name }, body) {
  const response = await fetch(process.env.SECRETS_ADDR + "/v1/" + mount + "/role/" + name, {
    method,
    headers: { "X-Secrets-Token": process.env.SECRETS_TOKEN },
    body: body && JSON.stringify(body),
  });
  if (response.status === 404) return undefined;
  const text = await response.text();
  if (!response.ok) throw new Error(method + " " + name + " answered " + response.status + " " + text);
  return text ? JSON.parse(text).data : {};
}
const same = (a, b) => JSON.stringify([a.policies, a.global, a.type]) === JSON.stringify([b.policies, b.global, b.type]);
const provider = {
  async check(olds, news) {
    const failures = [];
    if (!/^[^/]+$/.test(news.name)) failures.push({ property: "name", reason: "must not be empty or hold a slash" });
    if (!Array.isArray(news.policies)) failures.push({ property: "policies", reason: "must be a list" });
    return { inputs: news, failures };
  },
  async diff(id, olds, news) {
    const replaces = ["name", "mount"].filter((field) => olds[field] !== news[field]);
    return { changes: replaces.length > 0 || !same(olds, news), replaces };
  },
  async create(inputs) {
    if (await call("GET", inputs)) throw new Error("The role " + inputs.name + " exists already.");
    const { policies, global, type } = inputs;
    await call("POST", inputs, { policies: policies.join(","), global, type });
    return { id: inputs.mount + "/role/" + inputs.name, outs: inputs };
  },
  async read(id, props) {
    const data = await call("GET", props);
    if (!data) return { id: "" };
    return { id, props: { ...props, policies: data.policies, global: data.global ?? props.global, type: data.token_type ?? data.type } };
  },
  async update(id, olds, news) {
    const { policies, global, type } = news;
    await call("POST", news, { policies: policies.join(","), global, type });
    return { outs: news };
  },
  async delete(id, props) {
    await call("DELETE", props);
  },
};
class Role extends pulumi.dynamic.Resource {
  constructor(name, args, opts) {
    super(provider, name, args, opts, "bench", "Role");
  }
}`;

/** The source of a program. It is JavaScript, so that the measured time includes no compiler. */
export function program(contender: Contender, count: number, mount: string): string {
  const head = `const pulumi = require("@pulumi/pulumi");`;
  const names = JSON.stringify(Array.from({ length: count }, (_, index) => roleName(index)));
  const attributes = JSON.stringify({ policies, global: false, type: "client" }).slice(1, -1);
  const perRole = `
for (const name of ${names}) new Role(name, { name, ${attributes}, mount: ${JSON.stringify(mount)} });
`;
  switch (contender) {
    case "empty":
      return `${head}\n`;
    case "floor":
      return head + floor + perRole;
    case "role":
    case "nativeRole":
      return head + role + perRole;
    case "closure":
      return head + closure + perRole;
    case "roles":
    case "nativeRoles":
      return `${head}
const { SchedulerRoles } = require("pulumi-steward").secrets;
const roles = Object.fromEntries(${names}.map((name) => [name, { ${attributes} }]));
new SchedulerRoles("roles", { roles, mount: ${JSON.stringify(mount)} });
`;
  }
}
