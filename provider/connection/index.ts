import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { invalidInput, StewardError } from "../contract/errors";
import { bool, checkFailures, issuesOf, rule, strictObject } from "../contract/inputs";
import { defaultLimits, Limits } from "../contract/limits";
import { cached, noEngine, Operation, Run, ServerSettings, System, systemNames, Variables, Words, Writer } from "../contract/operation";
import { parsed } from "../text/json";
import { Log, standardOutput } from "../text/log";
import { credentialShape, credentialsOf, invalid, NamedSettings } from "./credentials";
import { namesIn, sharesTokenFile, warnOfUnused } from "./variables";

/** The sources of settings: the stack's configuration (`steward:<connection>`, a JSON string) and the environment. */
export interface ConfigurationSources extends Omit<Run, "limits"> {
  config(key: string): string | undefined;
  environment: NodeJS.ProcessEnv;
  /** The name of the explicit provider, whose arguments replace the configuration. */
  provider?(): string | undefined;
  /** Settings of a function, which replace those of its connection. */
  server?: { address?: string; token?: string; dialect?: string };
  /** Limits that override the defaults. */
  limits?: Partial<Limits>;
}

/** The sources of a program, which runs without an engine that could save results. */
export function sourcesOf(config: ConfigurationSources["config"], log: Log = standardOutput): ConfigurationSources {
  return { config, log, environment: process.env, cache: new Map(), engine: noEngine };
}

export const dialectInput = (dialects: object): z.ZodType<string> =>
  z.enum(Object.keys(dialects), `must be ${Object.keys(dialects).join(" or ")}`);

interface SystemParts<Own extends object, Dialect> extends Pick<System<Own>, "name" | "partition" | "variables"> {
  dialects: Record<string, Dialect>;
  ownSettings: z.ZodRawShape;
}

/** Makes a system from its dialects, its own settings and its variables. `dialectOf` returns the row of an operation's server. */
export function defineSystem<Own extends object, Dialect extends { words: Words }>({
  ownSettings,
  ...rest
}: SystemParts<Own, Dialect>): { system: System<Own>; dialectOf(operation: Operation): Dialect } {
  const shape = strictObject({
    address: z.string("must be set").min(1, "must be set"),
    ...credentialShape,
    dialect: dialectInput(rest.dialects),
    allowAddressChange: bool.optional(),
    previewReads: bool.optional(),
    ...ownSettings,
  });
  const settings = (shape as unknown as z.ZodType<ServerSettings & Own>)
    .refine(
      ({ token, tokenEnv, tokenFile }) => [token, tokenEnv, tokenFile].filter(Boolean).length <= 1,
      rule("one-token", "must set at most one of token, tokenEnv and tokenFile"),
    )
    .refine(
      ({ token, tokenEnv, tokenFile, ...others }) => !("login" in others && others.login) || !(token || tokenEnv || tokenFile),
      rule("token-or-login", "must set either a token or login"),
    )
    .refine(
      ({ clientCert, clientKey }) => !clientCert === !clientKey,
      rule("certificate-and-key", "must set both clientCert and clientKey, or neither"),
    );
  const others = Object.fromEntries(systemNames.map((system) => [system, z.unknown().optional()]));
  const connection = strictObject({ ...others, [rest.name]: settings.optional() });
  return {
    system: { ...rest, settings, connection },
    // `connect` has already rejected every other dialect.
    dialectOf: ({ server }) => rest.dialects[server.dialect] as Dialect,
  };
}

type NamedServer<Own> = NamedSettings<ServerSettings & Own>;

/**
 * Finds the server of a connection in the configuration or, only for the connection `default`, in the environment.
 */
export function connect<Own extends object>(system: System<Own>, name: string, sources: ConfigurationSources): Writer<Own> {
  const wording = wordingFor(system, name, sources.provider?.());
  const value = sources.config(`steward:${name}`);
  // Once in a run, for all resources of the connection. The environment of a process stays the same.
  const found = cached(
    sources.cache,
    ["settings", system.name, wording.title, value ?? ""],
    () => configured(system, name, value, wording) ?? (name === "default" ? fromEnvironment(system, sources) : undefined),
  );
  const settings = sources.server ? replaced(found, sources.server) : found;
  if (!settings) throw new StewardError({ code: "ERR_NO_CONNECTION", ...wording.notConfigured });
  const { token, tokenEnv, tokenFile, caCert, clientCert, clientKey, tlsServerName, ...others } = settings.settings;
  const { dialect, allowAddressChange, previewReads, ...own } = others;
  const address = canonicalAddress(settings);
  const { partition } = system;
  const part = partition && (own as Record<string, unknown>)[partition];
  const isSetFor = ({ prefix, ...row }: Variables): boolean =>
    row.dialect === dialect && Boolean(sources.environment[`${prefix}_NAMESPACE`]);
  const unused = settings.isConfigured && partition && !part ? system.variables.find(isSetFor) : undefined;
  const operation: Operation<Own> = {
    server: {
      ...(own as unknown as Own),
      system: system.name,
      title: wording.title,
      place: wording.place,
      address,
      id: part ? `${address}?${partition}=${encodeURIComponent(String(part))}` : address,
      dialect,
      words: wordsOf(system, dialect),
      skipVerify: skipVerifyIn(system, sources),
      caPath: system.variables.map(({ prefix }) => `${prefix}_CAPATH`).find((variable) => sources.environment[variable]),
      unusedNamespace: unused && `${unused.prefix}_NAMESPACE`,
      allowAddressChange: allowAddressChange ?? false,
      previewReads: previewReads ?? isSet(sources.environment.STEWARD_PREVIEW_READS),
      credentials: credentialsOf(settings, sources.environment),
    },
    run: {
      cache: sources.cache,
      engine: sources.engine,
      log: sources.log,
      limits: { ...defaultLimits, ...sources.limits },
      observe: sources.observe,
    },
    secrets: { values: [], fields: [] },
  };
  return operation as Writer<Own>;
}

/** The settings of a server, with those of a function in their place. */
function replaced<Own>(
  found: NamedServer<Own> | undefined,
  { address, token, dialect }: Partial<ServerSettings>,
): NamedServer<Own> | undefined {
  if (address && !token) {
    const reason = "requires a token, since the token of the connection is not sent to another address";
    throw invalidInput([{ path: "address", rule: "address-and-token", reason }]);
  }
  if (!found && !address) return undefined;
  if (!found && !dialect) throw invalidInput([{ path: "dialect", rule: "missing", reason: "is missing, and no connection has one" }]);
  const given = {
    ...(address && { address }),
    ...(token && { token, tokenEnv: undefined, tokenFile: undefined }),
    ...(dialect && { dialect }),
  };
  return {
    settings: { ...found?.settings, ...given } as ServerSettings & Own,
    label: (field) => (field in given || !found ? `option ${field}` : found.label(field)),
    isConfigured: !token && Boolean(found?.isConfigured),
    missingToken: found?.missingToken,
  };
}

export const wordsOf = ({ dialects }: Pick<System, "dialects">, dialect: string): Words => (dialects[dialect] as { words: Words }).words;

const isSet = (value: string | undefined): boolean => value !== undefined && !/^(|0|f|false)$/i.test(value);

const skipVerifyIn = ({ variables }: Pick<System, "variables">, { environment }: ConfigurationSources): string | undefined =>
  variables.map(({ skipVerify }) => skipVerify).find((variable) => variable && isSet(environment[variable])) ??
  (environment.NODE_TLS_REJECT_UNAUTHORIZED === "0" ? "NODE_TLS_REJECT_UNAUTHORIZED" : undefined);

/**
 * The wording of messages about a connection: the error about a system without a server, and the beginning of that about invalid settings. `provider`: the
 * name of the explicit provider, which has only the connection `default`.
 */
function wordingFor({ name: system, variables }: System, name: string, provider: string | undefined) {
  const inEnvironment = `${variables.map(({ address }) => address).join(" or ")} in the environment`;
  if (provider !== undefined && name === "default")
    return {
      title: `provider "${provider}"`,
      place: `the arguments of provider "${provider}"`,
      invalidPrefix: `The settings of the provider "${provider}" are invalid: `,
      notConfigured: {
        reason: `The provider "${provider}" has no ${system} server`,
        hint: `Set \`${system}: { address: "https://..." }\` in its arguments, or ${inEnvironment}.`,
      },
    };
  const place = `steward:${name}`;
  const inStack = `in the stack's configuration (pulumi config set --plaintext --path '${place}.${system}.address' https://...)`;
  const hint = name === "default" ? `Set ${place} ${inStack}, or ${inEnvironment}.` : `Set it ${inStack}, or correct the name.`;
  const withoutProvider = { reason: `No ${system} server is configured under the connection "${name}"`, hint };
  const withProvider = {
    reason: `The provider "${provider}" has no connection "${name}": its arguments set its servers`,
    hint: "Remove `connection` or the provider.",
  };
  return {
    title: `connection "${name}"`,
    place,
    invalidPrefix: `The configuration ${place} is invalid: `,
    notConfigured: provider === undefined ? withoutProvider : withProvider,
  };
}

/** The settings in the configuration. */
function configured<Own extends object>(
  system: System<Own>,
  name: string,
  value: string | undefined,
  { title, invalidPrefix }: ReturnType<typeof wordingFor>,
): NamedServer<Own> | undefined {
  if (value === undefined) return undefined;
  const connection = parsed(value);
  if (connection === undefined)
    throw invalid(
      "no-object",
      `The configuration steward:${name} is not an object`,
      `Set its properties with pulumi config set --plaintext --path 'steward:${name}.secrets.address' https://...`,
    );
  // Each system reports the broken strings of its own settings.
  const isOther = (part: unknown): boolean => part !== system.name && systemNames.some((other) => other === part);
  const issues = issuesOf(system.connection, connection).filter(({ path: [part] }) => !isOther(part));
  if (issues.length > 0) throw invalidInput(checkFailures({ issues }, connection), { about: invalidPrefix });
  const settings = system.connection.parse(connection)[system.name] as (ServerSettings & Own) | undefined;
  return settings && { settings, label: (field) => `${field} of ${system.name} in the ${title}`, isConfigured: true };
}

/** The settings in the environment. */
function fromEnvironment<Own extends object>(system: System<Own>, sources: ConfigurationSources): NamedServer<Own> | undefined {
  const { environment } = sources;
  const rows = system.variables.map((row) => (row.host && !environment[row.address] ? { ...row, address: row.host } : row));
  const row = rows.find(({ address }) => environment[address]);
  if (!row) return undefined;
  warnOfUnused({ name: system.name, variables: rows }, row, sources);
  const { dialect, prefix, tokenFile } = row;
  const variables = namesIn(row);
  const values = Object.fromEntries(
    Object.entries(variables).flatMap(([field, variable]) => (environment[variable] ? [[field, environment[variable]]] : [])),
  );
  if (row.address === row.host && !values.address?.includes("://")) values.address = `https://${values.address}`;
  const isShared = sharesTokenFile(system.variables, row, environment);
  const file = tokenFile && !isShared ? join(environment.HOME ?? homedir(), tokenFile) : undefined;
  const checked = system.settings.safeParse({
    ...values,
    dialect,
    ...(file && !environment[`${prefix}_TOKEN`] ? { tokenFile: file } : {}),
  });
  if (!checked.success) {
    const named = (text: string): string => text.replace(/\w+/g, (word) => variables[word] ?? word);
    const failures = checkFailures(checked.error, values).map((each) => ({ ...each, path: named(each.path), reason: named(each.reason) }));
    throw invalidInput(failures, { about: "The environment is invalid, and nothing was sent: " });
  }
  const label = (field: string): string => (environment[variables[field] ?? ""] ? `variable ${variables[field]}` : `file ${file}`);
  return { settings: checked.data, label, isConfigured: false, missingToken: `set ${variables.token}, which belongs to ${row.address}` };
}

function canonicalAddress({ settings: { address }, label }: NamedServer<object>): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw invalid(
      "url",
      `The ${label("address")} is not a valid HTTP or HTTPS URL`,
      "Write it as https://host:port, without credentials, query or fragment.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  if (/(^|\/)(v1|api|api\/v2)$/.test(path))
    throw invalid("api-path", `The ${label("address")} contains a path of the API`, "Remove /v1, /api or /api/v2 from its end.");
  return `${url.origin}${path}`;
}
