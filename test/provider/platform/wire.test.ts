import { text } from "node:stream/consumers";
import { Engine } from "../../support/engine";
import { seen, serveAt } from "../http/exchange";
import "../../support/printed";

type Values = Record<string, unknown>;

/** A platform with one settings document that accepts only strings for its strings, as the API document says. */
async function strict(attributes: Values): Promise<{ config: Record<string, object>; patches: Values[] }> {
  const patches: Values[] = [];
  const address = await serveAt(async (request, response) => {
    const body = await text(request);
    if (request.method === "DELETE" || request.method === "POST") return response.writeHead(204).end();
    if (body) {
      const sent: Values = JSON.parse(body).data.attributes;
      patches.push(sent);
      const wrong = Object.keys(sent).filter((name) => sent[name] === null && name !== "port");
      if (wrong.length > 0) return response.writeHead(422).end(JSON.stringify({ errors: [`${wrong.join()} has to be a string`] }));
      Object.assign(attributes, sent);
    }
    const { name = "network-prod", ...shown } = attributes;
    const relationships = { organization: { data: { id: "acme", type: "organizations" } } };
    response.end(JSON.stringify({ data: { id: "one", type: "one", attributes: { ...shown, name }, relationships } }));
  });
  return { config: { "steward:default": { platform: { address, token: "token", dialect: "hashicorp" } } }, patches };
}

test("a restore sends an empty string for an empty string, and null for an empty number", async () => {
  const { config, patches } = await strict({ enabled: false, host: null, port: null, sender: "before@example.com", auth: "none" });
  const smtp = new Engine("platform:SmtpSettings", config);
  await smtp.up({ host: "mail.example.com", port: 25, sender: "ours@example.com" });
  await smtp.up({ port: 25, sender: "ours@example.com" });
  await smtp.destroy();
  expect(patches.slice(1)).toEqual([{ host: "" }, { port: null, sender: "before@example.com" }]);
});

test("a restore of an attribute of Terraform Enterprise sends an empty string, too", async () => {
  const { config, patches } = await strict({ enabled: false, "provider-type": null });
  const saml = new Engine("platform:SamlSettings", config);
  await saml.up({ providerType: "okta" });
  await saml.destroy();
  expect(patches).toEqual([{ "provider-type": "okta" }, { "provider-type": "" }]);
});

test("every request has the media type of the API, also without a body", async () => {
  const { config } = await strict({});
  await new Engine("platform:OidcKeyTrim", config).up({});
  const workspace = new Engine("platform:AdminWorkspace", config);
  await workspace.up({ workspaceId: "ws-1", destroyOnDelete: true });
  await workspace.destroy();
  expect(seen.map(({ method, headers }) => [method, headers["content-type"]])).toEqual(
    ["POST", "GET", "GET", "DELETE"].map((method) => [method, "application/vnd.api+json"]),
  );
});
