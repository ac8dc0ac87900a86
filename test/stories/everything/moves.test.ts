import { storyOn } from "../../support/story";
import { onEachTarget } from "../../support/target";

const names = ["a", "b", "c"];
const role = (name: string): object => ({ policies: [`of-${name}`] });

/** The three as a resource each, or as one set. Both take over what is there. */
const declarations = {
  roles: names.map(
    (name) =>
      `new secrets.SchedulerRole("${name}", { name: "${name}", ...${JSON.stringify(role(name))}, adopt: true, mount: process.env.STEWARD_MOUNT });`,
  ),
  set: [
    `new secrets.SchedulerRoles("set", { roles: ${JSON.stringify(Object.fromEntries(names.map((name) => [name, role(name)])))}, adopt: true, mount: process.env.STEWARD_MOUNT });`,
  ],
};

onEachTarget("roles that move between SchedulerRole and SchedulerRoles", (current) => {
  // Without a limit the engine removes and creates side by side; with 1 the order is its own.
  test.each([{ parallel: ["--parallel", "1"] }, { parallel: [] }])(
    "are all there after each move, and stay there (up $parallel)",
    async ({ parallel }) => {
      const { newMount, outside } = current();
      const mount = await newMount();
      const project = storyOn(current()).with({ STEWARD_MOUNT: mount });
      const held = async (): Promise<unknown> =>
        Object.fromEntries(
          await Promise.all(names.map(async (name) => [name, (await outside("GET", `${mount}/role/${name}`)).data?.policies])),
        );
      const declared = Object.fromEntries(names.map((name) => [name, [`of-${name}`]]));
      try {
        await project.program(declarations.roles.join("\n")).up(...parallel);
        for (const move of ["set", "roles", "set", "roles"] as const) {
          await project.program(declarations[move].join("\n")).up(...parallel);
          expect([move, await held()]).toEqual([move, declared]);
          await project.calm();
          expect([`after ${move}`, await held()]).toEqual([`after ${move}`, declared]);
        }
        await project.destroy();
        expect((await outside("GET", `${mount}/role?list=true`)).data?.keys ?? []).toEqual([]);
      } finally {
        project.remove();
      }
    },
  );
});
