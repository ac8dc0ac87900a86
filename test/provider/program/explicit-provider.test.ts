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

test.each<[string, string, (own: Sandbox) => Record<string, object>, object, RegExp]>([
  [
    "a token without rights",
    "secrets:SchedulerRole",
    (own) => settings(own, { token: "wrong" }),
    role,
    /secrets in the provider "production"/,
  ],
  [
    "no token",
    "secrets:SchedulerRole",
    (own) => settings(own, { token: undefined }),
    role,
    /token of secrets in the provider "production"/,
  ],
  [
    "an invalid address",
    "secrets:SchedulerRole",
    (own) => settings(own, { address: "vault" }),
    role,
    /address of secrets in the provider "production"/,
  ],
  [
    "an unknown setting",
    "secrets:SchedulerRole",
    (own) => settings(own, { adress: "vault" }),
    role,
    /settings of the provider "production" are invalid: secrets: "adress"/,
  ],
  [
    "no server of that system",
    "platform:GeneralSettings",
    settings,
    { apiRateLimit: 40 },
    /"production" has no platform server.*`platform: \{ address/,
  ],
  [
    "a connection of the configuration",
    "secrets:SchedulerRole",
    settings,
    { ...role, connection: "eu" },
    /"production" has no connection "eu".*Remove `connection`/,
  ],
])("%s", async (_, type, given, inputs, expected) => {
  const message = await failure(engine(type, given(sandbox)).up({ ...inputs, ...(type.startsWith("secrets") ? { name: "new" } : {}) }));
  expect(message).toMatch(expected);
  expect(message).not.toMatch(/connection "default"|steward:/);
});
