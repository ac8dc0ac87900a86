import { everythingPer, expectKept } from "../support/everything";
import { Passing } from "../support/gateway";
import { Project } from "../support/project";

// Renames without an alias with the real engine. One stack goes through every disturbance. test/end-to-end/stories/everything tests each one separately.

const everything = everythingPer("suite", (variables) => new Project(variables));

const names = ["a", "b", "c"];
/** Roles that move between single resources and one set, while all other resources are renamed. */
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
    const { outOfBand } = everything().target;
    for (const name of names) expect((await outOfBand("GET", `${mount}/role/${name}`)).data?.policies).toEqual([`of-${name}`]);
  }

  /** Runs the `up` that completes the rename, and checks that nothing remains to be done. */
  async function expectRenamed(declaration: { sibling?: string; reason?: string }, ...options: string[]): Promise<void> {
    const { project } = everything();
    const finished = await project.up(...options);
    await expectHeld(declaration);
    expectKept(finished, everything().mount);
    await project.calm();
    await expectHeld(declaration);
  }

  // The tests share one stack: each starts from the state that the previous one left.
  test("survives a run that fails at an unrelated role, and the next run also moves roles into a set", async () => {
    const declaration = { name: "-two", sibling: "one" };
    everything().declare({ ...declaration, more: moving("roles", mount) });
    everything().refuse("POST", /role\/sibling$/);
    expect((await everything().project.pulumi("up", "--yes", "--skip-preview")).code).not.toBe(0);
    everything().declare({ ...declaration, more: moving("set", mount) });
    await expectRenamed(declaration, "--parallel", "1");
  });

  test("survives a run that Ctrl-C interrupts, and the next run also moves the roles out of the set", async () => {
    const declaration = { name: "-three", sibling: "two" };
    everything().declare({ ...declaration, more: moving("set", mount) });
    expect((await everything().interruptedUp(sibling)).code).not.toBe(0);
    everything().declare({ ...declaration, more: moving("roles", mount) });
    await expectRenamed(declaration);
  });

  test("survives a run that rejects each of them under --continue-on-error, and the next run also moves the roles into a set", async () => {
    const declaration = { name: "-four", reason: "Older." };
    // The server rejects the resources that need no `adopt`.
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

  test("survives a targeted run that moves them into a component, and the next run", async () => {
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

  test("leaves nothing on the servers after destroy", async () => {
    await everything().project.destroy();
    expect(await everything().held()).toEqual(everything().gone({ apiRateLimit: 100 }));
    expect((await everything().target.outOfBand("GET", `${mount}/role?list=true`)).data?.keys ?? []).toEqual([]);
  });

  test("fails in the preview if it declares a role twice, and names the other resource", async () => {
    const role = (name: string): string => `new secrets.SchedulerRole("${name}", { name: "web", policies: ["x"], adopt: true });`;
    const { code, output } = await everything()
      .project.program(role("first") + role("second"))
      .pulumi("preview");
    expect(code).not.toBe(0);
    expect(output).toMatch(/Cannot declare .*"second".*"first"/);
    expect(output).not.toMatch(/^\s+at /m);
  });
});
