import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import * as fc from "fast-check";
import { platform, secrets } from "../../../provider";
import { StewardError } from "../../../provider/contract/errors";
import { call, functionNames, optionsOf } from "../../support/functions";
import { limited, limits } from "../../support/limits";
import "../../support/printed";
import { invalidInputs } from "../../support/refusal";
import { draws } from "../../support/scope";
import { answers, maxRequests, Server, startServer } from "./server";
import { anything, withHalfPairs } from "./values";

let server: Server;
Object.assign(limits, { initialBackoff: 1, deadline: 1_000, pollDelay: 1, maxPollDelay: 2, reconnectTimeout: 100 });
beforeAll(async () => {
  server = await startServer();
  const at = (dialect: string): string => {
    const connection = { address: server.address, token: "canary-of-the-connection", dialect };
    return JSON.stringify({ secrets: connection, platform: connection, scheduler: connection });
  };
  setAllConfig({ "steward:default": at("standard"), "steward:real": at("hashicorp") });
});

/** Expects a result, or an error that a user can act on, after a limited number of requests. */
async function expectAnswered(operation: () => unknown): Promise<void> {
  try {
    await limited(operation);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code === "ERR_INTERNAL") throw error;
    expect(`${error.message}\n${error.stack}\n${JSON.stringify(error)}`).not.toContain("canary");
  }
  expect(server.asked.length).toBeLessThan(maxRequests);
}

type Options = Record<string, unknown>;
/** Calls a function until an endless list has 20 items, and ends a call that waits after 30 responses. */
async function ask(name: string, given: unknown): Promise<void> {
  server.onRequest = () => {};
  if (name === "platform.listWorkspaces") {
    const list = platform.listWorkspaces(given as platform.ListWorkspacesOptions);
    await Promise.all([list.statusCounts(), list.totalCount()]);
  }
  if (!/^scheduler\.wa(tch|itForDeployment)$/.test(name)) return void (await call(name, given, 20));
  const controller = new AbortController();
  server.onRequest = (count) => {
    if (count > 30) controller.abort();
  };
  await call(name, { ...optionsOf(name), ...(given as Options), signal: controller.signal }, 20);
}

/** The strings that some functions take. The others reject them. */
const strings: Options = {
  ...{ connection: "default", mount: "team", namespace: "team", region: "eu", filter: 'Name == "web"' },
  ...{ q: "web", sort: "name", currentRunStatus: ["applied"], include: ["organization"], pathPrefix: "/sys", method: "GET", timeout: "1s" },
};

describe.each(functionNames)("%s", (name) => {
  const options = optionsOf(name);
  const connection = fc.constantFrom({}, { connection: "real" });

  test("handles any response of the server", async () => {
    const property = fc.asyncProperty(connection, answers, async (where, said) => {
      server.say(said);
      await expectAnswered(() => ask(name, { ...options, ...where }));
    });
    await fc.assert(property, { numRuns: draws(60) });
  });

  test.each([
    [200, '{"message":"maintenance"}'],
    [404, "404 page not found"],
  ])("does not take a gateway's response for a result: %i %s", async (status, instead) => {
    server.say([{ status, headers: {}, wrong: [], choice: 0, instead, echoes: false }]);
    const code = expect.stringMatching(/^ERR_(UNEXPECTED_RESPONSE|NOT_FOUND)$/);
    await expect(limited(() => ask(name, { ...options, connection: "real" }))).rejects.toMatchObject({ code });
  });

  test("rejects half of a surrogate pair in any argument and sends nothing", async () => {
    server.say([]);
    for (const broken of [...withHalfPairs(options), ...withHalfPairs(strings)] as Options[]) {
      const isOwn = Object.keys(options).some((option) => option in broken);
      const changed = isOwn ? broken : Object.fromEntries(Object.entries(broken).filter(([name, value]) => value !== strings[name]));
      await expect(limited(() => ask(name, { ...options, ...changed }))).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
    }
    expect(server.asked).toEqual([]);
  });

  test("rejects an unknown option and sends nothing", async () => {
    server.say([]);
    const refused = expect(limited(() => ask(name, { ...options, unheard: 1 }))).rejects;
    await refused.toThrow(invalidInputs("unrecognized-keys"));
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
      server.say([{ status: 403, headers: {}, wrong: [], choice: 0, echoes: false }]);
      await expectAnswered(async () => {
        const refused = await ask(name, given).catch((error) => error);
        if (refused instanceof StewardError && ["ERR_INVALID_INPUT", "ERR_NO_CONNECTION"].includes(refused.code))
          expect(server.asked).toEqual([]);
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
