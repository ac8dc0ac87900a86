import { Fault, Sandbox, start } from "../../../sandbox/index";
import { certificate, privateKey, sha1Certificate } from "../../support/certificates";
import { configOf } from "../../support/context";
import { definitionOf, secretFields, secretOutputs } from "../../support/definitions";
import { Engine } from "../../support/engine";
import { limits } from "../../support/limits";
import { printed } from "../../support/printed";
import { dialects } from "../../support/scope";
import { attributeCases, complete } from "../platform/attributes";

// A value that was secret in the program may be in the state as an input only while the program passes it as a secret. The engine encrypts an
// output whose input is secret now, or that the resource lists. In this suite, no input is marked after the canary is removed.

type Properties = Record<string, unknown>;

interface Case {
  token: string;
  field: string;
  /** Inputs with the canary. */
  inputs: Properties;
  /** Inputs without the canary: it is removed or replaced. */
  leaves?: Properties;
  turns: Properties;
  dialects?: readonly string[];
  /** True if the server keeps the canary after its removal. */
  remains?: boolean;
}

const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0", reason: "Old." };
const access = { address: "https://nomad.example.com:4646", token: "management" };
const roles = { web: { policies: ["a"] } };
const extra = (value: string): Properties => ({ extra: { "private-key": value } });

const secretsCases: Case[] = [
  { field: "address", turns: access, inputs: { ...access, address: "https://canary-value.example.com:4646" } },
  { field: "token", turns: access, inputs: { ...access, token: "canary-value" } },
  {
    field: "caCert",
    leaves: access,
    turns: { ...access, caCert: sha1Certificate },
    inputs: { ...access, caCert: `${certificate}canary-value\n` },
  },
  {
    field: "clientKey",
    leaves: access,
    turns: { ...access, clientCert: certificate, clientKey: privateKey },
    inputs: { ...access, clientCert: `${certificate}canary-value\n`, clientKey: `${privateKey}canary-value\n` },
  },
].map((each) => ({ token: "secrets:SchedulerAccess", ...each }));
secretsCases.push(
  {
    token: "secrets:SchedulerLease",
    field: "ttl",
    inputs: { ttl: 424242, maxTtl: "200h" },
    leaves: { maxTtl: "200h" },
    turns: { ttl: 60, maxTtl: "200h" },
    remains: true,
  },
  {
    token: "secrets:SchedulerLease",
    field: "maxTtl",
    inputs: { ttl: 60, maxTtl: 424242 },
    leaves: { ttl: 60 },
    turns: { ttl: 60, maxTtl: "200h" },
    remains: true,
  },
  {
    token: "secrets:SchedulerRole",
    field: "policies",
    inputs: { name: "web", policies: ["a", "canary-value"] },
    turns: { name: "web", policies: ["a"] },
  },
  {
    token: "secrets:SchedulerRoles",
    field: "roles",
    inputs: { roles: { ...roles, site: { policies: ["canary-value"] } } },
    leaves: { roles },
    turns: { roles: { ...roles, site: { policies: ["b"] } } },
  },
);

/** Attributes that can contain any string. */
const canaryOf = (attribute: string, declared: unknown): string | undefined => {
  if (attribute === "auth" || typeof declared !== "string") return undefined;
  if (attribute === "idpCert") return certificate;
  if (attribute === "cloudBCredentials") return '{"private_key":"canary-value-of-an-account"}';
  return declared.startsWith("https:") ? "https://canary-value.example.com/" : "canary-value";
};
const platformCases: Case[] = attributeCases.flatMap(({ token, attribute, declared, outOfBand, before, also }) => {
  const canary = canaryOf(attribute, declared);
  if (canary === undefined) return [];
  const rest = { ...before, ...also };
  const inputs = { ...rest, [attribute]: canary };
  return [{ token: `platform:${token}`, field: attribute, inputs, leaves: rest, turns: { ...rest, [attribute]: outOfBand } }];
});
platformCases.push(
  {
    token: "platform:SmtpSettings",
    field: "password",
    inputs: { host: "mail", password: "canary-value" },
    leaves: { host: "other" },
    turns: { host: "mail", password: "other" },
  },
  {
    token: "platform:SmtpSettings",
    field: "testEmailAddress",
    inputs: { host: "mail", testEmailAddress: "canary-value@example.com" },
    leaves: { host: "other" },
    turns: { host: "other", testEmailAddress: "me@example.com" },
  },
  {
    token: "platform:SmsSettings",
    field: "authToken",
    inputs: { accountSid: "AC1", authToken: "canary-value" },
    leaves: { accountSid: "AC2" },
    turns: { accountSid: "AC1", authToken: "other" },
  },
  {
    token: "platform:SamlSettings",
    field: "extra.private-key",
    inputs: extra("canary-value"),
    leaves: { debug: true },
    turns: extra("other"),
    dialects: ["hashicorp"],
  },
  {
    token: "platform:SamlSettings",
    field: "extra.certificate",
    inputs: { extra: { certificate: "canary-value" } },
    leaves: {},
    turns: { extra: { certificate: "other" } },
    dialects: ["hashicorp"],
  },
  { token: "platform:ModuleVersionDeprecation", field: "reason", inputs: { ...version, reason: "canary-value" }, turns: version },
  {
    token: "platform:ModuleVersionDeprecation",
    field: "link",
    inputs: { ...version, link: "https://canary-value.example.com" },
    leaves: version,
    turns: { ...version, link: "https://wiki.example.com" },
  },
  {
    token: "platform:OidcKeyRotation",
    field: "triggers",
    inputs: { triggers: ["canary-value"] },
    leaves: {},
    turns: { triggers: ["other"] },
  },
  { token: "platform:SmsVerification", field: "testNumber", inputs: { testNumber: "canary-value" }, turns: { testNumber: "+15550123" } },
);

const losses = {
  "lost before the server has it": { write: "drop-before", look: false },
  "lost after it was applied": { write: "drop-after", look: false },
  "lost before, and not to be read back": { write: "drop-before", look: true },
  "lost after, and not to be read back": { write: "drop-after", look: true },
} as const;

/** The plaintext that the engine would store, now that no input is secret. */
function plaintextOf({ state }: Engine, token: string): string {
  const definition = definitionOf(token);
  const hidden = new Set(secretOutputs(definition));
  const isSecretInput = (field: string): boolean => secretFields(definition).includes(field);
  const outputs = Object.entries(state?.outputs ?? {}).filter(([field]) => !hidden.has(field));
  // After a partial update, the engine has the previous inputs with their marks.
  const inputs = state?.outputs.partiallyUpdated ? [] : Object.entries(state?.inputs ?? {}).filter(([field]) => !isSecretInput(field));
  return JSON.stringify([outputs, inputs]);
}

Object.assign(limits, { initialBackoff: 1, maxRetries: 0 });

describe.each(dialects)("a secret that is removed while the response is lost (%s)", (dialect) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterAll(() => sandbox.close());
  beforeEach(() => sandbox.reset());

  const cases = [...secretsCases, ...platformCases].filter(({ dialects }) => !dialects || dialects.includes(dialect));
  const ways = cases.flatMap((each) =>
    (["leaves", "turns"] as const).flatMap((way) => (each[way] ? [{ ...each, way, next: each[way] as Properties }] : [])),
  );

  async function prepared(token: string): Promise<Engine> {
    const engine = (of: string): Engine => new Engine(of, configOf({ sandbox, dialect }));
    if (token === "platform:SmsVerification") await engine("platform:SmsSettings").up({ ...complete.sms, enabled: true });
    return engine(token);
  }

  function failing(token: string, write: Fault["action"], look: boolean): void {
    const system = token.split(":")[0] as "secrets" | "platform";
    for (const method of ["POST", "PATCH", "DELETE"]) sandbox.faults.add({ system, method, path: /./, action: write, times: 100 });
    if (look) sandbox.faults.add({ system, method: "GET", path: /./, action: "drop-before", times: 100 });
  }

  const isHidden = (text: string, { idpCert }: Properties): boolean =>
    !/canary-value|424242/.test(text) && !(idpCert === certificate && text.includes("MIIBnDCCAUGgAwIBAgIUCOyGQ"));

  test.each(ways)("$token, $field $way is stored nowhere in plaintext", async ({ token, field, inputs, next, way, remains }) => {
    let kept = 0;
    for (const { write, look } of Object.values(losses)) {
      await sandbox.reset();
      const resource = await prepared(token);
      await resource.up({ ...inputs, secretInputs: [field.split(".")[0]] });
      failing(token, write, look);
      await expect(resource.up(next)).rejects.toMatchObject({ name: "StewardError" });
      // A rejected update keeps the previous state with its marks. A partially failed one has lost them.
      if (resource.state?.initErrors) expect(isHidden(plaintextOf(resource, token), inputs)).toBe(true);
      const isKept = resource.state?.initErrors;
      sandbox.faults.clear();
      if (isKept) {
        kept += 1;
        // Twice: the second time, hidden values are known only from the hidden state.
        for (const _again of [1, 2]) {
          await resource.refresh();
          expect(plaintextOf(resource, token)).not.toContain("canary-value");
          expect(isHidden(plaintextOf(resource, token), inputs)).toBe(true);
        }
      }
      await resource.up(next);
      expect(isHidden(plaintextOf(resource, token), inputs)).toBe(true);
      const former = resource.state?.outputs.formerInputs;
      if (way === "turns") expect(former).toBeUndefined();
      else if (remains) expect(former).toEqual({ [field]: 424242 });
      // The restored value may have been a secret, too.
      else expect(isHidden(JSON.stringify(former ?? {}), inputs)).toBe(true);
      expect(await resource.up(next)).toBe("same");
      await resource.refresh();
      expect(isHidden(plaintextOf(resource, token), inputs)).toBe(true);
      expect(isHidden(printed.join("\n"), inputs)).toBe(true);
      await resource.destroy();
    }
    expect(kept).toBeGreaterThan(0);
  });

  test.each(cases)(
    "$token, $field: refresh after a partial update stores no new secret as a plain input",
    async ({ token, inputs, turns }) => {
      let kept = 0;
      for (const { write, look } of Object.values(losses)) {
        await sandbox.reset();
        const resource = await prepared(token);
        await resource.up(turns);
        failing(token, write, look);
        await expect(resource.up(inputs)).rejects.toMatchObject({ name: "StewardError" });
        const isKept = resource.state?.initErrors;
        sandbox.faults.clear();
        // The engine would store a value in plaintext that was not a secret input before.
        await resource.refresh();
        if (isKept) {
          kept += 1;
          expect(isHidden(JSON.stringify(resource.state?.inputs), inputs)).toBe(true);
        }
        await resource.up(inputs);
        expect(await resource.up(inputs)).toBe("same");
        expect(await resource.refresh()).toEqual([]);
      }
      expect(kept).toBeGreaterThan(0);
    },
  );
});
