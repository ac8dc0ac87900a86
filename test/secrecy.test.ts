import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { platform, secrets } from "../provider";
import { definitions } from "../provider/definitions";
import { registration } from "../provider/program/resource";
import * as steps from "../provider/secrets/rekey/classes";
import { Sandbox } from "../sandbox/index";
import { caseOf, livingForms } from "./cases";
import { canary, Properties } from "./cases/case";
import { shareCanary } from "./cases/rekey";
import { configOf, contextOf } from "./support/context";
import { holdingOutputs, secretFields, secretOutputs } from "./support/definitions";
import { Engine } from "./support/engine";
import { registered } from "./support/registered";
import { RekeyDialect, wireOf } from "./support/rekey-wire";
import { startSandbox } from "./support/sandbox";

const withSecrets = definitions.filter((definition) => secretFields(definition).length > 0);

test.each(definitions)("registration of $token always encrypts its former inputs", (definition) => {
  const [, , , { additionalSecretOutputs }] = registration(definition, "resource", {}, undefined);
  expect(additionalSecretOutputs).toEqual(expect.arrayContaining(["formerInputs", ...holdingOutputs(definition)]));
});

/** The request that an error names. */
const request = /\((POST|PUT|PATCH) /;
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

// OpenBao has other paths and responses for a rekey.
const dialectsOf = (token: string): RekeyDialect[] => {
  const { dialects = ["hashicorp"] } = caseOf(token);
  return token.startsWith("secrets:Rekey") ? ["hashicorp", "openbao"] : dialects.slice(-1);
};
const refusals = withSecrets.flatMap((definition) => {
  const { token } = definition;
  const forms = livingForms.filter((each) => each.token === token);
  return dialectsOf(token).flatMap((dialect) =>
    (forms.length > 0 ? forms : [{ ...caseOf(token), title: token }]).map(({ title, inputs, refusal }) => ({
      ...{ title, dialect, definition, token, inputs },
      ...refusal,
    })),
  );
});
describe.each(refusals)("$title, $dialect", ({ token, dialect, definition, inputs, shows, answers = {}, fails = request }) => {
  const wire = wireOf(dialect);
  const ofCase = dialect === "openbao" ? "hashicorp" : dialect;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect: ofCase });
  });
  const given = (): Properties => inputs(contextOf(sandbox, ofCase));

  test("registers each secret as a secret input and as a secret output", async () => {
    const registration = await registered(() => new (classes[token] as (typeof classes)[string])("resource", given()));
    expect(registration.getAdditionalsecretoutputsList().sort()).toEqual(secretOutputs(definition).sort());
    // Some secrets are only outputs. A part of a field comes from a secret output of another resource.
    const isInput = (path: string): boolean => definition.fields[path]?.input !== undefined;
    expect(marked(registration.getObject()?.toJavaScript(), "").sort()).toEqual(secretFields(definition).filter(isInput).sort());
  });

  test("shows no secret in an error, although the server echoes the whole request", async () => {
    const server = createServer(async (request, response) => {
      const body = (await request.toArray()).join("");
      const [, path] = wire.named("GET", request.url ?? "");
      const answer = answers[path];
      if (answer && request.method !== "PUT" && request.method !== "POST")
        return response.end(JSON.stringify(wire.wrapped(answer, { data: {} })));
      if (path === "/v1/sys/health") return response.end("{}");
      if (path === "/v1/sys/seal-status") return response.end('{"sealed":false,"recovery_seal":false}');
      if (request.method === "GET") {
        const document = JSON.stringify({ data: { id: "settings", type: "settings", attributes: shows } });
        // The errors prove that the object does not exist.
        return shows ? response.end(document) : response.writeHead(404).end('{"errors":[]}');
      }
      const sent = JSON.parse(body);
      const seen = [body, JSON.stringify(request.headers), ...Object.values(sent.data?.attributes ?? sent).map(String)];
      // A part of a secret is a secret as well.
      if (sent.data?.attributes["gcp-credentials"]) seen.push(JSON.parse(sent.data.attributes["gcp-credentials"]).key);
      const forms = seen.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")]);
      // A secret cannot be found inside the base64 of a whole body.
      return response.writeHead(400).end(JSON.stringify({ errors: forms.filter((form) => form !== Buffer.from(body).toString("base64")) }));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const connection = { address, token: canary("connection"), dialect: ofCase };
    const engine = new Engine(token, { "steward:default": { secrets: { ...connection, dialect }, platform: connection } });
    const error: Error = await engine.up(given()).then(
      () => Promise.reject(new Error("it succeeded")),
      (reason) => reason,
    );
    server.close();
    expect(error.message).toMatch(fails);
    for (const text of [error.message, JSON.stringify(error), String(error.stack)]) {
      expect(text).not.toContain("canary");
      for (const field of ["token", "connection"]) expect(text).not.toContain(Buffer.from(canary(field)).toString("base64"));
      expect(text).not.toContain("PRIVATE KEY");
      for (const name of ["currentShares", "newShares", "candidate", "kept"]) {
        const bytes = Buffer.from(shareCanary(name), "base64");
        for (const form of [shareCanary(name), bytes.toString("hex"), bytes.toString("base64url")]) expect(text).not.toContain(form);
      }
    }
  });
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
  const error = await engine.up({ ...inputs, secretInputs: marked }).catch(String);
  expect(error).toContain("[secret]");
  expect(error).not.toContain("canary");
});
