import { output } from "@pulumi/pulumi/output";
import { setMocks } from "@pulumi/pulumi/runtime/mocks";
import { platform, secrets } from "../../../provider";
import { invalidInputs } from "../../support/refusal";
import { registered } from "../../support/registered";

// Values that Pulumi's SDK cannot pass to a provider.

type Class = new (name: string, args: object) => unknown;
const declare = (args: object) => (): unknown => new secrets.SchedulerRoles("set", args as secrets.SchedulerRolesArgs);
const classes = Object.entries({ ...platform, ...secrets }).filter(([, value]) => /^class\b/.test(String(value))) as unknown as [
  string,
  Class,
][];

beforeEach(() => setMocks({ call: () => ({}), newResource: ({ inputs }) => ({ id: "id", state: inputs }) }));

test.each(classes)("%s rejects a Map in its arguments", (_, Resource) => {
  const args = { roles: { deep: [new Map([["web", {}]])] } };
  expect(() => new Resource("resource", args)).toThrow(invalidInputs("roles.deep[0]: not-plain"));
});

test.each([
  [{ roles: new Map([["web", {}]]) }, "roles: not-plain"],
  [{ roles: { web: { policies: new Set(["a"]) } } }, "roles.web.policies: not-plain"],
  [{ roles: { "a.b": new URLSearchParams() } }, 'roles["a.b"]: not-plain'],
  [{ roles: JSON.parse('{ "__proto__": {} }') }, "roles.__proto__: unstorable"],
  [{ roles: { toString: {} } }, "roles.toString: unstorable"],
])("%j is rejected: %s", (args, problem) => {
  expect(declare(args)).toThrow(invalidInputs(problem));
});

test("the message names the resource, and the type of the value", () => {
  expect(declare({ roles: new Map() })).toThrow(/^Cannot declare secrets\.SchedulerRoles "set": roles: .* Map\.$/);
});

test("other names of JavaScript's own members, and outputs, are passed on", async () => {
  const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => !["__proto__", "toString"].includes(name));
  const roles = Object.fromEntries(names.map((name) => [name, { policies: output(["a"]) }]));
  const request = await registered(declare({ roles }));
  expect(Object.keys(request.getObject()?.toJavaScript().roles ?? {}).sort()).toEqual([...names].sort());
});
