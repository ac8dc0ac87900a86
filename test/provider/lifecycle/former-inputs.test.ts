import { Fault } from "../../../sandbox/index";
import { freshSandbox } from "../../sandbox/sandbox";
import { certificate, privateKey, sha1Certificate } from "../../support/certificates";
import { configOf } from "../../support/context";
import { Secret } from "../../support/deployment";
import { Engine } from "../../support/engine";
import { limits } from "../../support/limits";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { dialects } from "../../support/scope";
import { atNewMount, onEachTarget } from "../../support/target";
import { attributesOf, complete } from "../platform/attributes";

// A value that was secret in the program may be in the state as an input only while the program passes it as a secret. The engine encrypts an
// output whose input is secret now, or that the resource lists. In this suite, no input is marked after the canary is removed.

type Properties = Record<string, unknown>;

interface Case {
  token: string;
  field: string;
  /** Inputs with the canary. */
  inputs: Properties;
  /** Inputs without the canary: it is replaced or, if it is not required, removed. */
  turns: Properties;
  leaves?: Properties;
}
/** The inputs besides the field, the value with the canary, and the one that replaces it. `leaves` are the inputs after its removal. */
const row = (token: string, field: string, rest: Properties, value: unknown, other: unknown, leaves?: Properties): Case => ({
  ...{ token, field, inputs: { ...rest, [field]: value }, turns: { ...rest, [field]: other }, leaves },
});

const [accessToken, address, token] = ["secrets:SchedulerAccess", "https://nomad.example.com:4646", "management"];
const access = { address, token };
const keyPair = { clientCert: `${certificate}canary-value\n`, clientKey: `${privateKey}canary-value\n` };
const web = { policies: ["a"] };
const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0", reason: "Old." };
const canaries = ["canary-value", "https://canary-value.example.com", "canary-value@example.com"] as const;
const [canary, canaryUrl, canaryMail] = canaries;
const number = 424242;

/** Attributes of Terraform Enterprise. */
const onlyReal = [
  row("platform:SamlSettings", "privateKey", {}, canary, "other", { debug: true }),
  row("platform:SamlSettings", "certificate", {}, canary, "other", {}),
];
const cases: Case[] = [
  row(accessToken, "address", { token }, `${canaryUrl}:4646`, address),
  row(accessToken, "token", { address }, canary, token),
  row(accessToken, "caCert", access, `${certificate}canary-value\n`, sha1Certificate, access),
  {
    ...row(accessToken, "clientKey", { ...access, clientCert: certificate }, undefined, privateKey, access),
    inputs: { ...access, ...keyPair },
  },
  row("secrets:SchedulerLease", "ttl", { maxTtl: "200h" }, number, 60, { maxTtl: "200h" }),
  row("secrets:SchedulerLease", "maxTtl", { ttl: 60 }, number, "200h", { ttl: 60 }),
  row("secrets:SchedulerRole", "policies", { name: "web" }, ["a", canary], ["a"]),
  row("secrets:SchedulerRoles", "roles", {}, { web, b: { policies: [canary] } }, { web, b: { policies: ["b"] } }, { roles: { web } }),
  row("platform:SmtpSettings", "password", { host: "mail" }, canary, "other", { host: "other" }),
  row("platform:SmtpSettings", "testEmailAddress", { host: "mail" }, canaryMail, "me@example.com", { host: "other" }),
  row("platform:SmsSettings", "authToken", { accountSid: "AC1" }, canary, "other", { accountSid: "AC2" }),
  row("platform:ModuleVersionDeprecation", "reason", version, canary, "Old."),
  row("platform:ModuleVersionDeprecation", "link", version, canaryUrl, "https://wiki.example.com", version),
  row("platform:OidcKeyRotation", "triggers", {}, [canary], ["other"], {}),
  row("platform:SmsVerification", "testNumber", {}, canary, "+15550123"),
  ...attributesOf("standard").flatMap(({ token, attribute, declared, outOfBand, before, also }) => {
    const value = canaryOf(attribute, declared);
    const rest = { ...before, ...also };
    return value ? [row(`platform:${token}`, attribute, rest, value, outOfBand, rest)] : [];
  }),
];

/** The canary of an attribute that can contain any string. */
function canaryOf(attribute: string, declared: unknown): string | undefined {
  if (attribute === "auth" || typeof declared !== "string") return undefined;
  if (attribute === "idpCert") return certificate;
  if (attribute === "cloudBCredentials") return '{"private_key":"canary-value-of-an-account"}';
  return declared.startsWith("https:") ? `${canaryUrl}/` : canary;
}

/** The write is lost before or after the server applied it, and may not be read back. */
const losses = (["drop-before", "drop-after"] as const).flatMap((write) => [false, true].map((isUnread) => ({ write, isUnread })));

Object.assign(limits, { initialBackoff: 1, maxRetries: 0 });

describe.each(dialects)("a secret that is removed while the response is lost (%s)", (dialect) => {
  const sandbox = freshSandbox({ dialect });

  const served = dialect === "hashicorp" ? [...cases, ...onlyReal] : cases;
  const ways = served.flatMap((each) =>
    (["leaves", "turns"] as const).flatMap((way) => (each[way] ? [{ ...each, way, next: each[way] as Properties }] : [])),
  );

  async function prepared(token: string): Promise<Engine> {
    await sandbox().reset();
    const engine = (of: string): Engine => new Engine(of, configOf({ sandbox: sandbox(), dialect }));
    if (token === "platform:SmsVerification") await engine("platform:SmsSettings").up({ ...complete.sms, enabled: true });
    return engine(token);
  }

  /** Fails an update by a loss. Returns true if it left a state that may differ from the server's. */
  async function lose(resource: Engine, token: string, inputs: Properties, { write, isUnread }: (typeof losses)[number]): Promise<boolean> {
    const fault = { system: token.split(":")[0] as Fault["system"], path: /./, times: 100 };
    for (const method of ["POST", "PATCH", "DELETE"]) sandbox().faults.add({ ...fault, method, action: write });
    if (isUnread) sandbox().faults.add({ ...fault, method: "GET", action: "drop-before" });
    await expect(resource.up(inputs)).rejects.toMatchObject({ name: "StewardError" });
    sandbox().faults.clear();
    return resource.state?.initErrors ?? false;
  }

  const isHidden = (text: string, { idpCert }: Properties): boolean =>
    !/canary-value|424242/.test(text) && !(idpCert === certificate && text.includes("MIIBnDCCAUGgAwIBAgIUCOyGQ"));

  const markedIn = (inputs: Properties, field: string): Properties => ({
    ...inputs,
    [field]: new Secret(inputs[field]),
    ...(field === "clientKey" ? { clientCert: new Secret(keyPair.clientCert) } : {}),
  });

  test.each(ways)("$token, $field $way is stored nowhere in plaintext", async ({ token, field, inputs, next, way }) => {
    const marked = markedIn(inputs, field);
    let kept = 0;
    for (const loss of losses) {
      const resource = await prepared(token);
      const expectHidden = (): void => expect(isHidden(resource.stored() + printed.join("\n"), inputs)).toBe(true);
      await resource.up({ ...marked, __secretInputs: [field] });
      const isKept = await lose(resource, token, next, loss);
      expectHidden();
      // Twice: the second time, hidden values are known only from the hidden state.
      for (const _again of isKept ? [1, 2] : []) {
        await resource.refresh();
        expectHidden();
      }
      kept += Number(isKept);
      await resource.up(next);
      expectHidden();
      const former = resource.state?.outputs.__formerInputs;
      if (way === "turns") expect(former).toBeUndefined();
      // The server keeps the value of a lease.
      else if (token.endsWith("Lease")) expect(former).toEqual({ [field]: number });
      // The restored value may have been a secret, too.
      else expect(isHidden(JSON.stringify(former ?? {}), inputs)).toBe(true);
      expect(await resource.up(next)).toBe("same");
      await resource.refresh();
      expectHidden();
      await resource.destroy();
    }
    expect(kept).toBeGreaterThan(0);
  });

  test.each(served)(
    "$token, $field: refresh after a partial update stores no new secret as a plain input",
    async ({ token, field, inputs, turns, leaves = turns }) => {
      let kept = 0;
      for (const begin of new Set([turns, leaves]))
        for (const loss of losses) {
          const resource = await prepared(token);
          await resource.up(begin);
          const isKept = await lose(resource, token, markedIn(inputs, field), loss);
          // The engine would store a value in plaintext that was not a secret input or output before.
          await resource.refresh();
          if (isKept) expect(isHidden(JSON.stringify(resource.state?.inputs) + resource.stored(), inputs)).toBe(true);
          kept += Number(isKept);
          await resource.up(inputs);
          expect(await resource.up(inputs)).toBe("same");
          expect(await resource.refresh()).toEqual([]);
        }
      expect(kept).toBeGreaterThan(0);
    },
  );
});

onEachTarget("a secret of a lease that is removed from the program", (current) => {
  test.each([
    { field: "ttl", rest: { maxTtl: 500_000 }, changed: { maxTtl: 600_000 } },
    { field: "maxTtl", rest: { ttl: 60 }, changed: { ttl: 120 } },
  ])("$field stays encrypted as long as the server keeps it", async ({ field, rest, changed }) => {
    const { config, outOfBand, mount } = await atNewMount(current());
    const lease = new Engine("secrets:SchedulerLease", { ...config(), "steward:other": config()["steward:default"] as object });
    const expectHidden = (): void => expect(lease.stored()).not.toContain(String(number));
    const up = async (inputs: Properties): Promise<void> => {
      await lease.up({ mount, ...inputs });
      expectHidden();
    };
    const held = async (): Promise<unknown> => (await outOfBand("GET", `${mount}/config/lease`)).data;
    const wire = (inputs: { ttl?: number; maxTtl?: number }): object => ({ ttl: inputs.ttl, max_ttl: inputs.maxTtl });
    await up({ ...rest, [field]: new Secret(number) });
    await up(rest);
    expect(await held()).toMatchObject(wire({ ...rest, [field]: number }));
    for (const _again of [1, 2]) {
      await lease.refresh();
      expectHidden();
    }
    for (const inputs of [rest, { ...rest, connection: "other" }, changed]) await up(inputs);
    // The server keeps the value.
    expect(await held()).toMatchObject(wire({ ...changed, [field]: number }));

    // A value that another client wrote was never a secret of the program.
    await outOfBand("POST", `${mount}/config/lease`, wire({ ...changed, [field]: 550_000 }));
    await lease.refresh();
    expect(lease.state?.outputs).toMatchObject({ ...changed, [field]: 550_000 });
    await lease.up({ mount, ...changed, [field]: number });
    expect(lease.state?.outputs).toMatchObject({ ...changed, [field]: number });
    expect(lease.state?.outputs).not.toHaveProperty("__formerInputs");
  });
});

onEachPlatform("a secret of settings that is removed from the program and equals the original value", (current, dialect) => {
  const texts = attributesOf(dialect).filter(({ attribute, declared }) => typeof declared === "string" && attribute !== "auth");

  test.each(texts)("$token, $attribute stays encrypted as long as the platform keeps it", async (each) => {
    const { settings, token, attribute, declared, outOfBand, before, also } = each;
    const { change, engine } = current();
    await change(settings, { ...before, ...also, [attribute]: declared });
    const resource = engine(token);
    for (const operation of [
      () => resource.up({ ...before, ...also, [attribute]: new Secret(declared) }),
      () => resource.up({ ...before, ...also }),
      () => resource.refresh(),
    ]) {
      await operation();
      expect(resource.stored()).not.toContain(JSON.stringify(declared));
    }
    await change(settings, { [attribute]: outOfBand });
    await resource.refresh();
    expect(resource.state?.outputs[attribute]).toBeDefined();
  });

  test.each(texts)("$token, $attribute stays encrypted if a forced replacement drops it", async (each) => {
    const { token, attribute, declared, before, also } = each;
    const resource = current().engine(token);
    const rest = { ...before, ...also, onDelete: "retain" };
    await resource.up({ ...rest, [attribute]: new Secret(declared) });
    for (const operation of [() => resource.replace(rest), () => resource.refresh()]) {
      await operation();
      expect(resource.stored()).not.toContain(JSON.stringify(declared));
    }
  });
});

onEachPlatform("a secret of settings that equals the original value, and an update that gets no response", (current) => {
  const footer = new Secret("canary-footer");

  test.each([
    { when: "in that update", lost: { error: "b" }, next: { error: "b" } },
    { when: "in that update, and the next one renames the connection", lost: { error: "b" }, next: { error: "b", connection: "other" } },
    { when: "in the next update", lost: { footer, error: "b" }, next: { error: "b" } },
  ])("stays encrypted if it is removed $when", async ({ lost, next }) => {
    const { sandbox, change, config, held } = current();
    await change("customization", { footer: footer.value, error: "theirs" });
    const texts = new Engine("platform:CustomizationSettings", { ...config(), "steward:other": config()["steward:default"] as object });
    await texts.up({ footer, error: "a" });
    sandbox.faults.add({ system: "platform", method: "PATCH", path: /customization/, action: "drop-after", times: 9 });
    const fails = (): Promise<void> => expect(texts.up(lost)).rejects.toThrow("PATCH");
    for (const operation of [fails, () => texts.up(next), () => texts.refresh()]) {
      await operation();
      sandbox.faults.clear();
      expect(texts.stored()).not.toContain("canary");
    }
    expect(await held("customization")).toMatchObject({ footer: "canary-footer" });
  });
});
