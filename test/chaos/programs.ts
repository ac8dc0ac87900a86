import type { Interruption } from "../support/gateway";
import { Platform } from "../support/platform";
import { Target } from "../support/target";

// Programs that change at random, and what the servers hold when one of them is deployed.

/** How a resource is declared: under which name, with which values, at which of its places. */
interface Declared {
  isPresent: boolean;
  name: number;
  value: number;
  place: number;
}

interface Kind {
  kind: string;
  /** How many places it may move between, by a replacement. */
  places: 1 | 2;
  /** What others need stays. */
  isNeeded?: boolean;
  source(opts: { name: string; value: number; place: number; adopt: string }): string;
}

export const canaries = ["canary-mail", "canary-sms", "canary-cost"];
const mounts = ["zero", "one"];
const workspaces = ["ws-acmeNetworkTest", "ws-acmeNetworkProd"];
const versions = ["1.0.0", "1.1.0"];

/** Settings, with the attribute that is looked at. */
const settings: Record<string, { type: string; attribute: string; value(value: number): unknown; more?: string }> = {
  general: { type: "GeneralSettings", attribute: "apiRateLimit", value: (value) => 100 + value },
  customization: { type: "CustomizationSettings", attribute: "supportEmailAddress", value: (value) => `help${value}@example.com` },
  saml: { type: "SamlSettings", attribute: "attrUsername", value: (value) => `User${value}` },
  smtp: { type: "SmtpSettings", attribute: "host", value: (value) => `mail${value}.example.com`, more: 'password: "canary-mail"' },
  sms: { type: "SmsSettings", attribute: "accountSid", value: (value) => `AC${value}`, more: 'authToken: "canary-sms"' },
  "cost-estimation": {
    type: "CostEstimationSettings",
    attribute: "cloudAAccessKeyId",
    value: (value) => `AKIA${value}`,
    more: 'cloudASecretKey: "canary-cost"',
  },
};

export const kinds: readonly Kind[] = [
  {
    kind: "access",
    places: 1,
    isNeeded: true,
    source: ({ name, adopt }) =>
      `const access = new secrets.SchedulerAccess("${name}", { address: process.env.STEWARD_SCHEDULER, token: process.env.STEWARD_SCHEDULER_TOKEN, ${adopt} });`,
  },
  {
    kind: "readers",
    places: 1,
    isNeeded: true,
    source: ({ name, adopt }) =>
      `const readers = new secrets.SchedulerRole("${name}", { name: "readers", policies: ["readonly"], ${adopt} });`,
  },
  {
    kind: "token",
    places: 1,
    source: ({ name, value }) =>
      `new secrets.SchedulerToken("${name}", { role: readers.name, keepers: { value: "${value}" } }, { dependsOn: access });`,
  },
  {
    kind: "other access",
    places: 1,
    source: ({ name, value, adopt }) =>
      `new secrets.SchedulerAccess("${name}", { address: "http://nomad-${value}:4646", token: "other", mount: "one", ${adopt} });`,
  },
  {
    kind: "role",
    places: 2,
    source: ({ name, value, place, adopt }) =>
      `new secrets.SchedulerRole("${name}", { name: "web${place}", policies: ["v${value}"], ${adopt} });`,
  },
  {
    kind: "set",
    places: 2,
    source: ({ name, value, place, adopt }) =>
      `new secrets.SchedulerRoles("${name}", { roles: ${JSON.stringify(rolesOf(value))}, mount: "${mounts[place]}", ${adopt} });`,
  },
  {
    kind: "lease",
    places: 2,
    source: ({ name, value, place, adopt }) =>
      `new secrets.SchedulerLease("${name}", { ttl: ${3600 + value}, mount: "${mounts[place]}", ${adopt} });`,
  },
  {
    kind: "workspace",
    places: 2,
    source: ({ name, place }) => `new platform.AdminWorkspace("${name}", { workspaceId: "${workspaces[place]}", destroyOnDelete: true });`,
  },
  {
    kind: "deprecation",
    places: 2,
    source: ({ name, value, place, adopt }) =>
      `new platform.ModuleVersionDeprecation("${name}", { organizationName: "acme", moduleName: "network", moduleProvider: "aws",
        moduleVersion: "${versions[place]}", reason: "Old, for the reason ${value}.", ${adopt} });`,
  },
  { kind: "rotation", places: 1, source: ({ name, value }) => `new platform.OidcKeyRotation("${name}", { triggers: ["${value}"] });` },
  ...Object.entries(settings).map(
    ([kind, { type, attribute, value: of, more = "" }]): Kind => ({
      kind,
      places: 1,
      source: ({ name, value }) => `new platform.${type}("${name}", { ${attribute}: ${JSON.stringify(of(value))}, ${more} });`,
    }),
  ),
];

/** Some roles join and leave with the value. */
function rolesOf(value: number): Record<string, { policies: string[] }> {
  return { a: { policies: [`v${value}`] }, b: { policies: ["two"] }, ...(value % 2 === 0 ? { c: { policies: ["three"] } } : {}) };
}

/** A program, drawn anew again and again. */
export class Drawing {
  private adopts = true;
  private declared = new Map<string, Declared>();
  /** As it was before the last change. */
  private former = new Map<string, Declared>();

  constructor(private readonly random: () => number) {
    for (const { kind } of kinds) this.declared.set(kind, { isPresent: true, name: 0, value: 0, place: 0 });
  }

  of = (kind: string): Declared => this.declared.get(kind) as Declared;
  /** Settings know what they held before from their creation alone. */
  isMadeAnew = (kind: string): boolean => {
    const [before, now] = [this.former.get(kind), this.of(kind)];
    return now.isPresent && (!before?.isPresent || before.name !== now.name);
  };

  /** What is renamed has to adopt what it held under its former name. */
  change(adopts: boolean): void {
    this.adopts = adopts;
    this.former = new Map([...this.declared].map(([kind, each]) => [kind, { ...each }]));
    for (const { kind, places, isNeeded } of kinds) {
      const each = this.of(kind);
      const drawn = this.random();
      if (drawn < 0.25) each.value++;
      else if (drawn < 0.5 && adopts) each.name++;
      else if (drawn < 0.65) each.place = (each.place + 1) % places;
      else if (drawn < 0.8 && !isNeeded) each.isPresent = !each.isPresent;
    }
  }

  removeAll(): void {
    for (const each of this.declared.values()) each.isPresent = false;
  }

  program(adopts = this.adopts): string {
    return kinds
      .filter(({ kind }) => this.of(kind).isPresent)
      .map(({ kind, source }) => {
        const { name, value, place } = this.of(kind);
        return source({ name: `${kind}-${name}`.replace(" ", "-"), value, place, adopt: adopts ? "adopt: true" : "" });
      })
      .join("\n");
  }

  told = (): string => JSON.stringify({ before: Object.fromEntries(this.former), now: Object.fromEntries(this.declared) });
}

/** What the servers have to hold. */
export class Model {
  private readonly tokens: string[] = [];
  private left = 0;
  private originals: Record<string, unknown> = {};
  private readonly mayHaveLostOriginal = new Set<string>();
  private readonly destroyable = new Set<string>();

  constructor(
    private readonly target: Target,
    private readonly platform: Platform,
  ) {}

  private async settingsHeld(): Promise<Record<string, unknown>> {
    const held = Object.entries(settings).map(async ([kind, { attribute }]) => [kind, (await this.platform.held(kind))[attribute]]);
    return Object.fromEntries(await Promise.all(held));
  }

  async remember(): Promise<void> {
    this.originals = await this.settingsHeld();
  }

  /** Notes each token that is generated. */
  watch = (path: string): Interruption | undefined =>
    path.includes("/creds/") ? { when: "after", answer: (body) => this.note(path, body) } : undefined;

  note(path: string, body: string): string {
    const secret = path.includes("/creds/") ? JSON.parse(body).data?.secret_id : undefined;
    if (secret) this.tokens.push(secret);
    return body;
  }

  /** A workspace that was destroyed is there again for who declares it again. */
  reseed(drawing: Drawing): void {
    const { isPresent, place } = drawing.of("workspace");
    const id = workspaces[place] as string;
    if (isPresent) {
      this.platform.service.seed({ workspaces: [{ id, name: place === 0 ? "network-test" : "network-prod", organization: "acme" }] });
      this.destroyable.add(id);
    }
  }

  private async secretsHeld(): Promise<Record<string, unknown>> {
    const held: Record<string, unknown> = {};
    for (const mount of mounts) {
      const read = async (path: string): Promise<Record<string, unknown> | undefined> =>
        (await this.target.outOfBand("GET", `${mount}/${path}`)).data;
      for (const name of ((await read("role?list=true"))?.keys as string[] | undefined) ?? [])
        held[`${mount}/role/${name}`] = (await read(`role/${name}`))?.policies;
      held[`${mount}/lease`] = (await read("config/lease"))?.ttl;
      held[`${mount}/access`] = (await read("config/access"))?.address || undefined;
    }
    return held;
  }

  private async platformHeld(): Promise<Record<string, unknown>> {
    const held: Record<string, unknown> = {};
    for (const id of workspaces) held[id] = (await this.platform.outOfBand("GET", `/api/v2/admin/workspaces/${id}`)).status;
    for (const version of versions) {
      const { body } = await this.platform.outOfBand("GET", `/api/registry/v1/modules/acme/network/aws/${version}`);
      held[version] = (body as { deprecation?: { reason: string } | null }).deprecation?.reason;
    }
    return held;
  }

  private expected(drawing: Drawing): Record<string, unknown> {
    const at = (kind: string, place: number): number | undefined => {
      const each = drawing.of(kind);
      return each.isPresent && each.place === place ? each.value : undefined;
    };
    const expected: Record<string, unknown> = {};
    for (const [place, mount] of mounts.entries()) {
      const [lease, set, role] = [at("lease", place), at("set", place), at("role", place)];
      expected[`${mount}/lease`] = lease === undefined ? undefined : 3600 + lease;
      for (const [name, { policies }] of Object.entries(set === undefined ? {} : rolesOf(set)))
        expected[`${mount}/role/${name}`] = policies;
      if (role !== undefined) expected[`zero/role/web${place}`] = [`v${role}`];
      expected[versions[place] as string] =
        at("deprecation", place) === undefined ? undefined : `Old, for the reason ${at("deprecation", place)}.`;
      const id = workspaces[place] as string;
      expected[id] = at("workspace", place) !== undefined || !this.destroyable.has(id) ? 200 : 404;
    }
    if (drawing.of("readers").isPresent) expected["zero/role/readers"] = ["readonly"];
    expected["zero/access"] = drawing.of("access").isPresent ? this.target.scheduler.address : undefined;
    const other = at("other access", 0);
    expected["one/access"] = other === undefined ? undefined : `http://nomad-${other}:4646`;
    return expected;
  }

  /** What is not as declared, and what the last kill has cost. */
  async compare(drawing: Drawing, isKilled: boolean): Promise<{ problems: string[]; left: number; originalsLost: number }> {
    const problems: string[] = [];
    const [held, expected] = [{ ...(await this.secretsHeld()), ...(await this.platformHeld()) }, this.expected(drawing)];
    for (const key of new Set([...Object.keys(held), ...Object.keys(expected)]))
      if (JSON.stringify(held[key]) !== JSON.stringify(expected[key]))
        problems.push(`${key}: ${JSON.stringify(held[key])} in the place of ${JSON.stringify(expected[key])}`);

    let originalsLost = 0;
    for (const [kind, value] of Object.entries(await this.settingsHeld())) {
      const each = drawing.of(kind);
      // A rename says which original it cannot put back; of a creation that was cut off nothing is in the state.
      if (drawing.isMadeAnew(kind) && (isKilled || each.name > 0)) this.mayHaveLostOriginal.add(kind);
      const { attribute, value: of } = settings[kind] as (typeof settings)[string];
      const wanted = each.isPresent ? of(each.value) : this.originals[kind];
      if (value === wanted) continue;
      if (each.isPresent || !this.mayHaveLostOriginal.has(kind)) problems.push(`${kind}: ${value} in the place of ${wanted}`);
      originalsLost++;
      await this.platform.change(kind, { [attribute]: wanted });
    }
    for (const kind of this.mayHaveLostOriginal) if (!drawing.of(kind).isPresent) this.mayHaveLostOriginal.delete(kind);

    const live = await this.liveTokens();
    const left = live - this.left - (drawing.of("token").isPresent ? 1 : 0);
    // Without leases none of them can be taken back.
    if (this.target.dialect === "standard") return { problems, left: 0, originalsLost };
    if (left < 0 || left > (isKilled ? 1 : 0)) problems.push(`${live} generated tokens live, of which ${this.left} are known to be left`);
    this.left += Math.max(0, left);
    return { problems, left: Math.max(0, left), originalsLost };
  }

  private async liveTokens(): Promise<number> {
    const statuses = this.tokens.map(
      async (token) => (await fetch(`${this.target.scheduler.address}/v1/jobs`, { headers: { "x-nomad-token": token } })).status,
    );
    return (await Promise.all(statuses)).filter((status) => status === 200).length;
  }
}
