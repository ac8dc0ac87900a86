import { Everything, expectKept } from "../../support/everything";
import { newStory } from "../../support/story";

// To the engine, a rename without an alias is a creation, and a deletion at the end of this run or of a later one.

/** Runs a story with every resource that a program can rename, in one dialect. */
async function tell(dialect: "standard" | "hashicorp", story: (everything: Everything) => Promise<void>): Promise<void> {
  const everything = await Everything.start(dialect, newStory);
  try {
    await story(everything);
  } finally {
    await everything.stop();
  }
}

const sibling = (passing: { method: string; path: string }): boolean => passing.method === "POST" && passing.path.endsWith("/role/sibling");

/** Runs the `up` that completes the rename, then a converged `up` and `destroy`. */
async function expectRenamed(everything: Everything, declaration: { sibling?: string; reason?: string }): Promise<void> {
  const { project, mount } = everything;
  const finished = await project.up();
  expect(await everything.held()).toEqual(everything.declared(declaration));
  expectKept(finished, mount);
  await project.expectConverged();
  expect(await everything.held()).toEqual(everything.declared(declaration));
  await project.destroy();
  expect(await everything.held()).toEqual(everything.gone({ apiRateLimit: 100 }));
}

describe("a program whose resources are all renamed without an alias", () => {
  test.each(["standard", "hashicorp"] as const)("keeps every object in a run that succeeds (%s)", (dialect) =>
    tell(dialect, async (everything) => {
      await everything.declare({ name: "-old" }).up();
      expect(await everything.held()).toEqual(everything.declared());
      everything.declare({ name: "-new" });
      await expectRenamed(everything, {});
    }),
  );

  test.each(["standard", "hashicorp"] as const)("keeps every object in a run that fails elsewhere, and in the next run (%s)", (dialect) =>
    tell(dialect, async (everything) => {
      const { project } = everything;
      await everything.declare({ name: "-old" }).up();
      everything.declare({ name: "-new", sibling: "one" });
      everything.refuse("POST", /role\/sibling$/);
      expect((await project.pulumi("up", "--yes", "--skip-preview")).code).not.toBe(0);
      await expectRenamed(everything, { sibling: "one" });
    }),
  );

  test.each([
    { when: "after all creations", at: sibling },
    { when: "during the creations", at: ({ path }: { path: string }): boolean => path.endsWith("/role/web") },
  ])("keeps every object in a run that Ctrl-C interrupts $when, and in the next run", ({ at }) =>
    tell("hashicorp", async (everything) => {
      await everything.declare({ name: "-old" }).up();
      everything.declare({ name: "-new", sibling: "one" });
      expect((await everything.interruptedUp(at)).code).not.toBe(0);
      await expectRenamed(everything, { sibling: "one" });
    }),
  );

  test("keeps every object in a targeted run that moves them into a component, and in the next run", () =>
    tell("hashicorp", async (everything) => {
      const { project } = everything;
      await everything.declare({ name: "" }).up();
      const home = "urn:pulumi:dev::story::test:Home";
      const moved = (await project.resources())
        .filter(({ urn }) => urn.includes("::pulumi-nodejs:dynamic/"))
        .map(({ urn }) => urn.replace("urn:pulumi:dev::story::", `${home}$`));
      expect(moved).toHaveLength(8);
      everything.declare({ name: "", inComponent: true });
      await project.up(...[`${home}::home`, ...moved].flatMap((urn) => ["--target", urn]));
      await expectRenamed(everything, {});
    }));

  test("keeps every object in a run that rejects each of them under --continue-on-error, and in the next run", () =>
    tell("hashicorp", async (everything) => {
      await everything.declare({ name: "-old" }).up();
      // The server rejects the resources that need no `adopt`.
      everything.refuse("GET", /general-settings$/, "platform");
      everything.refuse("GET", /ws-acmeNetworkTest$/, "platform");
      const refused = await everything
        .declare({ name: "-new", adopt: false, reason: "Older." })
        .pulumi("up", "--yes", "--skip-preview", "--continue-on-error");
      expect(refused.code).not.toBe(0);
      const { tokens: _, ...now } = await everything.held();
      expect(now).toEqual({ ...everything.declared(), tokens: undefined });
      everything.declare({ name: "-new", reason: "Older." });
      await expectRenamed(everything, { reason: "Older." });
    }));
});

describe("the old and new resources of an unfinished rename", () => {
  test.each(["in the order of the state", "in reverse order"])(
    "are destroyed %s, which leaves nothing and restores the settings",
    (order) =>
      tell("hashicorp", async (everything) => {
        const { project } = everything;
        await everything.declare({ name: "-old" }).up();
        everything.declare({ name: "-new", sibling: "one" });
        everything.refuse("POST", /role\/sibling$/);
        expect((await project.pulumi("up", "--yes", "--skip-preview")).code).not.toBe(0);
        if (order === "in reverse order") await project.reorder((urn) => urn.endsWith("-old"));
        await project.destroy("--parallel", "1");
        expect(await everything.held()).toEqual(everything.gone({ apiRateLimit: 30 }));
      }),
  );
});
