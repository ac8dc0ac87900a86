import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as runtime from "../provider/engine/runtime";
import { providerText, release } from "../provider/program/dynamic";
import { definitions } from "../provider/registry/resources";
import { Sandbox } from "../sandbox/index";
import { caseOf, held, livingCases } from "./cases";
import { Context, isIn } from "./cases/case";
import { comparable, configOf, contextOf, resetAll } from "./support/context";
import { dynamic } from "./support/deployment";
import { Engine } from "./support/engine";
import { RekeyStack } from "./support/rekey";
import { startSandbox } from "./support/sandbox";

// The states of each release, used by this one. `WRITE=1 npx jest test/states` writes those that are missing for this release.
// To write one again, remove its file first. States of a published release never change.

type Dialect = "standard" | "hashicorp";
type State = NonNullable<Engine["state"]>;
const folder = join(__dirname, "states");
const isWriting = process.env.WRITE === "1";
const systems = ["secrets", "platform", "scheduler"] as const;
const rekey = ["attempt", "shares", "commit"] as const;
const rekeyInputs = {
  secretShares: 3,
  secretThreshold: 2,
  currentShares: [{ env: "STATES_0" }, { env: "STATES_1" }, { env: "STATES_2" }],
  keepSharesInState: true,
  discardShares: true,
};
/** The outputs that the service generates for each token. */
const generated = ["accessorId", "secretId", "leaseId", "expiresAt"];

const fileOf = (of: string, dialect: Dialect, token: string): string => join(folder, of, dialect, `${token.replace(":", "-")}.json`);

/** The provider in a state, loaded as Pulumi does: the source of a CommonJS module. */
function handlerIn({ outputs }: State): ReturnType<typeof runtime.provider> {
  const exports = {} as { handler(): ReturnType<typeof runtime.provider> };
  const load = (name: string): unknown => {
    expect(name).toBe("pulumi-steward/runtime");
    return runtime;
  };
  new Function("exports", "require", outputs.__provider as string)(exports, load);
  return exports.handler();
}

describe.each(["standard", "hashicorp"] as const)("%s", (dialect) => {
  let sandbox: Sandbox;
  let context: Context;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect, unsealShares: 3, unsealThreshold: 3 });
    context = contextOf(sandbox, dialect);
    for (const [index, share] of sandbox.secrets.shares.entries()) process.env[`STATES_${index}`] = share;
    mkdirSync(join(folder, release, dialect), { recursive: true });
  });
  beforeEach(async () => {
    jest.spyOn(console, "log").mockImplementation(() => {});
    await resetAll(context);
  });

  const config = (): Record<string, object> => configOf(context);

  /** Writes a state to a file, without the sandbox's addresses, which differ in each run. */
  function write(token: string, state: State | undefined): void {
    if (existsSync(fileOf(release, dialect, token))) return;
    const __provider = providerText(token);
    const { id, inputs, outputs, initErrors } = state as State;
    const stored = { id, initErrors, inputs: { ...inputs, __provider }, outputs: { ...outputs, __provider } };
    const text = systems.reduce(
      (all, system) => all.replaceAll(sandbox[system].url, `http://${system}.invalid`),
      JSON.stringify(stored, null, 2),
    );
    writeFileSync(fileOf(release, dialect, token), `${text}\n`);
  }
  function read(of: string, token: string): State {
    const text = readFileSync(fileOf(of, dialect, token), "utf8");
    return JSON.parse(systems.reduce((all, system) => all.replaceAll(`http://${system}.invalid`, sandbox[system].url), text));
  }

  const tokens = livingCases.filter(isIn(dialect)).map(({ token }) => token);
  const rekeyTokens = rekey.map((each) => `secrets:Rekey${each[0]?.toUpperCase()}${each.slice(1)}`);

  const releases = (): string[] => readdirSync(folder);

  test.each(tokens)("%s: a state of each release refreshes without a change, updates and is deleted", async (token) => {
    const { isRepeatable = true, prepare, ...given } = caseOf(token);
    for (const of of releases()) {
      await resetAll(context);
      await prepare?.(context);
      const [inputs, changed] = [given.inputs(context), given.changed?.(context)];
      const empty = await held(context);
      // This creates the object of the state.
      const seeding = new Engine(token, config());
      await seeding.up(inputs);
      if (isWriting) write(token, seeding.state);
      const state = read(of, token);
      if (token === "secrets:SchedulerToken") {
        for (const field of generated) if (field in state.outputs) state.outputs[field] = seeding.state?.outputs[field];
        state.id = seeding.state?.id as string;
      }
      const engine = new Engine(token, config(), () => dynamic(() => handlerIn(state)));
      engine.state = state;
      expect(await engine.refresh()).toEqual([]);
      expect(await engine.up(inputs)).toBe("same");
      if (changed) expect(await engine.up(changed)).toBe("update");
      expect(await engine.refresh()).toEqual([]);
      await engine.destroy();
      if (isRepeatable && token !== "platform:AdminWorkspace") expect(comparable(await held(context))).toEqual(comparable(empty));
    }
  });

  test("a rekey: the states of each release refresh without a change and are deleted", async () => {
    for (const of of releases()) {
      await sandbox.reset();
      const stack = new RekeyStack(config());
      if (isWriting) {
        await stack.up(rekeyInputs);
        for (const [index, each] of rekey.entries()) write(rekeyTokens[index] as string, stack[each].state);
        await sandbox.reset();
      }
      for (const [index, each] of rekey.entries()) stack[each].state = read(of, rekeyTokens[index] as string);
      for (const each of rekey) expect(await stack[each].refresh()).toEqual([]);
      expect(await stack.up(rekeyInputs)).toEqual(["same", "same", "same"]);
      await stack.destroy();
    }
  });

  test("every resource of this release has a stored state", () => {
    const files = readdirSync(join(folder, release, dialect)).sort();
    expect(files).toEqual(
      definitions
        .filter(isIn(dialect))
        .map(({ token }) => `${token.replace(":", "-")}.json`)
        .sort(),
    );
    const { version } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8"));
    expect(version).toMatch(new RegExp(`^${release.replace(".", "\\.")}\\.`));
    expect(read(release, "secrets:SchedulerRole").outputs.__provider).toBe(providerText("secrets:SchedulerRole"));
  });
});
