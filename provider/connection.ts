import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { StewardError } from "./errors";
import { described, flag, nonEmptyText, strictObject } from "./inputs";

/** The three kinds of server. @internal */
export type System = "secrets" | "platform" | "scheduler";
/** `standard` speaks the names of the API documents; `hashicorp` those of Vault, Terraform Enterprise and Nomad. @internal */
export type Dialect = "standard" | "hashicorp";

/** One server, and the credentials for it. @internal */
export interface Connection {
  system: System;
  /** As in the configuration. */
  name: string;
  /** Scheme, host, port and base path, without a slash at the end. */
  address: string;
  /** A resource records this as the place where it was written: the address and, if set, the namespace. */
  server: string;
  dialect: Dialect;
  /** Read when a request is sent, so that a preview needs no credentials. */
  token(): string | undefined;
  /** Where that token comes from, as the end of a sentence: `the variable VAULT_TOKEN`. */
  tokenSource: string;
  /** A variable that is set, and would have certificates accepted unverified. It is not followed. */
  skipVerify?: string;
  namespace?: string;
  region?: string;
  mount?: string;
  /** PEM. */
  caCert?: string;
  clientCert?: string;
  clientKey?: string;
  acceptMoved: boolean;
  /** Whether the check of a creation may read what exists. */
  previewReads: boolean;
  /** Values of the resource at hand that no error may show. */
  secrets: readonly string[];
  /** Its inputs of which no line may show a value, old or new. */
  secretFields: readonly string[];
  /** The name of the current resource in messages: `scheduler role "web"`. */
  resource?: string;
  /** The creation that made the current resource; undefined for a function, and for a state that names none. */
  instance?: string;
  /** Responses that this process keeps, so that it need not ask again. */
  memory: Map<string, unknown>;
  engine: Engine;
}

/** The engine saves what a response brings. @internal */
export interface Engine {
  /** Throws when the engine is gone: a response could not be saved any more. */
  assertAlive(): Promise<void>;
  /** The engine saves the state after each resource. */
  savesEachStep: boolean;
}

/** A program, or a person at a terminal: they get the response themselves, so nothing has to be saved. @internal */
export const withoutEngine: Engine = { assertAlive: async () => {}, savesEachStep: true };

/** The sources of settings: the stack's configuration (`steward:<connection>`, a JSON string) and the environment. @internal */
export interface ConfigurationSources {
  config(key: string): string | undefined;
  environment: NodeJS.ProcessEnv;
  /** Lasts as long as the process. */
  memory: Map<string, unknown>;
  engine: Engine;
}

/** Slashes at either end mean nothing. @internal */
export const trimMount = (path: string): string => path.replace(/^\/+|\/+$/g, "");

/** Tells if a path can be part of a URL as it is: `team/scheduler`. @internal */
export const isMountPath = (path: string): boolean =>
  trimMount(path)
    .split("/")
    .every((segment) => !/^\.{0,2}$/.test(segment));

/**
 * Tells if an address is on this machine itself. Requests to it use no proxy and cross no network, so shares may go there in clear text.
 * @internal
 */
export const isLoopback = (address: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);

const common = {
  address: z.string("must be set").min(1, "must be set"),
  token: nonEmptyText.optional(),
  tokenEnv: nonEmptyText.optional(),
  tokenFile: nonEmptyText.optional(),
  caCert: nonEmptyText.optional(),
  clientCert: nonEmptyText.optional(),
  clientKey: nonEmptyText.optional(),
  dialect: z.enum(["standard", "hashicorp"]).optional(),
  acceptMoved: flag.optional(),
  previewReads: flag.optional(),
};
const namespaceSetting = nonEmptyText.regex(/^[\x21-\x7e]+$/, "must be a path such as team/a");
const mountSetting = nonEmptyText
  .refine(isMountPath, "must be a path such as team/scheduler, without empty parts")
  .transform(trimMount)
  .optional();

/** The settings of one server. */
interface ServerSettings extends z.infer<z.ZodObject<typeof common>> {
  namespace?: string;
  region?: string;
  mount?: string;
}

const serverSettings = <More extends z.ZodRawShape>(more: More): z.ZodOptional<z.ZodType<ServerSettings>> =>
  (strictObject({ ...common, ...more }) as unknown as z.ZodType<ServerSettings>)
    .refine(
      ({ token, tokenEnv, tokenFile }) => [token, tokenEnv, tokenFile].filter(Boolean).length <= 1,
      "takes one of token, tokenEnv and tokenFile",
    )
    .refine(({ clientCert, clientKey }) => !clientCert === !clientKey, "takes clientCert and clientKey together")
    .optional();

const connectionSettings = strictObject({
  // Vault ignores slashes at either end: without them, a namespace has one spelling.
  secrets: serverSettings({ namespace: namespaceSetting.transform(trimMount).optional(), mount: mountSetting }),
  platform: serverSettings({}),
  scheduler: serverSettings({ namespace: namespaceSetting.optional(), region: nonEmptyText.optional() }),
});

/** `more`: beside those that every server has, each as the setting of that name. */
interface Variables {
  dialect: Dialect;
  prefix: string;
  address: string;
  tokenFile?: string;
  skipVerify?: string;
  more?: readonly ("namespace" | "region")[];
}

/** Variables that name a server, most specific first; an address and its token always come from the same row. */
const environments: Record<System, readonly Variables[]> = {
  secrets: [
    { dialect: "standard", prefix: "SECRETS", address: "SECRETS_ADDR", more: ["namespace"] },
    {
      dialect: "hashicorp",
      prefix: "VAULT",
      address: "VAULT_ADDR",
      tokenFile: ".vault-token",
      skipVerify: "VAULT_SKIP_VERIFY",
      more: ["namespace"],
    },
  ],
  platform: [
    { dialect: "standard", prefix: "PLATFORM", address: "PLATFORM_ADDR" },
    { dialect: "hashicorp", prefix: "TFE", address: "TFE_ADDRESS", skipVerify: "TFE_SSL_SKIP_VERIFY" },
  ],
  scheduler: [
    { dialect: "standard", prefix: "SCHEDULER", address: "SCHEDULER_ADDR", more: ["namespace", "region"] },
    { dialect: "hashicorp", prefix: "NOMAD", address: "NOMAD_ADDR", skipVerify: "NOMAD_SKIP_VERIFY", more: ["namespace", "region"] },
  ],
};

/**
 * The server that a connection names: what the configuration says, or else, for the connection `default` alone, the environment.
 * @internal
 */
export function connect(system: System, name: string, settings: ConfigurationSources): Connection {
  const configured = configuredConnection(name, settings)?.[system];
  const found = configured
    ? { settings: configured, called: (field: string) => `The ${field} of ${system} in the connection "${name}"` }
    : name === "default"
      ? fromEnvironment(system, settings.environment)
      : undefined;
  if (!found) {
    throw new StewardError({
      code: "ERR_NO_CONNECTION",
      reason: `No ${system} server is configured under the connection "${name}"`,
      advice:
        name === "default"
          ? `Set steward:default in the stack's configuration (pulumi config set --plaintext --path 'steward:default.${system}.address' https://...), or ${environments[system].map(({ address }) => address).join(" or ")} in the environment.`
          : `Set it in the stack's configuration (pulumi config set --plaintext --path 'steward:${name}.${system}.address' https://...), or correct the name.`,
    });
  }
  const { namespace, region, mount, dialect, acceptMoved, previewReads } = found.settings;
  const address = canonicalAddress(found);
  return {
    system,
    name,
    address,
    server: namespace ? `${address}?namespace=${encodeURIComponent(namespace)}` : address,
    dialect: dialect ?? "standard",
    token: () => readToken(found, settings.environment),
    tokenSource: tokenSourceOf(found),
    skipVerify: environments[system].map(({ skipVerify }) => skipVerify).find((name) => name && isSet(settings.environment[name])),
    namespace,
    region,
    mount,
    caCert: pemOrFile(found, "caCert"),
    clientCert: pemOrFile(found, "clientCert"),
    clientKey: pemOrFile(found, "clientKey"),
    acceptMoved: acceptMoved ?? false,
    previewReads: previewReads ?? false,
    secrets: [],
    secretFields: [],
    memory: settings.memory,
    engine: settings.engine,
  };
}

const isSet = (value: string | undefined): boolean => value !== undefined && !/^(|0|f|false)$/i.test(value);

/** TLS all the way, through a proxy as well, or no network at all. @internal */
export const isPrivate = ({ address }: Connection): boolean => new URL(address).protocol === "https:" || isLoopback(address);

const invalid = (reason: string, advice?: string): StewardError => new StewardError({ code: "ERR_INVALID_INPUT", reason, advice });

function configuredConnection(name: string, { config }: ConfigurationSources): z.infer<typeof connectionSettings> | undefined {
  const value = config(`steward:${name}`);
  if (value === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw invalid(
      `The configuration steward:${name} is not an object`,
      `Set its parts with pulumi config set --plaintext --path 'steward:${name}.secrets.address' https://...`,
    );
  }
  const checked = connectionSettings.safeParse(parsed);
  if (checked.success) return checked.data;
  throw invalid(`The configuration steward:${name} is wrong: ${described(checked.error)}`);
}

/** The settings of a server, and what messages call each of them: by its place in the configuration, or by its variable. */
interface Found {
  settings: ServerSettings;
  called(field: keyof ServerSettings): string;
}

function fromEnvironment(system: System, environment: NodeJS.ProcessEnv): Found | undefined {
  const row = environments[system].find(({ address }) => environment[address]);
  if (!row) return undefined;
  const { dialect, prefix, tokenFile, more = [] } = row;
  const variables: Record<string, string> = {
    address: row.address,
    token: `${prefix}_TOKEN`,
    caCert: `${prefix}_CACERT`,
    clientCert: `${prefix}_CLIENT_CERT`,
    clientKey: `${prefix}_CLIENT_KEY`,
    ...Object.fromEntries(more.map((field) => [field, `${prefix}_${field.toUpperCase()}`])),
  };
  const given = Object.entries(variables).flatMap(([field, variable]) => (environment[variable] ? [[field, environment[variable]]] : []));
  const file = tokenFile && join(environment.HOME ?? homedir(), tokenFile);
  const checked = connectionSettings.shape[system].safeParse({
    ...Object.fromEntries(given),
    dialect,
    // No token at all is a way to talk to a server: some calls need none.
    ...(file && !environment[`${prefix}_TOKEN`] && readable(file) ? { tokenFile: file } : {}),
  });
  if (!checked.success) {
    const problems = described(checked.error).replace(/\w+/g, (word) => variables[word] ?? word);
    throw invalid(`The environment is wrong, and nothing was sent: ${problems}`);
  }
  const called = (field: string): string => (environment[variables[field] ?? ""] ? `The variable ${variables[field]}` : `The file ${file}`);
  return checked.data && { settings: checked.data, called };
}

function canonicalAddress({ settings: { address }, called }: Found): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw invalid(`${called("address")} is not a plain http or https URL`, "Write it as https://host:port, without credentials.");
  const path = url.pathname.replace(/\/+$/, "");
  if (/(^|\/)(v1|api|api\/v2)$/.test(path)) throw invalid(`${called("address")} names a path of the API`, "End it before /v1 or /api.");
  return `${url.origin}${path}`;
}

function readToken(found: Found, environment: NodeJS.ProcessEnv): string | undefined {
  const token = findToken(found, environment)?.trim();
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw invalid(`${found.called("token")} holds characters that no token has`, "Look for blanks, line ends and quotes in it.");
  return token || undefined;
}

/** A name or a path that does not look like one may be the token itself, in the wrong place. */
function tokenSourceOf({ settings: { token, tokenEnv, tokenFile }, called }: Found): string {
  const by = called(token ? "token" : tokenFile ? "tokenFile" : "tokenEnv");
  const setting = by.startsWith("The variable ") || by.startsWith("The file ") ? undefined : by.replace(/^The (\w+) .*/, "its setting $1");
  if (!setting) return by.replace(/^The/, "the");
  if (tokenEnv && conventionalName.test(tokenEnv)) return `the variable ${tokenEnv}, ${setting}`;
  return tokenFile && isPath(tokenFile) ? `the file ${tokenFile}, ${setting}` : setting;
}

const isPath = (value: string): boolean => /^(\.{0,2}|~)\//.test(value);

/** Words in capitals, as variables are named by convention: a token is not of this form. */
const conventionalName = /^[A-Z]+\d{0,2}(_[A-Z]+\d{0,2}|_\d{1,2})*$/;

function findToken({ settings: { token, tokenFile, tokenEnv }, called }: Found, environment: NodeJS.ProcessEnv): string | undefined {
  if (token) return token;
  if (tokenFile) return readFile(tokenFile, called("tokenFile"));
  if (!tokenEnv) return undefined;
  const value = environment[tokenEnv];
  if (value) return value;
  // A value that does not look like a name may be the token itself, in the wrong place.
  const variable = conventionalName.test(tokenEnv) ? `the variable ${tokenEnv}, which` : "a variable that";
  throw invalid(
    `${called("tokenEnv")} names ${variable} is not set`,
    "Set it in the environment that pulumi runs in, or correct the name. The token itself does not belong there.",
  );
}

function pemOrFile({ settings, called }: Found, field: "caCert" | "clientCert" | "clientKey"): string | undefined {
  const value = settings[field];
  if (value === undefined || value.includes("-----BEGIN")) return value;
  return readFile(value, called(field));
}

function readFile(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    // A value that does not look like a path may be the secret itself, in the wrong place.
    const place = isPath(path) ? ` from ${path}` : "";
    throw invalid(`${what} cannot be read${place} (${(cause as NodeJS.ErrnoException).code})`, "Give the path of a file that can be read.");
  }
}

function readable(path: string): boolean {
  try {
    return readFileSync(path, "utf8").trim() !== "";
  } catch {
    return false;
  }
}
