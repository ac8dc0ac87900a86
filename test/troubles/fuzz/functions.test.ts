import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import * as fc from "fast-check";
import { platform, scheduler, secrets } from "../../../provider";
import { definitions } from "../../../provider/definitions";
import { StewardError } from "../../../provider/errors";
import { format } from "../../../provider/fields";
import { isObject } from "../../../provider/text/json";
import { limited, limits, provider } from "../../support/limits";
import "../../support/printed";
import { draws } from "../../support/scope";
import { fittingInputs } from "./arbitrary";
import { answers, patience, Server, startServer } from "./server";
import { anything, withHalfPairs } from "./values";

let server: Server;
let config: Record<string, string>;
Object.assign(limits, { initialBackoff: 1, deadline: 1_000, pollDelay: 1, maxPollDelay: 2, reconnectTimeout: 100 });
beforeAll(async () => {
  server = await startServer();
  const at = (dialect: string): string => {
    const connection = { address: server.address, token: "canary-of-the-connection", dialect };
    return JSON.stringify({ secrets: connection, platform: connection, scheduler: connection });
  };
  config = { "steward:default": at("standard"), "steward:real": at("hashicorp") };
  setAllConfig(config);
});
afterAll(() => server.stop());

/** Expects a result, or an error that a user can act on, after a limited number of requests. */
async function expectAnswered(operation: () => unknown): Promise<void> {
  try {
    await limited(operation);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code === "ERR_INTERNAL") throw error;
    expect(`${error.message}\n${error.stack}\n${JSON.stringify(error)}`).not.toContain("canary");
  }
  expect(server.asked.length).toBeLessThan(patience);
}

describe.each(definitions)("get of $token", (definition) => {
  test("handles any response of the server", async () => {
    const handler = provider(definition.token);
    handler.configure({ config: { get: (key) => config[key] } });
    const property = fc.asyncProperty(fittingInputs(definition), answers, answers, async (given, said, saidLater) => {
      const { inputs, failures } = await handler.check({}, { ...given, __provider: "text" });
      if (failures.length > 0) return;
      const id = format(definition.id, inputs);
      server.say(said);
      let state: object | undefined;
      await expectAnswered(async () => {
        state = (await handler.read(id, { connection: inputs.connection, __provider: "text" })).props;
      });
      server.say(saidLater);
      if (state) await expectAnswered(() => handler.read(id, { ...state, __provider: "text" }));
    });
    await fc.assert(property, { numRuns: draws(50) });
  });
});

type Options = Record<string, unknown>;
interface Called {
  /** The options, in addition to the generated ones. */
  options?: Options;
  call(options: never): unknown;
}

/** Iterates an endless list as long as its responses are new. */
async function iterate(list: AsyncIterable<unknown>): Promise<void> {
  let left = 20;
  for await (const _ of list) if (--left === 0) return;
}
/** Ends a call that waits, after the last response. */
function untilSaid<T>(call: (signal: AbortSignal) => T): T {
  const controller = new AbortController();
  server.onRequest = (count) => {
    if (count > 30) controller.abort();
  };
  return call(controller.signal);
}

/** The strings that some functions take. The others reject them. */
const strings: Options = {
  ...{ connection: "default", mount: "team", namespace: "team", region: "eu", filter: 'Name == "web"' },
  ...{ q: "web", sort: "name", currentRunStatus: ["applied"], include: ["organization"], pathPrefix: "/sys", method: "GET", timeout: "1s" },
};
const moduleOptions = { organizationName: "acme", moduleName: "network", moduleProvider: "aws" };
/** Every function of the package that sends requests. */
const functions: Record<string, Called> = {
  "platform.getCostEstimationSettings": { call: platform.getCostEstimationSettings },
  "platform.getCustomizationSettings": { call: platform.getCustomizationSettings },
  "platform.getGeneralSettings": { call: platform.getGeneralSettings },
  "platform.getModuleVersion": { options: { ...moduleOptions, moduleVersion: "1.0.0" }, call: platform.getModuleVersion },
  "platform.getSamlSettings": { call: platform.getSamlSettings },
  "platform.getSmsSettings": { call: platform.getSmsSettings },
  "platform.getSmtpSettings": { call: platform.getSmtpSettings },
  "platform.getWorkspace": { options: { id: "ws-1" }, call: platform.getWorkspace },
  "platform.listModuleVersions": { options: moduleOptions, call: platform.listModuleVersions },
  "platform.listWorkspaces": {
    call: async (options) => {
      const list = platform.listWorkspaces(options);
      await iterate(list);
      await Promise.all([list.statusCounts(), list.totalCount()]);
    },
  },
  "scheduler.getAgentMembers": { call: scheduler.getAgentMembers },
  "scheduler.listDeployments": { call: (options) => iterate(scheduler.listDeployments(options)) },
  "scheduler.listJobs": { options: { pageSize: 2 }, call: (options) => iterate(scheduler.listJobs(options)) },
  "scheduler.listNodes": { call: (options) => iterate(scheduler.listNodes(options)) },
  "scheduler.registerJob": { options: { job: { ID: "web" } }, call: scheduler.registerJob },
  "scheduler.waitForDeployment": {
    options: { jobId: "web" },
    call: (options: Options) => untilSaid((signal) => scheduler.waitForDeployment({ jobId: "web", ...options, signal })),
  },
  "scheduler.watch": {
    options: { resource: "jobs" },
    call: (options: Options) => untilSaid((signal) => iterate(scheduler.watch({ resource: "jobs", ...options, signal }))),
  },
  "secrets.getRekeyBackup": { call: secrets.getRekeyBackup },
  "secrets.getRekeyStatus": { call: secrets.getRekeyStatus },
  "secrets.getSpecification": { call: secrets.getSpecification },
  "secrets.listSchedulerRoles": { call: secrets.listSchedulerRoles },
};
/** Functions that send nothing. */
const others = ["scheduler.filter", "secrets.decryptShare"];

test("every function is covered", () => {
  const isFunction = (value: unknown): boolean => typeof value === "function" && !/^class\b/.test(String(value));
  const exported = Object.entries({ platform, scheduler, secrets }).flatMap(([system, names]) =>
    Object.entries(names).flatMap(([name, value]) => (isFunction(value) ? [`${system}.${name}`] : [])),
  );
  expect([...Object.keys(functions), ...others].sort()).toEqual(exported.sort());
});

describe.each(Object.entries(functions).map(([name, called]) => ({ name, ...called })))("$name", ({ options, call }) => {
  const connection = fc.constantFrom({}, { connection: "real" });

  test("handles any response of the server", async () => {
    const property = fc.asyncProperty(connection, answers, async (where, said) => {
      server.onRequest = () => {};
      server.say(said);
      await expectAnswered(() => call({ ...options, ...where } as never));
    });
    await fc.assert(property, { numRuns: draws(60) });
  });

  test("rejects half of a surrogate pair in any argument and sends nothing", async () => {
    server.onRequest = () => {};
    server.say([]);
    for (const broken of [...withHalfPairs({ ...options }), ...withHalfPairs(strings)] as Options[]) {
      const isOwn = Object.keys(options ?? {}).some((name) => name in broken);
      const changed = isOwn ? broken : Object.fromEntries(Object.entries(broken).filter(([name, value]) => value !== strings[name]));
      await expect(limited(async () => call({ ...options, ...changed } as never))).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
    }
    expect(server.asked).toEqual([]);
  });

  test("rejects any invalid argument and sends nothing", async () => {
    const misfit = fc.oneof(
      fc.dictionary(fc.constantFrom("connection", "mount", "id", "filter", "pageSize", "resource", "toString", "unheard"), anything, {
        minKeys: 1,
      }),
      anything,
    );
    const property = fc.asyncProperty(misfit, async (given) => {
      server.onRequest = () => {};
      server.say([{ status: 403, headers: {}, wrong: [], choice: 0, echoes: false }]);
      await expectAnswered(async () => {
        const refused = await Promise.resolve(call(given as never)).catch((error) => error);
        if (refused instanceof StewardError && ["ERR_INVALID_INPUT", "ERR_NO_CONNECTION"].includes(refused.code))
          expect(server.asked).toEqual([]);
        // No function has an argument of this name.
        if (isObject(given) && Object.hasOwn(given, "unheard")) expect(refused).toMatchObject({ code: "ERR_INVALID_INPUT" });
        if (refused instanceof Error) throw refused;
      });
    });
    await fc.assert(property, { numRuns: draws(60) });
  });
});

test("decryptShare handles any input", async () => {
  const given = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom("-----BEGIN PGP MESSAGE-----", "00"));
  const property = fc.asyncProperty(given, given, (share, privateKey) =>
    expectAnswered(() => secrets.decryptShare({ share, privateKey, passphrase: "canary" })),
  );
  await fc.assert(property, { numRuns: draws(100) });
});
