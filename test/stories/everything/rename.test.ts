import { Everything, expectKept } from "../../support/everything";
import { newStory } from "../../support/story";

// A resource that is renamed without an alias is two for the engine: a creation, and a deletion at the end of the run, or of a later one.

/** Tells a story of everything that a program can rename, in one dialect. */
async function tell(dialect: "standard" | "hashicorp", story: (everything: Everything) => Promise<void>): Promise<void> {
  const everything = await Everything.start(dialect, newStory);
  try {
    await story(everything);
  } finally {
    await everything.stop();
  }
}

const sibling = (passing: { method: string; path: string }): boolean => passing.method === "POST" && passing.path.endsWith("/role/sibling");

/** The run that ends the rename, and all that may follow it. */
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
  test.each(["standard", "hashicorp"] as const)("in one run that is not disturbed (%s)", (dialect) =>
    tell(dialect, async (everything) => {
      await everything.declare({ name: "-old" }).up();
      expect(await everything.held()).toEqual(everything.declared());
      everything.declare({ name: "-new" });
      await expectRenamed(everything, {});
    }),
  );

  test.each(["standard", "hashicorp"] as const)("in a run that fails at an unrelated role, and the next one (%s)", (dialect) =>
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
    { when: "when all are created", at: sibling },
    { when: "among the creations", at: ({ path }: { path: string }): boolean => path.endsWith("/role/web") },
  ])("in a run that Ctrl-C ends $when, and the next one", ({ at }) =>
    tell("hashicorp", async (everything) => {
      await everything.declare({ name: "-old" }).up();
      everything.declare({ name: "-new", sibling: "one" });
      expect((await everything.interruptedUp(at)).code).not.toBe(0);
      await expectRenamed(everything, { sibling: "one" });
    }),
  );

  test("moved into a component, by a run that targets them there, and the next one", () =>
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

  test("in a run that refuses every one of them under --continue-on-error, and the next one", () =>
    tell("hashicorp", async (everything) => {
      await everything.declare({ name: "-old" }).up();
      // Those that nobody has to adopt are refused by the server.
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

describe("twins of a rename that a run has left half done", () => {
  test.each(["as the run left them", "the other way round"])(
    "are destroyed %s: nothing is left, and settings are as they were found",
    (order) =>
      tell("hashicorp", async (everything) => {
        const { project } = everything;
        await everything.declare({ name: "-old" }).up();
        everything.declare({ name: "-new", sibling: "one" });
        everything.refuse("POST", /role\/sibling$/);
        expect((await project.pulumi("up", "--yes", "--skip-preview")).code).not.toBe(0);
        if (order === "the other way round") await project.reorder((urn) => urn.endsWith("-old"));
        await project.destroy("--parallel", "1");
        expect(await everything.held()).toEqual(everything.gone({ apiRateLimit: 30 }));
      }),
  );
});
