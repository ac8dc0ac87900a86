import { everythingPer, expectKept } from "../support/everything";
import { Passing } from "../support/gateway";
import { Project } from "../support/project";

// What the real engine makes of a rename without an alias: one stack goes through all that may disturb it. test/stories/everything tells each by itself.

const everything = everythingPer("suite", (variables) => new Project(variables));

const names = ["a", "b", "c"];
/** Roles that move between a resource each and one set, while all others are renamed. */
const moving = (place: "roles" | "set", mount: string): string =>
  place === "roles"
    ? names
        .map((name) => `new secrets.SchedulerRole("${name}", { name: "${name}", ${given(name)}, adopt: true, mount: "${mount}" });`)
        .join("\n")
    : `new secrets.SchedulerRoles("moved", { roles: { ${names.map((name) => `${name}: { ${given(name)} }`)} }, adopt: true, mount: "${mount}" });`;
const given = (name: string): string => `policies: ["of-${name}"]`;

const sibling = ({ method, path }: Passing): boolean => method === "POST" && path.endsWith("/role/sibling");

describe("a program whose resources are all renamed without an alias", () => {
  let mount: string;
  beforeAll(async () => {
    mount = await everything().target.newMount();
    everything().declare({ name: "-one", more: moving("roles", mount) });
    await everything().project.up();
    expect(await everything().held()).toEqual(everything().declared());
  });

  async function expectHeld(declaration: { sibling?: string; reason?: string }): Promise<void> {
    expect(await everything().held()).toEqual(everything().declared(declaration));
    const { outside } = everything().target;
    for (const name of names) expect((await outside("GET", `${mount}/role/${name}`)).data?.policies).toEqual([`of-${name}`]);
  }

  /** The run that ends the rename, and what follows it. */
  async function expectRenamed(declaration: { sibling?: string; reason?: string }, ...options: string[]): Promise<void> {
    const { project } = everything();
    const finished = await project.up(...options);
    await expectHeld(declaration);
    expectKept(finished, everything().mount);
    await project.calm();
    await expectHeld(declaration);
  }

  // One after the other: each goes on from the state that the last one left.
  test("in a run that fails at an unrelated role; the next one moves roles into a set, too, a step at a time", async () => {
    const declaration = { name: "-two", sibling: "one" };
    everything().declare({ ...declaration, more: moving("roles", mount) });
    everything().refuse("POST", /role\/sibling$/);
    expect((await everything().project.pulumi("up", "--yes", "--skip-preview")).code).not.toBe(0);
    everything().declare({ ...declaration, more: moving("set", mount) });
    await expectRenamed(declaration, "--parallel", "1");
  });

  test("in a run that Ctrl-C ends; the next one moves the roles out of the set, too", async () => {
    const declaration = { name: "-three", sibling: "two" };
    everything().declare({ ...declaration, more: moving("set", mount) });
    expect((await everything().interruptedUp(sibling)).code).not.toBe(0);
    everything().declare({ ...declaration, more: moving("roles", mount) });
    await expectRenamed(declaration);
  });

  test("in a run that refuses every one of them under --continue-on-error; the next one moves the roles into a set, too", async () => {
    const declaration = { name: "-four", reason: "Older." };
    // Those that nobody has to adopt are refused by the server.
    everything().refuse("GET", /general-settings$/, "platform");
    everything().refuse("GET", /ws-acmeNetworkTest$/, "platform");
    const refused = await everything()
      .declare({ ...declaration, adopt: false, more: moving("roles", mount) })
      .pulumi("up", "--yes", "--skip-preview", "--continue-on-error");
    expect(refused.code).not.toBe(0);
    const { tokens: _, ...now } = await everything().held();
    expect(now).toEqual({ ...everything().declared(), tokens: undefined });
    everything().declare({ ...declaration, more: moving("set", mount) });
    await expectRenamed(declaration);
  });

  test("moved into a component, by a run that targets them there, and the next one", async () => {
    const { project } = everything();
    const declaration = { name: "-four", reason: "Older.", more: moving("set", mount) };
    const home = "urn:pulumi:dev::story::test:Home";
    const moved = (await project.resources())
      .filter(({ urn }) => urn.includes("::pulumi-nodejs:dynamic/") && urn.endsWith("-four"))
      .map(({ urn }) => urn.replace("urn:pulumi:dev::story::", `${home}$`));
    expect(moved).toHaveLength(8);
    everything().declare({ ...declaration, inComponent: true });
    await project.up(...[`${home}::home`, ...moved].flatMap((urn) => ["--target", urn]));
    await expectRenamed(declaration);
  });

  test("is destroyed: nothing is left", async () => {
    await everything().project.destroy();
    expect(await everything().held()).toEqual(everything().gone({ apiRateLimit: 100 }));
    expect((await everything().target.outside("GET", `${mount}/role?list=true`)).data?.keys ?? []).toEqual([]);
  });

  test("a role that is declared twice is refused in the preview, which names the other resource", async () => {
    const role = (name: string): string => `new secrets.SchedulerRole("${name}", { name: "web", policies: ["x"], adopt: true });`;
    const { code, output } = await everything()
      .project.program(role("first") + role("second"))
      .pulumi("preview");
    expect(code).not.toBe(0);
    expect(output).toMatch(/Cannot declare .*"second".*"first"/);
    expect(output).not.toMatch(/^\s+at /m);
  });
});
