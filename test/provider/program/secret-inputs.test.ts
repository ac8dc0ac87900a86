import { Output, output, secret } from "@pulumi/pulumi/output";
import { platform, secrets } from "../../../provider";
import { registered } from "../../support/registered";

const given = async (args: Partial<secrets.SchedulerRoleArgs>, opts: object = {}): Promise<unknown> => {
  const request = await registered(() => new secrets.SchedulerRole("role", { name: "web", adopt: true, ...args }, opts));
  return request.getObject()?.toJavaScript().__secretInputs;
};

test.each([
  { of: "plain values", args: { policies: ["a"] }, expected: undefined },
  { of: "an output that is not secret", args: { policies: output(["a"]) }, expected: undefined },
  { of: "a secret", args: { policies: secret(["a"]) }, expected: ["policies"] },
  { of: "a secret inside a list", args: { policies: ["a", secret("b")] }, expected: ["policies"] },
  { of: "a promise of a secret", args: { name: Promise.resolve(secret("web")) as unknown as Output<string> }, expected: ["name"] },
])("the provider receives the names of secret inputs, of $of", async ({ args, expected }) => {
  expect(await given(args)).toEqual(expected);
});

test("every input but the name counts as secret if a transform may make it secret", async () => {
  const opts = { transformations: [() => undefined] };
  expect(await given({ policies: ["a"] }, opts)).toEqual(["adopt", "policies"]);
  expect(await given({ name: secret("web") }, opts)).toEqual(["name", "adopt"]);
});

test("an input that the program makes a secret output counts as secret", async () => {
  expect(await given({ policies: ["a"] }, { additionalSecretOutputs: ["policies"] })).toEqual(["policies"]);
});

test("a resource that adopts nothing receives the names of its secret inputs, too", async () => {
  const request = await registered(() => new platform.SmsVerification("sms", { testNumber: secret("+15550123") }));
  expect(request.getObject()?.toJavaScript().__secretInputs).toEqual(["testNumber"]);
});
