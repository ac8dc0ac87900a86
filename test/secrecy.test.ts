import { createServer } from "node:http";
import { AddressInfo } from "node:net";
import { secrets } from "../provider";
import { definitions } from "../provider/definitions";
import { certificate, privateKey } from "./certificates";
import { Engine } from "./engine";
import { registered } from "./registered";

const canary = (field: string): string => `canary-${field}`;
const access = {
  address: "http://127.0.0.1:4646",
  token: canary("token"),
  clientCert: certificate,
  clientKey: `${privateKey}${canary("clientKey")}`,
};

/** Every definition that has secrets, with inputs that fill each of them. */
const cases: Record<string, { given: Record<string, unknown>; construct: (name: string) => unknown }> = {
  "secrets:SchedulerAccess": { given: access, construct: (name) => new secrets.SchedulerAccess(name, access) },
};
const withSecrets = definitions.filter((definition) => definition.secrets.length > 0);

test("every definition that has secrets is here", () =>
  expect(Object.keys(cases).sort()).toEqual(withSecrets.map(({ token }) => token).sort()));

describe.each(withSecrets.map((definition) => ({ ...definition, ...cases[definition.token] })))(
  "$token",
  ({ token, secrets: fields, given, construct }) => {
    test("hands each secret to the engine as a secret, and names it as a secret output", async () => {
      const request = await registered(() => construct?.("resource"));
      expect(request.getAdditionalsecretoutputsList().sort()).toEqual([...fields].sort());
      const sent = request.getObject()?.toJavaScript() ?? {};
      const marked = Object.keys(sent).filter((field) => JSON.stringify(sent[field]).includes("4dabf18193072939515e22adb298388d"));
      expect(marked.sort()).toEqual([...fields].sort());
    });

    test("shows no secret in an error, although the server echoes all that it was sent", async () => {
      const server = createServer(async (request, response) => {
        const body = (await request.toArray()).join("");
        if (request.method === "GET") return response.writeHead(404).end();
        const seen = [body, String(request.headers["x-secrets-token"]), ...Object.values(JSON.parse(body)).map(String)];
        const forms = seen.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")]);
        // Whole bodies in base64 hold no secret that could be found again in it.
        return response
          .writeHead(400)
          .end(JSON.stringify({ errors: forms.filter((form) => form !== Buffer.from(body).toString("base64")) }));
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const engine = new Engine(token, { "steward:default": { secrets: { address, token: canary("connection") } } });
      const error: Error = await engine.up(given ?? {}).then(
        () => Promise.reject(new Error("it succeeded")),
        (reason) => reason,
      );
      server.close();
      expect(error.message).toMatch(/\((POST|PUT|PATCH) /);
      for (const text of [error.message, JSON.stringify(error), String(error.stack)]) {
        expect(text).not.toContain("canary");
        for (const field of ["token", "connection"]) expect(text).not.toContain(Buffer.from(canary(field)).toString("base64"));
        expect(text).not.toContain("PRIVATE KEY");
      }
    });
  },
);
