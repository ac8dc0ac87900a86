import { storyOn } from "../../support/story";
import { onEachTarget } from "../../support/target";

const names = ["a", "b", "c"];
const role = (name: string): object => ({ policies: [`of-${name}`] });

/** The three roles as single resources, or as one set. Both adopt existing roles. */
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
  // Without a limit, the engine deletes and creates in parallel. With 1, it chooses the order.
  test.each([{ parallel: ["--parallel", "1"] }, { parallel: [] }])(
    "exist after each move and after the next run (up $parallel)",
    async ({ parallel }) => {
      const { newMount, outOfBand } = current();
      const mount = await newMount();
      const project = storyOn(current()).with({ STEWARD_MOUNT: mount });
      const held = async (): Promise<unknown> =>
        Object.fromEntries(
          await Promise.all(names.map(async (name) => [name, (await outOfBand("GET", `${mount}/role/${name}`)).data?.policies])),
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
        expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys ?? []).toEqual([]);
      } finally {
        project.remove();
      }
    },
  );
});
