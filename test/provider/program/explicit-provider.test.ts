import { Sandbox, start } from "../../../sandbox/index";
import { NativeEngine } from "../../support/engine";
import { limits } from "../../support/limits";

// Errors of a resource with an explicit provider name that provider and the arguments to change.

limits.maxRetries = 0;
const role = { name: "web", policies: ["a"] };

let sandbox: Sandbox;
let other: Sandbox;
beforeAll(async () => {
  [sandbox, other] = await Promise.all([start({ dialect: "hashicorp" }), start({ dialect: "hashicorp" })]);
});
afterAll(async () => {
  await Promise.all([sandbox.close(), other.close()]);
});

const settings = ({ secrets: { url, token } }: Sandbox, more: object = {}): Record<string, object> => ({
  secrets: { address: url, token, dialect: "hashicorp", ...more },
});
const engine = (type: string, given: Record<string, object>, provider = "production"): NativeEngine =>
  new NativeEngine(type, given, provider);
const failure = (operation: Promise<unknown>): Promise<string> =>
  operation.then(
    () => "it succeeded",
    (error) => error.message,
  );

test("a resource that was written to another server", async () => {
  const resource = engine("secrets:SchedulerRole", settings(sandbox));
  await resource.up(role);
  resource.configure(settings(other));
  for (const operation of [() => resource.preview(role), () => resource.refresh(), () => resource.destroy()]) {
    const message = await failure(operation());
    expect(message).toContain(`the provider "production" points to ${other.secrets.url}`);
    expect(message).toContain('set allowAddressChange: true next to the address in the arguments of provider "production"');
    expect(message).not.toMatch(/"default"|steward:/);
  }
  resource.configure(settings(other, { allowAddressChange: true }));
  expect(await resource.up(role)).toBe("update");
});

/** The settings of the provider, the error, and other inputs than a new role. */
type Row = [title: string, given: (own: Sandbox) => Record<string, object>, expected: RegExp, inputs?: object];
const rows: Row[] = [
  ["a token without rights", (own) => settings(own, { token: "wrong" }), /secrets in the provider "production"/],
  ["no token", (own) => settings(own, { token: undefined }), /token of secrets in the provider "production"/],
  ["an invalid address", (own) => settings(own, { address: "vault" }), /address of secrets in the provider "production"/],
  ["an unknown setting", (own) => settings(own, { adress: "vault" }), /the provider "production" are invalid: secrets: "adress"/],
  ["no server of that system", settings, /"production" has no platform server.*`platform: \{ address/, { apiRateLimit: 40 }],
  ["a connection of the configuration", settings, /no connection "eu".*Remove `connection`/, { ...role, name: "new", connection: "eu" }],
];
test.each(rows)("%s", async (_, given, expected, inputs = { ...role, name: "new" }) => {
  const type = "name" in inputs ? "secrets:SchedulerRole" : "platform:GeneralSettings";
  const message = await failure(engine(type, given(sandbox)).up({ ...inputs }));
  expect(message).toMatch(expected);
  expect(message).not.toMatch(/connection "default"|steward:/);
});
