import { platform, secrets } from "../provider";
import { registration } from "../provider/program/resource";
import { definitions } from "../provider/registry/resources";
import * as steps from "../provider/secrets/rekey/classes";
import { caseOf, livingForms } from "./cases";
import { configOf, contextOf } from "./support/context";
import { holdingOutputs, secretFields, secretOutputs } from "./support/definitions";
import { Engine } from "./support/engine";
import { registered } from "./support/registered";
import { startSandbox } from "./support/sandbox";

const withSecrets = definitions.filter((definition) => secretFields(definition).length > 0);

test.each(definitions)("registration of $token always encrypts its former inputs", (definition) => {
  const [, , , { additionalSecretOutputs }] = registration(definition, "resource", {}, undefined);
  expect(additionalSecretOutputs).toEqual(expect.arrayContaining(["__formerInputs", ...holdingOutputs(definition)]));
});

const mark = "4dabf18193072939515e22adb298388d";
/** The property paths of the secrets in a registration, such as `submission.candidate`. */
const marked = (value: unknown, path: string): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return mark in value ? [path] : Object.entries(value).flatMap(([key, inner]) => marked(inner, path ? `${path}.${key}` : key));
};

/** The classes of all resources by their tokens. */
const classes: Record<string, new (name: string, args: object) => unknown> = Object.fromEntries(
  Object.entries({ secrets: { ...secrets, ...steps }, platform }).flatMap(([system, all]) =>
    Object.entries(all).map(([type, made]) => [`${system}:${type}`, made as never]),
  ),
);

const forms = withSecrets.flatMap((definition) => {
  const living = livingForms.filter(({ token }) => token === definition.token);
  const all = living.length > 0 ? living : [{ ...caseOf(definition.token), title: definition.token }];
  return all.map(({ title, token, inputs }) => ({ title, token, definition, inputs }));
});
test.each(forms)("$title registers each secret as a secret input and as a secret output", async ({ token, definition, inputs }) => {
  const given = inputs(contextOf(await startSandbox(), "hashicorp"));
  const registration = await registered(() => new (classes[token] as (typeof classes)[string])("resource", given));
  expect(registration.getAdditionalsecretoutputsList().sort()).toEqual(secretOutputs(definition).sort());
  // Some secrets are only outputs. A part of a field comes from a secret output of another resource.
  const isInput = (path: string): boolean => definition.fields[path]?.input !== undefined;
  expect(marked(registration.getObject()?.toJavaScript(), "").sort()).toEqual(secretFields(definition).filter(isInput).sort());
});

test.each([
  { token: "platform:CustomizationSettings", inputs: { footer: "canary-footer" } },
  { token: "platform:SmsVerification", inputs: { testNumber: "canary-number" } },
  { token: "secrets:SchedulerRole", inputs: { name: "web", policies: ["canary-policy"], adopt: true } },
])("$token shows no value in an error that only the program marks as secret", async ({ token, inputs }) => {
  const sandbox = await startSandbox();
  const engine = new Engine(token, configOf({ sandbox, dialect: "hashicorp" }));
  const marked = Object.keys(inputs).filter((name) => JSON.stringify(inputs[name as keyof typeof inputs]).includes("canary"));
  const body = JSON.stringify({ errors: [{ title: "invalid", detail: `not valid: ${JSON.stringify(inputs)}` }, JSON.stringify(inputs)] });
  for (const method of ["POST", "PATCH"])
    sandbox.faults.add({ system: token.split(":")[0] as "secrets", method, path: /./, action: "respond", status: 400, body });
  const error = await engine.up({ ...inputs, __secretInputs: marked }).catch(String);
  expect(error).toContain("[secret]");
  expect(error).not.toContain("canary");
});
