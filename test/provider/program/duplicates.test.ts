import { Output, output, runtime, unknown } from "@pulumi/pulumi";
import { declareOnce } from "../../../provider/program/duplicates";
import { schedulerRole } from "../../../provider/secrets/scheduler-role";
import { schedulerRoles } from "../../../provider/secrets/scheduler-roles";

/** Runs a program in a preview of a new stack. */
async function program(run: () => Promise<void>): Promise<void> {
  await runtime.setMocks({ call: () => ({}), newResource: ({ inputs }) => ({ id: "id", state: inputs }) }, "project", "stack", true);
  const at = (address: string): string => JSON.stringify({ secrets: { address, token: "t", dialect: "standard" } });
  runtime.setAllConfig({
    ...{ "steward:default": at("http://one.example.com"), "steward:same": at("http://one.example.com:80/") },
    "steward:other": at("http://two.example.com"),
  });
  // Pulumi throws an error of the program again, unhandled.
  let failure: unknown;
  await runtime.runInPulumiStack(async () => {
    await run().catch((error) => {
      failure = error;
    });
  });
  if (failure) throw failure;
}

/** The internal parts of an output. */
interface Parts {
  promise(): Promise<unknown>;
  isKnown: Promise<boolean>;
  isSecret: Promise<boolean>;
  allResources(): Promise<unknown>;
}
const partsOf = (value: unknown): Parts => value as Parts;
const isKnown = (value: unknown): Promise<boolean> => partsOf(value).isKnown;
/** The error of an output, which each of its parts throws. */
async function refusalOf(value: unknown): Promise<Error | undefined> {
  if (!Output.isInstance(value)) return undefined;
  const { isKnown: known, isSecret } = partsOf(value);
  const [first] = await Promise.allSettled([partsOf(value).promise(), known, isSecret, partsOf(value).allResources()]);
  return first.status === "rejected" ? first.reason : undefined;
}
/** Declares a set of roles. Returns its error and the properties that throw it. */
async function refusal(name: string, properties: Record<string, unknown>): Promise<Record<string, Error>> {
  let declared: Record<string, unknown>;
  try {
    declared = declareOnce(schedulerRoles, name, properties);
  } catch (error) {
    return { program: error as Error };
  }
  const refusals = await Promise.all(Object.entries(declared).map(async ([field, value]) => [field, await refusalOf(value)] as const));
  return Object.fromEntries(refusals.flatMap(([field, error]) => (error ? [[field, error]] : [])));
}
const taken = expect.objectContaining({
  ...{ code: "ERR_INVALID_INPUT", message: expect.stringContaining('"first"') },
  details: expect.objectContaining({ rule: "declared-twice" }),
});
const roles = { web: { policies: ["a"] } };

test("a known mount stays known if the roles of a set are unknown, so preview plans no replacement", () =>
  program(async () => {
    const declared = declareOnce(schedulerRoles, "set", { mount: output("team"), roles: output(unknown) });
    expect([await isKnown(declared.mount), await isKnown(declared.roles)]).toEqual([true, false]);
  }));

test("the check for duplicates fails the roles of a set, not its mount", () =>
  program(async () => {
    expect(await refusal("first", { mount: "team", roles })).toEqual({});
    expect(await refusal("second", { mount: output("team"), roles: output(roles) })).toEqual({ roles: taken });
  }));

test.each(["its own", "the program's"])(
  "a copy of the package with %s SDK, which a component may bring, sees the objects of the program",
  (sdk) =>
    program(async () => {
      expect(await refusal("first", { mount: "team", roles })).toEqual({});
      const parts = sdk === "its own" ? [] : ["output", "runtime/config", "runtime/stack"].map((part) => `@pulumi/pulumi/${part}`);
      const modules = parts.map((part) => [part, require(part)] as const);
      jest.isolateModules(() => {
        for (const [part, module] of modules) jest.doMock(part, () => module);
        const copy: typeof import("../../../provider/program/duplicates") = require("../../../provider/program/duplicates");
        expect(() => copy.declareOnce(schedulerRoles, "second", { mount: "team", roles })).toThrow(taken);
      });
    }),
);

describe.each([
  { when: "known", mount: (): unknown => "team", carrier: "program" },
  { when: "an output", mount: (): unknown => output("team"), carrier: "mount" },
])("a set of roles with an undefined one, whose mount is $when", ({ mount, carrier }) => {
  test("leaves that role to another resource and declares the others", () =>
    program(async () => {
      const site = { policies: ["b"] };
      expect(await refusal("first", { mount: mount(), roles: { ...roles, site: undefined } })).toEqual({});
      expect(await refusal("second", { mount: mount(), roles: { site } })).toEqual({});
      expect(await refusal("third", { mount: mount(), roles: { ...roles, shop: undefined } })).toEqual({ [carrier]: taken });
    }));
});

test.each([
  { given: { name: "web" }, isTwice: true },
  { given: { name: "web", connection: "same" }, isTwice: true },
  { given: { name: "web", mount: "/scheduler/" }, isTwice: true },
  { given: { name: "web", connection: "other" }, isTwice: false },
  { given: { name: "site" }, isTwice: false },
  { given: { name: "web", mount: "elsewhere" }, isTwice: false },
])("$given is the same object as the role web: $isTwice", ({ given, isTwice }) =>
  program(async () => {
    declareOnce(schedulerRole, "first", { name: "web" });
    const second = (): unknown => declareOnce(schedulerRole, "second", given);
    if (isTwice) expect(second).toThrow(taken);
    else expect(second).not.toThrow();
  }),
);

test.each([
  ["a", "a/role"],
  ["a/role", "a"],
])("an exclusive set of the mount %s declares the roles of that mount, but not those of the mount %s", (mount, another) =>
  program(async () => {
    declareOnce(schedulerRoles, "first", { mount, roles, exclusive: true });
    declareOnce(schedulerRoles, "second", { mount: another, roles, exclusive: true });
    expect(() => declareOnce(schedulerRole, "third", { mount, name: "site" })).toThrow(taken);
  }),
);
