import * as fc from "fast-check";
import { neverDiffers } from "../../../provider/contract/comparison";
import { AnyDefinition } from "../../../provider/contract/definition";
import { StewardError } from "../../../provider/contract/errors";
import { comparisonOf, essentialNames, format } from "../../../provider/contract/fields";
import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { toStored } from "../../../provider/lifecycle/hidden";
import { hasUnknown } from "../../../provider/lifecycle/properties";
import { definitions } from "../../../provider/registry/resources";
import { formsIn } from "../../support/canaries";
import { wire } from "../../support/deployment";
import { Engine } from "../../support/engine";
import { limits, provider } from "../../support/limits";
import { printed } from "../../support/printed";
import { draws } from "../../support/scope";
import { anyInputs, fieldsOf, fitting, fittingInputs, Properties, secretsIn } from "./arbitrary";
import { answers, maxRequests, Server, startServer } from "./server";
import { withHalfPairs } from "./values";

const connectionToken = "canary-of-the-connection";
let server: Server;
let config: Record<string, object>;
Object.assign(limits, { initialBackoff: 1, deadline: 1_000 });
beforeAll(async () => {
  server = await startServer();
  const at = (dialect: string): object => {
    const connection = { address: server.address, token: connectionToken, dialect };
    return { secrets: connection, platform: connection };
  };
  config = { "steward:default": at("standard"), "steward:real": at("hashicorp") };
});

test("every input has at least one valid value", () =>
  expect(definitions.flatMap(fieldsOf).filter((field) => !fitting[field])).toEqual([]));

const expectNoSecret = (text: string, secrets: string[]): void => expect(formsIn(text, [...secrets, connectionToken])).toEqual([]);

/** Expects an error that a user can act on. Any other error is a crash. */
function expectSteward(error: unknown, secrets: string[]): void {
  if (!(error instanceof StewardError)) throw error;
  if (error.code === "ERR_INTERNAL") throw error;
  expectNoSecret(`${error.message}\n${error.stack}\n${JSON.stringify(error)}`, secrets);
}

describe.each<AnyDefinition>(definitions)("$token", (definition) => {
  const { token } = definition;

  test("check accepts or rejects any input without a request or a secret in its message, and accepts its own normalized inputs", async () => {
    const handler = provider(token);
    handler.configure({ config: { get: (key) => config[key] && JSON.stringify(config[key]) } });
    const state = (inputs: Properties): Properties => {
      const declared = Object.keys(inputs);
      // An unknown connection has no defaults, but every state has them.
      const essential = Object.fromEntries(essentialNames(definition).map((field) => [field, "nomad"]));
      const values = { ...essential, managed: [], originalValues: {}, ...inputs, server: server.address, declared };
      return { ...toStored(definition.fields, values), __provider: "text" };
    };
    const diff = async (olds: Properties, news: Properties): Promise<boolean | undefined> => {
      try {
        return (await handler.diff("id", wire(olds), wire(news))).changes;
      } catch (error) {
        expectSteward(error, secretsIn(definition, news));
        return undefined;
      }
    };
    const property = fc.asyncProperty(anyInputs(definition), fittingInputs(definition), async (given, other) => {
      server.say([]);
      printed.length = 0;
      const { inputs, failures } = await handler.check({}, wire({ ...given, __provider: "text" }));
      for (const { property, reason } of failures) {
        expect(property).toBe("");
        expect(reason).not.toBe("");
      }
      expectNoSecret([...failures.map(({ reason }) => reason), ...printed].join("\n"), secretsIn(definition, given));
      const again = await handler.check({}, wire({ ...inputs, __provider: "text" }));
      expect(again.inputs).toEqual(inputs);
      if (failures.length === 0) {
        expect(again.failures).toEqual([]);
        const isCompared = (field: string): boolean => comparisonOf(definition.fields, field).equal !== neverDiffers.equal;
        const compared = Object.entries(inputs).filter(([field]) => isCompared(field));
        expect(await diff(state(inputs), inputs)).toBe(hasUnknown(compared));
        const before = await handler.check({}, wire({ ...other, __provider: "text" }));
        if (before.failures.length === 0) await diff(state(before.inputs), inputs);
      }
      expect(server.asked).toEqual([]);
    });
    await fc.assert(property, { numRuns: draws(250) });
  });

  test("check rejects half of a surrogate pair in any string", async () => {
    const property = fc.asyncProperty(fittingInputs(definition), async (given) => {
      const engine = new Engine(token, config);
      // The class rejects a key `__proto__`, which `withHalfPairs` loses.
      if (JSON.stringify(given).includes("__proto__") || (await engine.problems(given)).length > 0) return;
      for (const broken of withHalfPairs(given) as Properties[]) {
        const [field] = Object.keys(given).filter((name) => given[name] !== broken[name]);
        expect((await engine.problems(broken)).filter((problem) => problem.startsWith(String(field)))).not.toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: draws(25) });
  });

  test("get, create, refresh, update and delete handle any response of the server", async () => {
    const property = fc.asyncProperty(
      fittingInputs(definition),
      fittingInputs(definition),
      fc.array(answers, { minLength: 5, maxLength: 5 }),
      async (first, second, said) => {
        const engine = new Engine(token, config);
        const secrets = [...secretsIn(definition, first), ...secretsIn(definition, second)];
        printed.length = 0;
        const live = async (step: number, operation: () => Promise<unknown>): Promise<void> => {
          server.say(said[step]!);
          await operation().catch((error) => expectSteward(error, secrets));
          expect(server.asked.length).toBeLessThan(maxRequests);
        };
        for (const inputs of [first, second]) if ((await engine.problems(inputs)).length > 0) return;
        const id = format(definition.id, { ...(await engine.preview(first)).inputs });
        await live(0, () => new Engine(token, config).get(id, { connection: first.connection }));
        await live(1, () => engine.up(first));
        if (engine.state) await live(2, () => engine.refresh());
        if (engine.state) await live(3, () => engine.up(second));
        if (engine.state) await live(4, () => engine.destroy());
        expectNoSecret(printed.join("\n"), secrets);
      },
    );
    await fc.assert(property, { numRuns: draws(60) });
    clearCache();
  });
});
