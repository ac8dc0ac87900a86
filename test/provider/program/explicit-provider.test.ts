import { Sandbox } from "../../../sandbox/index";
import { NativeEngine } from "../../support/engine";
import { limits } from "../../support/limits";
import { failure } from "../../support/refusal";
import { other, sandbox, to } from "../lifecycle/two-sandboxes";

// Errors of a resource with an explicit provider name that provider and the arguments to change.

limits.maxRetries = 0;
const role = { name: "web", policies: ["a"] };
type Settings = ReturnType<typeof to>;
const engine = (type: string, given: Settings): NativeEngine => new NativeEngine(type, given, "production");

test("a resource that was written to another server", async () => {
  const resource = engine("secrets:SchedulerRole", to(sandbox));
  await resource.up(role);
  resource.configure(to(other));
  const { message } = await failure(resource.refresh());
  expect(message).toContain(`the provider "production" points to ${other.secrets.url}`);
  expect(message).toContain('set allowAddressChange: true next to the address in the arguments of provider "production"');
  expect(message).not.toMatch(/"default"|steward:/);
  resource.configure(to(other, { allowAddressChange: true }));
  expect(await resource.up(role)).toBe("update");
  resource.configure(to(other));
  expect(await resource.up(role)).toBe("same");
  expect(await resource.refresh()).toEqual([]);
});

/** The settings of the provider, the error, and other inputs than a new role. */
type Row = [title: string, given: (own: Sandbox) => Settings, expected: RegExp, inputs?: object];
const rows: Row[] = [
  ["a token without rights", (own) => to(own, { token: "wrong" }), /secrets in the provider "production"/],
  ["no token", (own) => to(own, { token: undefined }), /token of secrets in the provider "production"/],
  ["an invalid address", (own) => to(own, { address: "vault" }), /address of secrets in the provider "production"/],
  ["an unknown setting", (own) => to(own, { adress: "vault" }), /the provider "production" are invalid: secrets: "adress"/],
  ["no server of that system", to, /"production" has no platform server.*`platform: \{ address/, { apiRateLimit: 40 }],
  ["a connection of the configuration", to, /no connection "eu".*Remove `connection`/, { ...role, name: "new", connection: "eu" }],
];
test.each(rows)("%s", async (_, given, expected, inputs = { ...role, name: "new" }) => {
  const type = "name" in inputs ? "secrets:SchedulerRole" : "platform:GeneralSettings";
  const { message } = await failure(engine(type, given(sandbox)).up({ ...inputs }));
  expect(message).toMatch(expected);
  expect(message).not.toMatch(/connection "default"|steward:/);
});
