import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { Engine } from "../../support/engine";
import { engineResources } from "../../support/engine-resources";
import "../../support/printed";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

// The table in test/troubles has the rest. `remembers` continues the process of the step before.

const remembers = { remembers: true };

onEachTarget("one owner for each object", (current) => {
  const engine = (type: string, config = current().config()): Engine => new Engine(`secrets:${type}`, config);
  test.each(engineResources)(
    "$type: the second creation of the same object in one run fails, also with adopt",
    async ({ type, inputs }) => {
      for (const more of [{}, { adopt: true }]) {
        const declared = { ...inputs, ...more, mount: await current().newMount() };
        const [one, two] = [engine(type), engine(type)];
        clearCache();
        const outcomes = await Promise.allSettled([one.up(declared, remembers), two.up(declared, remembers)]);
        const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
        expect(failed).toEqual([refusal("ERR_ALREADY_EXISTS", { rule: "declared-twice" })]);
      }
    },
  );
});
