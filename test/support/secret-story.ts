import { AnyDefinition } from "../../provider/contract/definition";
import { namesWith } from "../../provider/contract/fields";
import { definitions } from "../../provider/registry/resources";
import { Sandbox } from "../../sandbox/index";
import { caseOf } from "../cases";
import { Context, isIn } from "../cases/case";
import { Canaries, canary, shareCanary } from "./canaries";
import { certificate, privateKey } from "./certificates";
import { contextOf } from "./context";
import { secretFields } from "./definitions";
import { Platform, platform } from "./platform";
import { Run, Stack } from "./stack";

type Dialect = Platform["dialect"];
/** Runs the command line, and searches all that it writes. */
type Operate = (name: string, ...args: string[]) => Promise<Run>;

const yes = ["--yes", "--skip-preview"];

async function succeeds(run: Operate, name: string, ...args: string[]): Promise<void> {
  const { code, output } = await run(name, ...args);
  if (code !== 0) throw new Error(`${name}:\n${output}`);
}

/** The resources with a declaration of their own in the program, by their definition. */
const names: Record<string, string> = {
  "secrets:SchedulerAccess": "access",
  "secrets:SchedulerToken": "token",
  "secrets:RekeyAttempt": "unseal-attempt",
  "secrets:RekeyShares": "unseal-shares",
  "secrets:RekeyCommit": "unseal-commit",
};

const withSecrets = definitions.filter((definition) => secretFields(definition).length > 0);
/** The others, which have the inputs of their cases. */
const others = withSecrets.filter(({ token }) => !(token in names));
const nameOf = (token: string): string => names[token] ?? token.replace(":", "-");

/** The declaration of another definition: with canaries of this story, and with no more than it requires. */
function declarationOf({ token, id, fields, readById }: AnyDefinition, context: Context) {
  const { inputs: given, requests } = caseOf(token);
  const inputs = JSON.parse(JSON.stringify(given(context)), (_, value) =>
    typeof value === "string" ? value.replace(/canary-([\w-]+)/g, (_canary, name) => canary(name)) : value,
  );
  const bare = Object.fromEntries(namesWith(fields, "required").map((name) => [name, inputs[name]]));
  const secrets = Object.values<string>(inputs).filter((value) => /canary-/.test(value));
  return { token, name: nameOf(token), id: readById && id, inputs, bare, secrets, writes: requests?.(context).create ?? [] };
}

/** A program with a secret in every possible attribute, its servers, and their faults. */
export class SecretStory {
  readonly canaries = new Canaries();
  readonly isReal: boolean;
  private readonly platform: Platform;
  private readonly given: Record<string, string | string[]>;
  private readonly others: ReturnType<typeof declarationOf>[];
  private readonly outOfBand = { cloudASecretKey: canary("changed-a"), cloudCClientSecret: canary("changed-c") };

  private constructor(
    dialect: Dialect,
    private readonly sandbox: Sandbox,
  ) {
    this.isReal = dialect === "hashicorp";
    this.platform = platform(dialect, sandbox);
    this.given = {
      token: sandbox.scheduler.token,
      clientKey: `${privateKey}${canary("client-key")}`,
      currentShares: sandbox.secrets.shares.slice(0, 3),
      newShares: [shareCanary("n")],
      misfit: canary("misfit"),
    };
    this.others = others.filter(isIn(dialect)).map((definition) => declarationOf(definition, contextOf(sandbox, dialect)));
    this.canaries.watchFor(this.given);
    for (const { token, secrets } of this.others)
      this.canaries.watchFor({ [token]: secrets.flatMap((text) => text.match(/canary-[\w-]+/g) ?? []) });
    this.canaries.watchFor({ changedA: this.outOfBand.cloudASecretKey, changedC: this.outOfBand.cloudCClientSecret });
    this.canaries.watchFor({ secretsToken: sandbox.secrets.token, platformToken: sandbox.platform.token });
  }

  static async start(dialect: Dialect, sandbox: Sandbox): Promise<SecretStory> {
    const story = new SecretStory(dialect, sandbox);
    await story.platform.change("general", { apiRateLimitingEnabled: false });
    const engine = await fetch(`${sandbox.secrets.url}/v1/sys/mounts/team`, {
      method: "POST",
      headers: { [story.isReal ? "X-Vault-Token" : "X-Secrets-Token"]: sandbox.secrets.token },
      body: JSON.stringify({ type: story.isReal ? "nomad" : "scheduler" }),
    });
    expect(engine.status).toBe(204);
    return story;
  }

  /** The variables from which the program reads its secrets. */
  get variables(): Record<string, string> {
    return { STEWARD_GIVEN: JSON.stringify({ ...this.given, others: this.others }) };
  }

  /** The connection without the tokens. */
  get connection(): Record<string, object> {
    const { secrets, platform } = this.sandbox;
    const { dialect } = this.platform;
    return { "steward:default": { secrets: { address: secrets.url, dialect }, platform: { address: platform.url, dialect } } };
  }

  private get source(): string {
    return `
      const given = JSON.parse(process.env.STEWARD_GIVEN);
      const declare = (access, unseal, part = "inputs") => {
        const mount = "team";
        const reach = new secrets.SchedulerAccess("access", { address: ${JSON.stringify(this.sandbox.scheduler.url)}, token: given.token, mount, ...access });
        const role = new secrets.SchedulerRole("role", { name: "readers", policies: ["readonly"], mount }, { dependsOn: reach });
        exports.secretId = new secrets.SchedulerToken("token", { role: role.name, mount }, { dependsOn: reach }).secretId;
        exports.shares = new secrets.Rekey("unseal", { secretShares: 2, secretThreshold: 2, keepSharesInState: true, currentShares: given.currentShares, discardShares: true, ...unseal }).shares;
        for (const { token, name, [part]: inputs } of given.others) {
          const [system, type] = token.split(":");
          const one = new { secrets, platform }[system][type](name, inputs);
          if (type === "ScimToken") exports.scimToken = one.token;
        }
      };
      const { clientKey, newShares } = given;
      const reached = { clientCert: ${JSON.stringify(certificate)}, clientKey };`;
  }

  /** The program with every secret. */
  private whole(): string {
    return `${this.source}\ndeclare(reached, { newShares });\nexports.cost = platform.getCostEstimationSettings();`;
  }

  /** The same program, which also reads its objects with `get`. */
  private reading(): string {
    return `${this.whole()}
      secrets.SchedulerAccess.get("read-access", "team/config/access");
      for (const { token, id } of given.others) if (id) platform[token.split(":")[1]].get("read-" + id, id);`;
  }

  /** The program without its secrets. */
  private bare = (): string => `${this.source}\ndeclare({}, {}, "bare");`;

  /** The program with invalid shares. The engine prints all failing checks the same way. */
  private misfit(): string {
    const shares = "{ newShares: [misfit], currentShares: [...given.currentShares, misfit] }";
    return `${this.source}\nconst { misfit } = given;\ndeclare(reached, ${shares});`;
  }

  /** A program that catches an error, and then runs `after`. */
  private catching(after: string): string {
    return `
      const { inspect } = require("node:util");
      const show = (error) => {
        console.log(error.code, error, JSON.stringify(error), inspect(error, { showHidden: true, depth: 20 }), String(error.stack), error.cause);
      };
      module.exports = (async () => {
        for (const ask of [platform.getSmtpSettings, platform.getSamlSettings, secrets.listSchedulerRoles]) await ask().then(() => console.log("no error"), show);
        ${after}
      })();`;
  }

  /** A response that echoes these secrets. */
  private echo(system: "secrets" | "platform", ...secrets: (string | string[] | undefined)[]): string {
    const texts = [this.sandbox[system].token, ...secrets.flat()] as string[];
    return JSON.stringify({ errors: texts.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")]) });
  }

  private refuseWrites(): void {
    const refuse = (system: "secrets" | "platform", path: string | RegExp, ...secrets: (string | string[] | undefined)[]): void => {
      for (const method of ["POST", "PUT", "PATCH"])
        this.sandbox.faults.add({ system, method, path, action: "respond", status: 400, body: this.echo(system, ...secrets) });
    };
    refuse("secrets", /config\/access/, this.given.token, this.given.clientKey);
    // The attempt sends no share that could be echoed.
    refuse("secrets", /rekey\/init/);
    for (const { writes, secrets } of this.others) refuse("platform", writes.at(-1)?.split(" ")[1] ?? "", secrets);
  }

  private refuseReads(): void {
    const { faults } = this.sandbox;
    faults.add({ system: "platform", method: "GET", path: /smtp/, action: "respond", status: 400, body: this.echo("platform") });
    faults.add({ system: "platform", method: "GET", path: /saml/, times: 9, action: "drop-before" });
    faults.add({ system: "secrets", method: "GET", path: /role/, action: "respond", status: 403, body: this.echo("secrets") });
  }

  /** Writes secrets outside Pulumi. */
  private changeOutside = (): Promise<void> => this.platform.change("cost-estimation", this.outOfBand);

  /** Runs a failing check, failing creations, and an `up` with every secret. Programs also catch errors of functions. */
  async begin(project: Stack, run: Operate): Promise<void> {
    this.refuseReads();
    project.program(this.catching(this.misfit()));
    const { code, output } = await run("errors that the program catches, and a failing check", "preview", "--diff");
    expect(code).not.toBe(0);
    for (const part of ["currentShares[3]: ", "ERR_REJECTED", "ERR_NO_RESPONSE", "ERR_FORBIDDEN"]) expect(output).toContain(part);
    expect(output).not.toContain("no error");
    this.sandbox.faults.clear();

    project.program(this.whole());
    this.refuseWrites();
    const failed = await run("a preview and a failing create", "up", "--yes", "--diff", "--continue-on-error");
    expect(failed.code).not.toBe(0);
    for (const noun of ["(scheduler|Nomad) access", "rekey", "cost estimation settings", "SMTP settings", "SMS settings", "SAML settings"])
      expect(failed.output).toMatch(new RegExp(`Cannot create ${noun}`));
    expect(failed.output).toContain("[secret]");
    this.sandbox.faults.clear();

    await succeeds(run, "up", "up", ...yes);
    const { secretId, shares, scimToken = [] } = (await project.outputs()) as Record<string, string | string[]>;
    this.canaries.watchFor({ secretId, shares, scimToken });
    expect(shares).toEqual(this.sandbox.secrets.shares);
    this.expectHeld(await project.resources());
  }

  /** Runs the other operations, until the stack is destroyed, and expects that no place contains a secret. */
  async finish(project: Stack, run: Operate): Promise<void> {
    await succeeds(run, "up again", "up", ...yes, "--expect-no-changes");
    await this.changeOutside();
    await succeeds(run, "refresh after a change on the server", "refresh", ...yes, "--diff");
    project.program(this.reading());
    await succeeds(run, "get", "up", ...yes, "--diff");
    await this.changeOutside();
    await succeeds(run, "refresh after get", "refresh", ...yes);
    project.program(this.bare());
    await succeeds(run, "secrets that leave the program", "up", ...yes);
    await this.changeOutside();
    await succeeds(run, "refresh and up after they left", "up", ...yes, "--refresh", "--diff");
    await succeeds(run, "refresh after they left", "refresh", ...yes, "--diff");
    await succeeds(run, "destroy", "destroy", ...yes);
    expect(this.canaries.found()).toEqual([]);
  }

  /** Expects that the resources contain every secret and every definition of the story, so that the search is meaningful. */
  private expectHeld(resources: { urn: string; inputs?: Record<string, unknown>; outputs?: Record<string, unknown> }[]): void {
    // The first step of a rekey receives no share.
    const attempt = resources.find(({ urn }) => urn.endsWith("::unseal-attempt"));
    expect(this.canaries.isIn(JSON.stringify([attempt?.inputs, attempt?.outputs]))).toBe(false);
    for (const definition of withSecrets.filter(isIn(this.platform.dialect))) {
      const { token } = definition;
      const resource = nameOf(token);
      const { inputs, outputs } = resources.find(({ urn }) => urn.endsWith(`::${resource}`)) ?? {};
      for (const path of secretFields(definition)) {
        // Only an interrupted rekey has kept sets and passed shares. The standard dialect has no attributes of Terraform Enterprise.
        if (["submission.kept", "previousLive"].includes(path) || (path === "privateKey" && !this.isReal)) continue;
        const [field = "", key] = path.split(".");
        const values = [inputs, outputs].map((fields) => (key ? (fields?.[field] as Record<string, unknown>)?.[key] : fields?.[field]));
        const found = resource !== "unseal-attempt";
        expect({ path, found: this.canaries.isIn(JSON.stringify(values)) }).toEqual({ path, found });
      }
    }
  }
}
