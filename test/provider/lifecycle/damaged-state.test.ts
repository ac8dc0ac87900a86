import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "../../../provider/contract/fields";
import { release } from "../../../provider/program/dynamic";
import { definitions } from "../../../provider/registry/resources";
import { isIn } from "../../cases/case";
import { Engine, NativeEngine } from "../../support/engine";
import "../../support/printed";
import { seen, serveAt } from "../http/exchange";

// Every state in test/states, without one of its fields, under each operation. The server rejects every request.

type Dialect = "standard" | "hashicorp";
type State = NonNullable<Engine["state"]>;
type Operation = (engine: Engine, inputs: State["inputs"]) => Promise<unknown>;

const operations: Record<string, Operation> = {
  refresh: (engine) => engine.refresh(),
  diff: (engine, inputs) => engine.preview(inputs),
  update: (engine, inputs) => engine.up(inputs),
  destroy: (engine) => engine.destroy(),
};
/** Fields that a valid state may lack, so that an operation sends nothing. */
const optional = ["attempt", "destroyOnDelete", "discardShares", "leaseId", "live", "outcome"];

let address: string;
beforeEach(async () => {
  address = await serveAt((_, response) =>
    response.writeHead(403, { "content-type": "application/json" }).end('{"errors":["permission denied"]}'),
  );
});

function stateOf(dialect: Dialect, token: string): State {
  const file = join(__dirname, "../../states", release, dialect, `${token.replace(":", "-")}.json`);
  return JSON.parse(readFileSync(file, "utf8").replaceAll(/http:\/\/\w+\.invalid/g, address));
}

describe.each([
  ["standard", "dynamic", Engine],
  ["hashicorp", "dynamic", Engine],
  ["hashicorp", "native", NativeEngine],
] as const)("%s, %s", (dialect, _, Mechanism) => {
  const engineOf = (token: string, state: State): Engine => {
    const connection = { address, token: "canary", dialect };
    const engine = new Mechanism(token, { "steward:default": { secrets: connection, platform: connection } });
    engine.state = state;
    return engine;
  };
  /** Returns the requests of an operation, and its error if it failed. */
  async function run(token: string, state: State, operate: Operation): Promise<{ requests: string[]; error?: string }> {
    seen.length = 0;
    const { __provider, ...inputs } = state.inputs;
    const error = await operate(engineOf(token, state), inputs).then(
      () => undefined,
      ({ message }: Error) => message,
    );
    const requests = seen.map(({ method, url }) => `${method} ${url}`);
    return { requests, ...(error === undefined ? {} : { error }) };
  }

  const own = definitions.filter(isIn(dialect));
  describe.each(own)("$token", (definition) => {
    const { token } = definition;
    const fields = Object.keys(stateOf(dialect, token).outputs).filter((field) => field !== "__provider");
    /** The state without a field, or with another value in its place. */
    const damaged = (field: string, ...value: unknown[]): State => {
      const state = stateOf(dialect, token);
      if (value.length > 0) [state.outputs[field]] = value;
      else delete state.outputs[field];
      return state;
    };

    test.each(Object.entries(operations))("%s with null in place of a field does what it does without it", async (_, operate) => {
      for (const field of fields) {
        const expected = await run(token, damaged(field), operate);
        for (const value of ["__declared", "managed"].includes(field) ? [null, 5, "x", {}, [5]] : [null])
          expect({ field, value, ...(await run(token, damaged(field, value), operate)) }).toEqual({ field, value, ...expected });
      }
    });

    const title = "%s acts on the same objects without any field of the state, or fails and names the field";
    test.each(Object.entries(operations))(title, async (name, operate) => {
      const whole = await run(token, stateOf(dialect, token), operate);
      for (const field of fields) {
        const { requests, error = "" } = await run(token, damaged(field), operate);
        expect({ field, error }).not.toMatchObject({ error: expect.stringContaining("internal error") });
        expect({ field, paths: requests.join() }).not.toMatchObject({ paths: expect.stringMatching(/\/(undefined|null|)(\/|\?|,|$)/) });
        const isRejected = error.includes(`it lacks ${field}.`);
        if (isRejected) expect({ field, requests }).toEqual({ field, requests: [] });
        // An update writes the missing value.
        else if (/refresh|destroy/.test(name) && !optional.includes(field))
          expect({ field, requests }).toEqual({ field, requests: whole.requests });
      }
    });
  });

  test.each(["web", 5, true, {}, { x: "y" }, [5], [null]])("%j as the declared fields is no internal error", async (value) => {
    for (const { token } of own)
      for (const operate of Object.values(operations)) {
        const state = stateOf(dialect, token);
        state.outputs.__declared = value;
        const { requests, error = "" } = await run(token, state, operate);
        expect({ token, error }).not.toMatchObject({ error: expect.stringContaining("internal error") });
        expect({ token, requests, error }).toMatchObject({ requests: [], error: expect.stringContaining("it lacks __declared.") });
      }
  });

  test.each([undefined, null, "", 5, []])(
    "names come from the id in place of %j, and without a valid id nothing is deleted",
    async (value) => {
      const token = "secrets:SchedulerRole";
      const state = stateOf(dialect, token);
      Object.assign(state.outputs, { name: value, mount: value });
      if (value === undefined) {
        delete state.outputs.name;
        delete state.outputs.mount;
      }
      const { mount, name } = state.inputs;
      expect((await run(token, structuredClone(state), operations.destroy as Operation)).requests).toEqual([
        `DELETE /v1/${format("<mount>/role/<name>", { mount, name })}`,
      ]);
      state.id = "edited";
      const { requests, error } = await run(token, state, operations.destroy as Operation);
      expect(requests).toEqual([]);
      expect(error).toContain("it lacks mount, name.");
    },
  );
});
