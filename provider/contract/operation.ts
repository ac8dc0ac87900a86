import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Log } from "../text/log";
import { StewardError } from "./errors";
import { Limits } from "./limits";

export const systemNames = ["secrets", "platform", "scheduler"] as const;

/** The names of a dialect's servers in messages. */
export interface Words {
  /** The name of the product, or `the service` for a server of any name. */
  service: string;
}

/** A kind of server. `Own` are the settings that not every system has. */
export interface System<Own extends object = object> {
  /** The key of its settings in a connection of the configuration. */
  name: (typeof systemNames)[number];
  /** Checks the settings of one server. */
  settings: z.ZodType<ServerSettings & Own>;
  /** Checks a connection. Rejects a misspelled system, for which the environment would otherwise select the server. */
  connection: z.ZodType<Record<string, unknown>>;
  /** The rows of its dialect table. */
  dialects: Record<string, { words: Words }>;
  /** The setting that selects a part of a server. Two parts of one server count as two servers. */
  partition?: string;
  /** The variables that select a server, most specific first. An address and its token always come from the same row. */
  variables: readonly Variables[];
}

/** A server of a connection. */
export interface Server {
  /** The system's name. */
  system: string;
  /** The connection in messages: `connection "default"`, or `provider "west"` for an explicit provider. */
  title: string;
  /** The place of its settings, for messages: `steward:default`. */
  place: string;
  /** Scheme, host, port and base path, without a trailing slash. */
  address: string;
  /** The server that a resource records: the address and, if set, the part of the server. */
  id: string;
  /** A name in the system's dialect table. */
  dialect: string;
  words: Words;
  /** The set variable that would disable the verification of certificates. The provider ignores it. */
  skipVerify?: string;
  /** The set variable with a folder of CA certificates, which the provider does not read. */
  caPath?: string;
  /** The set variable with a namespace that is not sent, because the address comes from the configuration. */
  unusedNamespace?: string;
  allowAddressChange: boolean;
  /** True if the check of a create may read the existing object. */
  previewReads: boolean;
  credentials: Credentials;
}

/** One run of Pulumi, for which the engine starts the process. */
export interface Run {
  /** The cache of this process. */
  cache: Map<string, unknown>;
  engine: Engine;
  /** Receives lines for the user. */
  log: Log;
  limits: Limits;
  /** Sends a request with `send`, and sees its response or its error. */
  observe?<Response extends { status: number; body: unknown }>(
    operation: Operation,
    request: { method: string; path: string; query?: object },
    send: () => Promise<Response>,
  ): Promise<Response>;
}

/** Returns the cached value of a key, or creates and caches it. */
export function cached<Value>(cache: Run["cache"], key: readonly string[], create: () => Value): Value {
  const name = JSON.stringify(key);
  if (!cache.has(name)) cache.set(name, create());
  return cache.get(name) as Value;
}

/** An operation on a server. `Own` are the settings that only its system has. */
export interface Operation<Own = object> {
  server: Server & Own;
  run: Run;
  /** The name of the current resource in messages: `workspace "web"`. */
  resource?: string;
  /** The instance id of the current resource. Undefined for a function, and for a state without one. */
  instance?: string;
  /** The secrets of the current resource. */
  secrets: {
    /** Values that must not appear in an error. */
    values: readonly string[];
    /** Inputs whose values must not appear in a message. */
    fields: readonly string[];
  };
}

declare const writes: unique symbol;
/**
 * An operation that may change the server. Those of a create, an update, a function and a command do. A delete receives one with each claim, so that
 * nothing can be removed without.
 */
export interface Writer<Own = object> extends Operation<Own> {
  readonly [writes]: true;
}

/** The names in a sentence: `"standard" or "other"`. */
export const alternatives = (dialects: readonly string[]): string => dialects.map((each) => `"${each}"`).join(" or ");

/** Throws if the dialect of the connection does not have a resource or a function. */
export function assertDialect(
  { token, dialects, system }: { token: string; dialects?: readonly string[]; system: Pick<System, "name"> },
  { server: { dialect, place } }: Pick<Operation, "server">,
): void {
  if (!dialects || dialects.includes(dialect)) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    rule: "dialect",
    reason: `the dialect "${dialect}" has no ${token.replace(":", ".")}: if the server has it, set the dialect of ${system.name} in ${place} to ${alternatives(dialects)}`,
  });
}

/** The Pulumi engine, which saves the state. */
export interface Engine {
  /** Throws if the engine has exited, since a response could not be saved. */
  assertAlive(): Promise<void>;
  /** True if the engine saves the state after each resource. */
  savesEachStep: boolean;
  /** Aborts when the user cancels the run. The engine notifies only the native plugin. */
  canceled?: AbortSignal;
}

/** For programs and the command line, which receive responses directly, so that nothing has to be saved. */
export const noEngine: Engine = { assertAlive: async () => {}, savesEachStep: true };

/**
 * True for an address of this machine. Requests to it use no proxy and cross no network, so they may contain shares in plaintext.
 */
export const isLoopback = (address: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);

/** True for an address with TLS, which also protects from proxies, and for this machine. */
export const isPrivate = ({ address }: Server): boolean => new URL(address).protocol === "https:" || isLoopback(address);

/** The settings that every server has. */
export interface ServerSettings extends CredentialSettings {
  address: string;
  dialect: string;
  allowAddressChange?: boolean;
  previewReads?: boolean;
}

export const pemFields = ["caCert", "clientCert", "clientKey"] as const;
/** The credentials in the settings of a server. */
export const credentialFields = ["token", "tokenEnv", "tokenFile", ...pemFields, "tlsServerName"] as const;
export type CredentialSettings = { [Field in (typeof credentialFields)[number]]?: string };

export interface Credentials extends Pick<CredentialSettings, (typeof pemFields)[number] | "tlsServerName"> {
  /** Reads the token. Called when a request is sent, so that a preview needs no credentials. */
  token(): string | undefined;
  /** The source of the token, as the end of a sentence: `the file /run/token`. */
  tokenSource: string;
  /** The way to set a missing token, as the end of a sentence. If omitted, the token is set in the configuration. */
  missingToken?: string;
}

/** The environment variables that select a server of one dialect. */
export interface Variables {
  dialect: string;
  /** The settings that every server has are `<prefix>_TOKEN`, `_CACERT`, `_CLIENT_CERT`, `_CLIENT_KEY` and `_TLS_SERVER_NAME`. */
  prefix: string;
  address: string;
  /** The variable with the host name of the server, which is used if that of the address is not set. */
  host?: string;
  /** The file in the home directory whose token is used without `<prefix>_TOKEN`. */
  tokenFile?: string;
  skipVerify?: string;
  /** The system's own settings, such as `namespace` in `<prefix>_NAMESPACE`. */
  more?: readonly string[];
}

/** Returns the same promises, and prints their progress every ten seconds: `<name>: 250 of 1000 <verb>`. */
export function withProgress<Part>({ run }: Operation, name: string, work: Promise<Part>[], verb: string): Promise<Part>[] {
  let done = 0;
  const report = (): void => run.log.info(`${name}: ${done} of ${work.length} ${verb}`);
  const timer = setInterval(report, run.limits.progressInterval).unref();
  const count = (): void => void done++;
  for (const part of work) part.then(count, count);
  void Promise.allSettled(work).then(() => clearInterval(timer));
  return work;
}

let lastCreation = 0;

/** A new instance id. Instance ids sort by time. */
export function newInstance(): string {
  lastCreation = Math.max(Date.now(), lastCreation + 1);
  return `${lastCreation.toString(36)}${randomBytes(5).toString("base64url")}`;
}
