import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { platform, secrets } from "../provider";
import { definitions } from "../provider/definitions";
import { registration } from "../provider/resource";
import { RekeyAttempt } from "../provider/secrets/rekey/attempt";
import { RekeyCommit } from "../provider/secrets/rekey/commit";
import { RekeyShares } from "../provider/secrets/rekey/shares";
import { certificate, privateKey } from "./support/certificates";
import { Engine } from "./support/engine";
import { registered } from "./support/registered";

const canary = (field: string): string => `canary-${field}`;
const access = {
  address: "http://127.0.0.1:4646",
  token: canary("token"),
  clientCert: certificate,
  clientKey: `${privateKey}${canary("clientKey")}`,
};

const cost = {
  cloudASecretKey: canary("cloudASecretKey"),
  cloudBCredentials: JSON.stringify({ key: `${canary("cloudBCredentials")}\n${canary("in the second line")}` }),
  cloudCClientSecret: canary("cloudCClientSecret"),
};
const smtp = { host: "mail", password: canary("password") };
const sms = { accountSid: "AC1", authToken: canary("authToken") };
const saml = { extra: { "private-key": canary("private-key"), "provider-type": "okta" } };

/** Shares are base64, so their canary is. */
const share = (name: string): string => Buffer.from(canary(name).padEnd(33, ".")).toString("base64");
const parameters = { shares: 1, threshold: 1, pgpKeys: [], fingerprints: [], backup: false, verification: true };
const attempt = { id: "1", nonce: "ours", nonces: ["ours"], parameters, probe: { key: "", fingerprint: "none" } };
const begun = {
  secretShares: 1,
  secretThreshold: 1,
  keepSharesInState: true,
  shareReferences: [{ env: canary("reference") }],
  shareFindings: [],
};
const rekey = { currentShares: [share("currentShares")], newShares: [share("newShares")] };
const set = (name: string): object => ({ nonce: "ours", threshold: 1, shares: [share(name)], encrypted: [] });
const given = { attempt, ...rekey };
const submission = {
  attempt,
  nonce: "ours",
  nonces: ["ours"],
  candidate: set("candidate"),
  source: "reply",
  kept: [set("kept")],
  submitted: [],
  excluded: [],
  refused: [],
  hadBackup: false,
};
const handed = { submission, ...rekey };
/** What a service shows of our attempt, while it collects shares and while it verifies the new ones. */
const collecting = { started: true, nonce: "ours", t: 1, n: 1, progress: 0, required: 1, verification_required: true };
const rekeyAnswers = (verifies: boolean): Record<string, object> => ({
  "/v1/sys/rekey/init": collecting,
  "/v1/sys/rekey/verify": { nonce: verifies ? "verification" : "", t: 1, n: 1, progress: 0 },
});

/** Every definition that has secrets, with inputs that fill each of them, and what the server shows before it refuses them. */
const cases: Record<
  string,
  {
    given: Record<string, unknown>;
    construct: (name: string) => unknown;
    shows?: Record<string, unknown>;
    answers?: Record<string, object>;
    fails?: RegExp;
  }
> = {
  "secrets:SchedulerAccess": {
    given: access,
    construct: (name) => new secrets.SchedulerAccess(name, access),
    answers: { "/v1/scheduler/config/access": { data: { address: "" } } },
  },
  "secrets:SchedulerToken": {
    given: { role: "web" },
    construct: (name) => new secrets.SchedulerToken(name, { role: "web" }),
    // It is the answer that would hold the secret.
    fails: /\(GET \/v1\/scheduler\/creds\/web, 404\)/,
  },
  "secrets:RekeyAttempt": {
    given: begun,
    construct: (name) => new RekeyAttempt(name, begun),
    answers: { "/v1/sys/rekey/init": { started: false } },
  },
  "secrets:RekeyShares": {
    given,
    construct: (name) => new RekeyShares(name, given as never),
    answers: rekeyAnswers(false),
    fails: /do not open the service \(.*\[secret\]/,
  },
  "secrets:RekeyCommit": {
    given: handed,
    construct: (name) => new RekeyCommit(name, handed as never),
    answers: rekeyAnswers(true),
    fails: /the service refuses the new shares at new share 1 of 1 \(.*\[secret\]/,
  },
  "platform:CostEstimationSettings": {
    given: cost,
    construct: (name) => new platform.CostEstimationSettings(name, cost),
    shows: { enabled: false, "aws-secret-key": canary("before") },
  },
  "platform:SmtpSettings": { given: smtp, construct: (name) => new platform.SmtpSettings(name, smtp), shows: { enabled: false } },
  "platform:SmsSettings": { given: sms, construct: (name) => new platform.SmsSettings(name, sms), shows: { enabled: false } },
  "platform:SamlSettings": {
    given: saml,
    construct: (name) => new platform.SamlSettings(name, saml),
    shows: { enabled: false, "provider-type": "unknown" },
  },
};
const withSecrets = definitions.filter((definition) => definition.secrets.length > 0);

test("every definition with secrets has a case", () =>
  expect(Object.keys(cases).sort()).toEqual(withSecrets.map(({ token }) => token).sort()));

test.each(definitions)("registration of $token always encrypts its former inputs", (definition) => {
  const [, , , { additionalSecretOutputs }] = registration(definition, "resource", {}, undefined);
  expect(additionalSecretOutputs).toEqual(expect.arrayContaining(["formerInputs", ...(definition.encrypted ?? [])]));
});

/** The request that an error names. */
const request = /\((POST|PUT|PATCH) /;
const mark = "4dabf18193072939515e22adb298388d";
/** The property paths of the secrets in a registration, such as `extra.private-key`. */
const marked = (value: unknown, path: string): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return mark in value ? [path] : Object.entries(value).flatMap(([key, inner]) => marked(inner, path ? `${path}.${key}` : key));
};

describe.each(withSecrets.map((definition) => ({ ...definition, ...cases[definition.token] })))(
  "$token",
  ({ token, secrets: fields, encrypted = [], inputs, given, construct, shows, answers = {}, fails = request }) => {
    test("registers each secret as a secret input and as a secret output", async () => {
      const registration = await registered(() => construct?.("resource"));
      const outputs = [...fields.filter((field) => !field.includes(".")), ...encrypted, "formerInputs"];
      expect(registration.getAdditionalsecretoutputsList().sort()).toEqual(outputs.sort());
      // Some secrets are outputs only.
      const refused = (field: string): boolean | undefined =>
        inputs
          .safeParse({ [field]: "" })
          .error?.issues.some(({ message }) => message.includes("not known here") && message.includes(`"${field}"`));
      const isInput = (path: string): boolean => !refused(path.split(".")[0] as string);
      expect(marked(registration.getObject()?.toJavaScript(), "").sort()).toEqual(fields.filter(isInput).sort());
    });

    test("shows no secret in an error, although the server echoes the whole request", async () => {
      const server = createServer(async (request, response) => {
        const body = (await request.toArray()).join("");
        const answer = answers[request.url ?? ""];
        if (answer && request.method !== "PUT" && request.method !== "POST") return response.end(JSON.stringify(answer));
        if (request.method === "GET") {
          const document = JSON.stringify({ data: { id: "settings", type: "settings", attributes: shows } });
          return shows ? response.end(document) : response.writeHead(404).end();
        }
        const sent = JSON.parse(body);
        const seen = [body, JSON.stringify(request.headers), ...Object.values(sent.data?.attributes ?? sent).map(String)];
        // A part of a secret is a secret as well.
        if (sent.data?.attributes["gcp-credentials"]) seen.push(JSON.parse(sent.data.attributes["gcp-credentials"]).key);
        const forms = seen.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")]);
        // A secret cannot be found inside the base64 of a whole body.
        return response
          .writeHead(400)
          .end(JSON.stringify({ errors: forms.filter((form) => form !== Buffer.from(body).toString("base64")) }));
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const connection = { address, token: canary("connection"), dialect: shows ? "hashicorp" : "standard" };
      const engine = new Engine(token, { "steward:default": { secrets: connection, platform: connection } });
      const error: Error = await engine.up(given ?? {}).then(
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
          const bytes = Buffer.from(share(name), "base64");
          for (const form of [share(name), bytes.toString("hex"), bytes.toString("base64url")]) expect(text).not.toContain(form);
        }
      }
    });
  },
);
