import { createHash } from "node:crypto";
import { StewardError } from "../../../provider/contract/errors";
import { Sandbox } from "../../../sandbox/index";
import { cases, held, livingForms } from "../../cases";
import { Context, isIn } from "../../cases/case";
import { contextOf, resetAll } from "../../support/context";
import { Engine, NativeEngine } from "../../support/engine";
import { Gateway, startGateway } from "../../support/gateway";
import { limits } from "../../support/limits";
import { RekeyStack } from "../../support/rekey";
import { RekeyDialect } from "../../support/rekey-wire";
import { startSandbox } from "../../support/sandbox";
import { oneIn } from "../../support/scope";
import { until } from "../../support/until";
import { Fault, faults, Where } from "./faults";
import { beginRekey, rekeyForms, Scene } from "./rekey";

// Each fault meets some requests, since this has no common factor with the number of the faults, 16.
const stride = oneIn(9);

type System = Where["system"];
const systems = ["secrets", "platform", "scheduler"] as const;

/** Checks that an error is useful: the failed operation, the cause and usually a hint, without secrets. */
function judge(error: unknown): void {
  if (!(error instanceof StewardError)) throw new Error(`not a StewardError: ${(error as Error).stack ?? String(error)}`);
  expect(error.message).toMatch(/^Cannot [^\n]+\.( \[rekey\/[a-z-]+\])?$/);
  expect(error.message.length).toBeLessThan(1000);
  expect(`${error.message}${JSON.stringify(error)}`).not.toContain("canary");
  expect(error.code).not.toBe("ERR_INTERNAL");
  // Pulumi keeps the state from before a failed deletion.
  if (error.details.outcomeUnknown && error.message.startsWith("Cannot delete "))
    expect(error.message).toContain("run `pulumi refresh` before");
}

const engines = { dynamic: Engine, native: NativeEngine };

/** Tests every request of every story with every fault, and then completes the partial operation. OpenBao's dialect has only the rekey. */
export function matrix(dialect: RekeyDialect, mechanism: keyof typeof engines): void {
  const isRekeyAlone = dialect === "openbao";
  const others = dialect === "openbao" ? "hashicorp" : dialect;
  let sandbox: Sandbox;
  const gateways = {} as Record<System, Gateway>;
  const { deadline } = limits;

  beforeAll(async () => {
    sandbox = await startSandbox({ dialect });
    context = contextOf(sandbox, others);
    for (const system of systems) gateways[system] = await startGateway(sandbox[system].url);
    // The same rules in less time: one retry.
    Object.assign(limits, { initialBackoff: 1, maxRetries: 1 });
    jest.spyOn(console, "log").mockImplementation(() => {});
  });
  afterAll(async () => {
    for (const gateway of Object.values(gateways)) await gateway.close();
  });

  /** Bypasses the gateways, which take as long as a request, except for the fault that closes one. */
  const connections = (fault?: Fault): Record<string, object> => ({
    "steward:default": Object.fromEntries(
      systems.map((system) => {
        const { url, token } = sandbox[system];
        return [
          system,
          { address: fault?.name === "refused" ? gateways[system].url : url, token, dialect: system === "secrets" ? dialect : others },
        ];
      }),
    ),
  });
  let context: Context;
  const look = async (): Promise<unknown> => withoutTimes(await held(context));
  const fresh = async (token: string): Promise<void> => {
    await resetAll(context);
    await cases.find((each) => each.token === token)?.prepare?.(context);
  };

  async function requestsOf(operation: () => Promise<unknown>): Promise<Where[]> {
    const before = sandbox.requests().length;
    await operation();
    const counts = new Map<string, number>();
    return sandbox
      .requests()
      .slice(before)
      .map(({ system, method, path }, index) => {
        const nth = (counts.get(`${method} ${path}`) ?? 0) + 1;
        counts.set(`${method} ${path}`, nth);
        return { system: system as System, method, path, nth, before: index };
      });
  }

  /** Runs the operation under the fault. Returns when all its effects are complete: true if it succeeded. */
  async function under(fault: Fault, where: Where, operation: () => Promise<unknown>): Promise<boolean> {
    const before = sandbox.requests().length;
    await fault.order(where, sandbox, gateways[where.system]);
    // Other requests have the time that they need on a busy machine.
    if (fault.name === "slow") limits.deadline = 40;
    try {
      const error = await operation().then(
        () => undefined,
        (reason) => reason,
      );
      const sent = sandbox.requests().slice(before);
      // On a busy machine, an earlier request may be too slow as well.
      const isElsewhere = fault.name === "refused" || (fault.name === "slow" && error !== undefined);
      const isMet = isElsewhere || sent.some(({ method, path }) => method === where.method && path === where.path);
      expect(isMet).toBe(true);
      if (error !== undefined) judge(error);
      return error === undefined;
    } finally {
      sandbox.faults.clear();
      limits.deadline = deadline;
      await gateways[where.system].reopen();
      // A request that timed out in the provider still arrives.
      const hasResponse = (): boolean =>
        sandbox
          .requests()
          .slice(before)
          .every(({ status }) => status !== 0);
      if (fault.name === "slow") await until("the slow requests are answered", hasResponse);
    }
  }

  /** Tests each fault at each request of an operation. Each request tries others, so that every fault meets some requests of every kind. */
  async function everyFault(begin: (fault?: Fault) => Promise<Scene>, areAll = false): Promise<void> {
    // A test draws the same faults with any filter and beside any other resource.
    let met = createHash("sha1")
      .update(expect.getState().currentTestName ?? "")
      .digest()
      .readUInt16BE();
    const calm = await begin();
    const places = await requestsOf(() => calm.run().catch(judge));
    await calm.converge();
    for (const where of places.filter(({ nth }) => areAll || nth === 1))
      for (const fault of faults) {
        const attempt = async (before: number): Promise<boolean> => {
          try {
            const { run, converge } = await begin(fault);
            const succeeded = await under(fault, { ...where, before }, run);
            await converge();
            return succeeded;
          } catch (error) {
            (error as Error).message = `${fault.name} at ${where.method} ${where.path}: ${(error as Error).message}`;
            throw error;
          }
        };
        let succeeded = met++ % stride === 0 && (await attempt(where.before));
        // Parallel requests may all have passed the gateway before it was closed.
        for (let before = where.before - 1; fault.name === "refused" && succeeded && before >= 0; before--)
          succeeded = await attempt(before);
      }
  }

  const lives = ({ token, title, ...each }: (typeof livingForms)[number]): void => {
    const operations = ["create", "refresh", "update", "delete"] as const;
    test.each(operations)(
      "%s: each fault at each request ends in the expected state or in one readable error, and the next run converges",
      async (operation) => {
        const [inputs, changed] = [each.inputs(context), each.changed?.(context)];
        let right: unknown;
        await everyFault(async (fault) => {
          await fresh(token);
          const engine = new engines[mechanism](token, connections(fault));
          const expectNoValue = (): void => {
            if (title !== token) expect(JSON.stringify(engine.state ?? {})).not.toContain("canary");
          };
          if (operation !== "create") await engine.up(inputs);
          if (operation === "delete" && changed) await engine.up(changed);
          const run = {
            create: () => engine.up(inputs),
            refresh: () => engine.refresh(),
            update: () => engine.up(changed ?? inputs),
            // If the response to a delete was lost, delete again.
            delete: async () => engine.state && engine.destroy(),
          }[operation];
          return {
            run,
            async converge() {
              expectNoValue();
              await run();
              expectNoValue();
              right ??= await look();
              if (each.isRepeatable ?? true) expect(await look()).toEqual(right);
              if (operation === "delete") return;
              expect(await engine.refresh()).toEqual([]);
              expect(await engine.up(operation === "update" && changed ? changed : inputs)).toBe("same");
            },
          };
        });
      },
    );
  };
  if (!isRekeyAlone) describe.each(livingForms.filter(isIn(others)))("$title", lives);

  // The requests of a rekey depend on each other, so each is tested separately.
  // The second form mostly decrypts shares, which does not depend on the mechanism.
  const forms = mechanism === "native" && stride > 1 ? rekeyForms.slice(0, 1) : rekeyForms;
  describe.each(forms)("a rekey, $name", (form) => {
    test.each(form.operations)("%s: no fault at any request loses a key, and the next runs converge", async (operation) => {
      const begin = async (fault?: Fault): Promise<Scene> => {
        await fresh("secrets:RekeyAttempt");
        return beginRekey(form, operation, sandbox, new RekeyStack(connections(fault), engines[mechanism]));
      };
      await everyFault(begin, true);
    });
  });
}

/** Replaces times, which differ in each run. */
const withoutTimes = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (/(^request_id|[cC]reated-?[aA]t|^published-at|Time)$/.test(key) ? undefined : value)));
