import { Operation } from "../../../provider/connection";
import { declare, Program } from "../../../provider/program/duplicates";
import { schedulerRole } from "../../../provider/secrets/scheduler-role";
import { schedulerRoles } from "../../../provider/secrets/scheduler-roles";
import { connectTo } from "../../support/connection";
import { refusal } from "../../support/refusal";

// The identity of objects in a program. test/end-to-end/stories/everything/duplicates.test.ts covers whole programs.

const connectionTo = (address: string): Operation => connectTo("secrets", { address });
const program = (): Program => ({
  names: new Map(),
  cache: new Map([
    ['["secrets","default"]', connectionTo("http://one.example.com")],
    ['["secrets","same"]', connectionTo("http://one.example.com:80/")],
    ['["secrets","other"]', connectionTo("http://two.example.com")],
  ]),
});

test("an exclusive set declares the roles of its mount, but not those of a mount below it", () => {
  const outer = { mount: "a", roles: { web: {} }, exclusive: true };
  const inner = { mount: "a/role", roles: { web: {} }, exclusive: true };
  for (const [first, second] of [
    [outer, inner],
    [inner, outer],
  ] as const) {
    const both = program();
    declare(schedulerRoles, "first", both, first);
    expect(() => declare(schedulerRoles, "second", both, second)).not.toThrow();
    expect(() => declare(schedulerRole, "third", both, { mount: first.mount, name: "site" })).toThrow(
      refusal("ERR_INVALID_INPUT", { rule: "declared-twice" }),
    );
  }
});

test.each([
  { given: { name: "web" }, isTwice: true },
  { given: { name: "web", connection: "same" }, isTwice: true },
  { given: { name: "web", mount: "/scheduler/" }, isTwice: true },
  { given: { name: "web", connection: "other" }, isTwice: false },
  { given: { name: "site" }, isTwice: false },
  { given: { name: "web", mount: "elsewhere" }, isTwice: false },
])("$given is the same object as the role web: $isTwice", ({ given, isTwice }) => {
  const both = program();
  declare(schedulerRole, "first", both, { name: "web" });
  const second = (): void => declare(schedulerRole, "second", both, given);
  if (isTwice) expect(second).toThrow(refusal("ERR_INVALID_INPUT", { rule: "declared-twice" }));
  else expect(second).not.toThrow();
});
