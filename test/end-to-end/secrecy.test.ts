import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineEvent } from "@pulumi/pulumi/automation";
import { definitions } from "../../provider/definitions";
import { Sandbox, start } from "../../sandbox/index";
import { certificate, privateKey } from "../certificates";
import { platform } from "../platform";
import { Project, Run } from "../project";

/** A text that nothing else holds. */
const canary = (name: string): string => `canary-${name}-${randomBytes(6).toString("hex")}`;
const share = (name: string): string => Buffer.from(canary(name).padEnd(33, ".")).toString("base64").slice(0, 44);

/** What the program declares of each definition that has secrets, and where a secret that the service makes is found. */
const story: Record<string, { resource: string; secrets: readonly string[] }> = {
  "secrets:SchedulerAccess": { resource: "access", secrets: ["token", "clientKey"] },
  "secrets:SchedulerToken": { resource: "token", secrets: ["secretId"] },
  "secrets:RekeyAttempt": { resource: "unseal-attempt", secrets: ["currentShares", "newShares"] },
  "secrets:RekeyShares": { resource: "unseal-shares", secrets: ["currentShares", "newShares", "candidate", "kept"] },
  "secrets:RekeyCommit": {
    resource: "unseal-commit",
    secrets: ["currentShares", "newShares", "candidate", "kept", "live", "former", "shares", "gathered"],
  },
  "platform:CostEstimationSettings": { resource: "cost", secrets: ["cloudASecretKey", "cloudBCredentials", "cloudCClientSecret"] },
  "platform:SmtpSettings": { resource: "mail", secrets: ["password"] },
  "platform:SmsSettings": { resource: "sms", secrets: ["authToken"] },
  "platform:SamlSettings": { resource: "sign-on", secrets: ["extra.private-key"] },
};

test("the story declares every definition that has secrets, with each of them", () => {
  const withSecrets = definitions.filter(({ secrets }) => secrets.length > 0);
  expect(Object.fromEntries(Object.entries(story).map(([token, { secrets }]) => [token, [...secrets].sort()]))).toEqual(
    Object.fromEntries(withSecrets.map(({ token, secrets }) => [token, [...secrets].sort()])),
  );
});

/** Wherever it stands in what is encoded: base64 has three ways to write it, of which the ends depend on what stands beside it. */
function formsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret), ...(/^[0-9A-Za-z+/]{40,}=*$/.test(secret) ? [Buffer.from(secret, "base64")] : [])];
  return [
    ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
    ...bytes.flatMap((plain) => {
      const hex = plain.toString("hex");
      const shifted = [0, 1, 2].map((offset) => {
        const whole = Buffer.concat([Buffer.alloc(offset), plain])
          .toString("base64")
          .replace(/=+$/, "");
        return whole.slice(offset === 0 ? 0 : offset + 1, -2);
      });
      return [hex, hex.toUpperCase(), ...shifted, ...shifted.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
    }),
  ];
}

/** Without the engine's log, nor the SDK's. */
const told = (output: string): string => output.replace(/^(\{"time"| *debug: ).*\n/gm, "");

/** The highest level at which the engine itself prints no secret. */
const loud = ["-v=8", "--logtostderr"];

describe.each(["standard", "hashicorp"] as const)("no secret in clear text, by the real pulumi (%s)", (dialect) => {
  let sandbox: Sandbox;
  let project: Project;
  beforeAll(async () => {
    sandbox = await start({ dialect });
    project = new Project();
  });
  afterAll(async () => {
    project.remove();
    await sandbox.close();
  });

  test("previews, failures, creations, refreshes, get, secrets that leave the program, and the end", async () => {
    const { change } = platform(dialect, sandbox);
    await change("general", { apiRateLimitingEnabled: false });
    const isReal = dialect === "hashicorp";
    const given = {
      token: sandbox.scheduler.token,
      clientKey: `${privateKey}${canary("client-key")}`,
      currentShares: sandbox.secrets.shares.slice(0, 3),
      newShares: [share("n")],
      cloudASecretKey: canary("cloud-a"),
      cloudBCredentials: JSON.stringify({ key: canary("cloud-b") }),
      cloudCClientSecret: canary("cloud-c"),
      password: canary("password"),
      authToken: canary("auth-token"),
      privateKey: canary("private-key"),
      misfit: canary("misfit"),
    };
    const outside = { cloudASecretKey: canary("changed-a"), cloudCClientSecret: canary("changed-c") };
    const canaries: Record<string, string> = { secretsToken: sandbox.secrets.token, platformToken: sandbox.platform.token };
    const watchFor = (secrets: object): void => {
      // Of a long text, the part that is nobody else's.
      for (const [name, value] of Object.entries(secrets))
        for (const [index, text] of [value].flat().entries()) canaries[`${name} ${index}`] = /canary-[\w-]+/.exec(text)?.[0] ?? text;
    };
    watchFor(given);
    watchFor({ changedA: outside.cloudASecretKey, changedC: outside.cloudCClientSecret });

    const places: Record<string, string> = {};
    const run = async (name: string, ...args: string[]): Promise<Run> => {
      const ran = await project.pulumi(...args, ...loud);
      places[`${name}: terminal`] = ran.output;
      places[`${name}: backend`] = project.stored();
      return ran;
    };
    // It shows what the backend stores, which is read after each step.
    const keepExport = async (name: string): Promise<void> => {
      const { code, output } = await project.pulumi("stack", "export");
      expect(code).toBe(0);
      places[`${name}: export`] = output;
    };
    const succeeds = async (name: string, ...args: string[]): Promise<Run> => {
      const ran = await run(name, ...args);
      if (ran.code !== 0) throw new Error(`${name}:\n${told(ran.output)}`);
      return ran;
    };
    const up = ["up", "--yes", "--skip-preview", "--diff"];
    const refresh = ["refresh", "--yes", "--skip-preview", "--diff"];

    writeFileSync(join(project.folder, "program/given.json"), JSON.stringify(given));
    const connection = { secrets: { address: sandbox.secrets.url, dialect }, platform: { address: sandbox.platform.url, dialect } };
    project.config({ "steward:default": connection });
    for (const system of ["secrets", "platform"] as const)
      await project.set(`steward:default.${system}.token`, sandbox[system].token, "--secret", "--path");

    const engine = await fetch(`${sandbox.secrets.url}/v1/sys/mounts/team`, {
      method: "POST",
      headers: { [isReal ? "X-Vault-Token" : "X-Secrets-Token"]: sandbox.secrets.token },
      body: JSON.stringify({ type: isReal ? "nomad" : "scheduler" }),
    });
    expect(engine.status).toBe(204);
    const source = `
      const given = require("./given.json");
      const declare = (access, cost, mail, sms, signOn, unseal) => {
        const mount = "team";
        const reach = new secrets.SchedulerAccess("access", { address: ${JSON.stringify(sandbox.scheduler.url)}, token: given.token, mount, ...access });
        const role = new secrets.SchedulerRole("role", { name: "readers", policies: ["readonly"], mount }, { dependsOn: reach });
        exports.secretId = new secrets.SchedulerToken("token", { role: role.name, mount }, { dependsOn: reach }).secretId;
        exports.shares = new secrets.Rekey("unseal", { secretShares: 2, secretThreshold: 2, currentShares: given.currentShares, discardShares: true, ...unseal }).shares;
        new platform.CostEstimationSettings("cost", cost);
        new platform.SmtpSettings("mail", { host: "mail", ...mail });
        new platform.SmsSettings("sms", { accountSid: "AC1", ...sms });
        new platform.SamlSettings("sign-on", signOn);
      };
      const { cloudASecretKey, cloudBCredentials, cloudCClientSecret, password, authToken, clientKey, newShares } = given;
      const clientCert = ${JSON.stringify(certificate)};
      const extra = ${isReal} ? { extra: { "private-key": given.privateKey } } : {};
      const all = [{ clientCert, clientKey }, { cloudASecretKey, cloudBCredentials, cloudCClientSecret }, { password }, { authToken }, extra, { newShares }];`;
    const whole = `${source}\ndeclare(...all);\nexports.cost = platform.getCostEstimationSettings();`;

    project.program(whole);
    await succeeds("preview", "preview", "--diff", "--debug");

    // What does not fit is itself the secret, or stands beside it. The engine stops at the first, so each goes alone.
    const misfits = [
      ["{ clientCert, clientKey: misfit }", "clientKey: must be a private key in PEM form"],
      ["{ cloudASecretKey, cloudCClientSecret, cloudBCredentials: misfit }", "cloudBCredentials: must be the JSON text"],
      ["{ password, port: 0 }", "port: must be a port"],
      ["{ authToken: { misfit } }", "authToken: must be a text"],
      ["{ ...extra, enabled: misfit }", "enabled: must be true or false"],
      ["{ newShares: [misfit], currentShares: [...given.currentShares, misfit] }", "currentShares[3]: is neither base64 nor hex"],
    ];
    for (const [index, [misfit, reason]] of misfits.entries()) {
      project.program(`${source}\nconst { misfit } = given;\ndeclare(...all.with(${index}, ${misfit}));`);
      const { code, output } = await run(`a failing check of ${reason}`, "preview");
      expect(code).not.toBe(0);
      expect(told(output)).toContain(reason);
    }

    project.program(whole);
    // Each request gets back what it was sent.
    const echo = (system: "secrets" | "platform", ...secrets: string[]): string => {
      const texts = [sandbox[system].token, ...secrets];
      return JSON.stringify({ errors: texts.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")]) });
    };
    const refuse = (system: "secrets" | "platform", path: RegExp, ...secrets: string[]): void => {
      for (const method of ["POST", "PUT", "PATCH"])
        sandbox.faults.add({ system, method, path, action: "respond", status: 400, body: echo(system, ...secrets) });
    };
    refuse("secrets", /config\/access/, given.token, given.clientKey);
    refuse("secrets", /rekey\/init/, ...given.currentShares, ...given.newShares);
    refuse("platform", /cost/, given.cloudASecretKey, given.cloudBCredentials, given.cloudCClientSecret);
    refuse("platform", /smtp/, given.password);
    refuse("platform", /sms|twilio/, given.authToken);
    refuse("platform", /saml/, given.privateKey);
    const failed = await run("a failing create", ...up, "--continue-on-error");
    expect(failed.code).not.toBe(0);
    for (const noun of ["scheduler access", "rekey", "cost estimation settings", "SMTP settings", "SMS settings"])
      expect(told(failed.output)).toContain(`Cannot create ${noun}`);
    expect(told(failed.output)).toContain("[secret]");
    sandbox.faults.clear();

    // What a program does with an error that it catches.
    sandbox.faults.add({ system: "platform", method: "GET", path: /smtp/, action: "respond", status: 400, body: echo("platform") });
    sandbox.faults.add({ system: "platform", method: "GET", path: /saml/, times: 9, action: "drop-before" });
    sandbox.faults.add({ system: "secrets", method: "GET", path: /role/, action: "respond", status: 403, body: echo("secrets") });
    project.program(`
      const { inspect } = require("node:util");
      const show = (error) => {
        console.log(error.code, error, JSON.stringify(error), inspect(error, { showHidden: true, depth: 20 }), String(error.stack), error.cause);
      };
      module.exports = (async () => {
        for (const ask of [platform.getSmtpSettings, platform.getSamlSettings, secrets.listSchedulerRoles]) await ask().then(() => console.log("no error"), show);
      })();`);
    const caught = await succeeds("errors that the program catches", "preview");
    expect(told(caught.output)).not.toContain("no error");
    for (const code of ["ERR_REFUSED", "ERR_REPLY_LOST", "ERR_FORBIDDEN"]) expect(told(caught.output)).toContain(code);
    sandbox.faults.clear();

    project.program(whole);
    await succeeds("up", ...up, "--json");
    await keepExport("up");
    const { secretId, shares } = (await project.outputs()) as { secretId: string; shares: string[] };
    watchFor({ secretId, shares });
    expect(shares).toEqual(sandbox.secrets.shares);
    // What is looked for was there to be found, and every definition of the story.
    const resources = await project.resources("--show-secrets");
    for (const { resource, secrets } of Object.values(story)) {
      const { inputs, outputs } = resources.find(({ urn }) => urn.endsWith(`::${resource}`)) ?? {};
      for (const path of secrets) {
        // Kept sets and brought shares are those of a rekey that stopped; the standard dialect knows no attributes of the product alone.
        if (["kept", "former", "gathered"].includes(path) || (path.startsWith("extra.") && !isReal)) continue;
        const [field = "", key] = path.split(".");
        const values = [inputs, outputs].map((fields) => (key ? (fields?.[field] as Record<string, unknown>)?.[key] : fields?.[field]));
        const text = JSON.stringify(values);
        expect({ path, found: Object.values(canaries).some((secret) => text.includes(secret)) }).toEqual({ path, found: true });
      }
    }
    // A second up changes nothing, and the SDK logs each resource nevertheless.
    const events: EngineEvent[] = [];
    const unchanged = await (await project.automated()).up({ debug: true, onEvent: (event) => events.push(event) });
    expect(unchanged.summary.resourceChanges).toEqual({ same: expect.any(Number) });
    expect(JSON.stringify(events)).toContain("RegisterResource RPC finished");
    places["up again: events"] = JSON.stringify(events);
    places["up again: terminal"] = unchanged.stdout + unchanged.stderr;
    await succeeds("refresh", ...refresh, "--json");
    await change("cost-estimation", outside);
    await succeeds("refresh after a change on the server", ...refresh, "--run-program", "--debug");

    const read = `
      secrets.SchedulerAccess.get("read-access", "team/config/access");
      for (const [type, id] of [["CostEstimationSettings", "cost-estimation"], ["SmtpSettings", "smtp"], ["SmsSettings", "sms"], ["SamlSettings", "saml"]])
        platform[type].get("read-" + id, id);`;
    project.program(`${whole}\n${read}`);
    await succeeds("get", ...up, "--debug");
    await succeeds("refresh after get", ...refresh, "--run-program", "--json");

    project.program(`${source}\ndeclare({}, {}, {}, {}, {}, {});`);
    await succeeds("secrets that leave the program", ...up, "--json", "--debug");
    await change("cost-estimation", outside);
    await succeeds("refresh after they left", ...refresh);
    await succeeds("up after they left", ...up);
    await keepExport("up after they left");
    await succeeds("destroy", "destroy", "--yes", "--skip-preview");

    const found = Object.entries(canaries).flatMap(([name, secret]) =>
      formsOf(secret).flatMap((form) =>
        Object.entries(places).flatMap(([place, text]) => (text.includes(form) ? [`${name} in ${place}`] : [])),
      ),
    );
    expect([...new Set(found)]).toEqual([]);
    const bytes = Object.values(places).reduce((sum, text) => sum + text.length, 0);
    process.stdout.write(
      `${dialect}: none of ${Object.keys(canaries).length} secrets in ${Object.keys(places).length} places, ${(bytes / 1e6).toFixed(0)} MB\n`,
    );
  }, 900_000);
});
