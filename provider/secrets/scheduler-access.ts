import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { Adopt, adoptField, differencesOf, Found } from "../adoption";
import { Comparison, exact, pem } from "../comparison";
import { Connection } from "../connection";
import { Definition, DeleteRequest, ReadRequest } from "../definition";
import { CheckFailure } from "../errors";
import { ConnectionArgs, connectionField, holdsCredentials, rule, str } from "../inputs";
import { removeObject, renamedHint } from "../ownership";
import { apiPath, call, dialectOf, isNotFound, readData, readExisting, remove, replaceHint, system, unexpectedAnswer } from "./client";
import { MountArgs, mountField } from "./mount";
import { normalizeMount } from "./mount-path";
import { explainRefusal } from "./refusal";
import { atEachMount } from "./scheduler-mounts";

/** What a program declares of an access configuration. */
export interface SchedulerAccessInputs extends ConnectionArgs, MountArgs {
  /**
   * Where the scheduler is, as the secrets service reaches it: `https://host:4646`, without a user, a query or a fragment. Without it the
   * configuration's address is blank, so that the service takes it from its own environment (`SCHEDULER_ADDR`, in Vault `NOMAD_ADDR`), and no address
   * is compared. Changing this updates.
   */
  address?: string;
  /**
   * The scheduler's management token. Secret. The service never gives it back: a token changed outside Pulumi cannot be seen. In the standard dialect
   * it may be left out: the service then takes it from its own environment (`SCHEDULER_TOKEN`). In the hashicorp dialect it is required: the first
   * write without one makes Vault bootstrap the scheduler's ACLs and keep the only management token for itself, which cannot be undone. Never empty.
   * Changing this updates.
   */
  token?: string;
  /** The longest token name that the scheduler takes; 0 lets the service decide by the scheduler's version. Changing this updates. */
  maxTokenNameLength?: number;
  /** PEM of the authority that signed the scheduler's certificate. Changing this updates. */
  caCert?: string;
  /** PEM of the certificate that the service shows to the scheduler; needs `clientKey`. Changing this updates. */
  clientCert?: string;
  /** PEM of that certificate's key. Secret; never given back, as `token`. Changing this updates. */
  clientKey?: string;
  /**
   * Take over an access configuration that has an address already; without it that is an error. true prints each attribute that this changes,
   * old -> new, and overwrites all of it, the token too, which cannot be put back; "unchanged" fails with `ERR_ALREADY_EXISTS`, and lists the
   * differences, where there are any in what the service shows: never the token, in the standard dialect the address alone. Changing this does
   * nothing.
   * @default false
   */
  adopt?: Adopt;
}

/** What the service shows of an access configuration. */
export interface SchedulerAccessState {
  /** Where the scheduler is; empty where the service takes it from its own environment. */
  address: string;
  /** The longest token name that the scheduler takes; undefined where the service decides, or does not show it. */
  maxTokenNameLength: number | undefined;
  /** The mount of the engine. */
  mount: string;
}

/** With what only the program knows. */
interface StoredState extends SchedulerAccessState {
  token?: string;
  caCert?: string;
  clientCert?: string;
  clientKey?: string;
}

const url = z
  .string("must be the scheduler's address")
  .refine(
    (address) => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol),
    rule("url", "must be a URL such as https://host:4646"),
  )
  .refine(
    (address) => !holdsCredentials(address),
    rule("credentials", "must not hold a user or a password, which the state would keep in clear text"),
  )
  .refine((address) => !/[?#]/.test(address), rule("query", "must not hold a query or a fragment"));
const managementToken = z
  .string("must be the scheduler's management token")
  .min(1, "must not be empty: the first write without a token would bootstrap the scheduler's access control");
const certificate = str.regex(/-----BEGIN CERTIFICATE-----/, "must be a certificate in PEM form, not a path");
const privateKey = str.regex(/-----BEGIN [A-Z ]*PRIVATE KEY-----/, "must be a private key in PEM form, not a path");

/** DER of the object identifiers of sha1WithRSAEncryption, ecdsa-with-SHA1 and dsa-with-sha1. */
const sha1Signatures = ["06092a864886f70d010105", "06072a8648ce3d0401", "06072a8648ce380403"].map((hex) => Buffer.from(hex, "hex"));

/** What will make the service fail later, although it takes the certificate now. */
function certificateWarnings(path: string, value: string | undefined): CheckFailure[] {
  if (value === undefined) return [];
  const bundle = value.match(/-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----)?/g) ?? [];
  const reasons = bundle.map(certificateProblem);
  return reasons.flatMap((reason, index) => {
    const which = bundle.length > 1 ? `certificate ${index + 1} of ${bundle.length} ` : "";
    return reason ? [{ path, rule: "certificate", reason: `${which}${reason}`, warning: true }] : [];
  });
}

function certificateProblem(pem: string): string | undefined {
  try {
    const { raw } = new X509Certificate(pem);
    const isSha1 = sha1Signatures.some((identifier) => raw.includes(identifier));
    return isSha1 ? "is signed with SHA-1, which the service refuses from its release 1.12 on" : undefined;
  } catch {
    return "cannot be parsed as an x509 certificate, so that the service will not reach the scheduler with it";
  }
}

const path = (mount: string): string => apiPath(normalizeMount(mount), "config", "access");

/** Where the configuration cannot be deleted, a blank one is what is left of it. One whose address the service takes from its environment is as blank. */
const isLeftover = (connection: Connection, { address }: Record<string, unknown>): boolean =>
  address === "" && !dialectOf(connection).deletesAccess;

/** What was never given and what the server leaves blank are the same. */
const unblanked = <T>(value: T): T | undefined => (value === "" || value === 0 ? undefined : value);

const blankIsNone: Comparison = { equal: (a, b) => unblanked(a) === unblanked(b) };
const blankPem: Comparison = { equal: (a, b) => pem.equal(unblanked(a), unblanked(b)) };

/** An address that somebody else wrote may hold a password: it must reach neither the state nor the terminal. */
const withoutCredentials = (address: unknown): string =>
  String(address)
    .replace(/^([a-z][a-z0-9+.-]*:[\\/]*)?.*@/is, "$1[secret]@")
    .replace(/\?.*$/s, "?[secret]");

async function read({ connection, state: previous, declared }: ReadRequest<StoredState>): Promise<StoredState | undefined> {
  const data = await readData(connection, path(previous.mount));
  if (data && typeof data.address !== "string") throw unexpectedAnswer(path(previous.mount));
  if (!data || (isLeftover(connection, data) && declared.includes("address"))) return undefined;
  /** The document shows the address alone: whatever else is compared only where it is shown. */
  const shown = <T>(field: string, written: T): T => (field in data ? (unblanked(data[field]) as T) : written);
  return {
    mount: previous.mount,
    address: data.address === previous.address ? previous.address : withoutCredentials(data.address),
    maxTokenNameLength: shown("max_token_name_length", previous.maxTokenNameLength),
    caCert: shown("ca_cert", previous.caCert),
    clientCert: shown("client_cert", previous.clientCert),
    token: previous.token,
    clientKey: previous.clientKey,
  };
}

/**
 * All fields, always: what a write omits may be kept, or be reset. What the program does not declare stays what the last refresh saw, but for address
 * and token: blank, they come from the service's own environment.
 */
async function write(connection: Connection, inputs: SchedulerAccessInputs, current?: StoredState): Promise<StoredState> {
  const { maxTokenNameLength = 0, caCert = "", clientCert = "", clientKey = "", mount = "" } = { ...current, ...inputs };
  const { address = "", token = "" } = inputs;
  await call(connection, {
    method: "POST",
    path: path(mount),
    body: { address, token, max_token_name_length: maxTokenNameLength, ca_cert: caCert, client_cert: clientCert, client_key: clientKey },
    retry: "idempotent",
  });
  return {
    mount,
    address,
    token: unblanked(token),
    maxTokenNameLength: unblanked(maxTokenNameLength),
    caCert: unblanked(caCert),
    clientCert: unblanked(clientCert),
    clientKey: unblanked(clientKey),
  };
}

/** What the service may show, by its name there, and how it is compared. */
const readable = {
  address: { wire: "address", equal: exact.equal },
  maxTokenNameLength: { wire: "max_token_name_length", equal: blankIsNone.equal },
  caCert: { wire: "ca_cert", equal: blankPem.equal },
  clientCert: { wire: "client_cert", equal: blankPem.equal },
};

/** A creation overwrites the whole configuration: what is not declared becomes blank. */
async function find({
  connection,
  inputs,
}: {
  connection: Connection;
  inputs: SchedulerAccessInputs;
}): Promise<Found<StoredState> | undefined> {
  const { mount = "", adopt } = inputs;
  const data = await readExisting(adopt, (anyNotFound) => readData(connection, path(mount), { anyNotFound }));
  if (!data || isLeftover(connection, data)) return undefined;
  const fields = Object.keys(readable) as (keyof typeof readable)[];
  const shown = fields.filter((field) => readable[field].wire in data);
  const from = Object.fromEntries(shown.map((field) => [field, unblanked(data[readable[field].wire])]));
  const address = withoutCredentials(data.address);
  const shownAddress = connection.secretFields.includes("address") ? "[secret]" : address;
  return {
    reason: `the engine is configured for ${address ? shownAddress : "the scheduler of its own environment"} already`,
    hint: `${renamedHint} Otherwise set adopt: true to overwrite that configuration; the token in it cannot be read, nor put back. ${replaceHint}`,
    differences: differencesOf<object>(
      { ...from, address: unblanked(address) },
      inputs,
      Object.fromEntries(shown.map((field) => [field, readable[field].equal])),
    ),
    unreadable: [...fields.filter((field) => !shown.includes(field)), "token", "clientKey"],
  };
}

/** No management token may stay behind. */
async function clear({ connection, state: { mount } }: DeleteRequest<StoredState>): Promise<void> {
  if (dialectOf(connection).deletesAccess) return remove(connection, path(mount));
  try {
    await write(connection, { mount, address: "", token: "" });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const tokenMissing: CheckFailure = {
  path: "token",
  rule: "missing",
  reason:
    "is missing; the first write without a token makes Vault bootstrap the scheduler's ACLs and keep the only management token, which cannot be undone",
};

/**
 * The connection from the Nomad secrets engine to Nomad: `POST`, `GET` and, where the service has it, `DELETE <mount>/config/access`.
 *
 * An engine has one; its id is `<mount>/config/access`. One that has an address already is never overwritten silently: creating it fails
 * with `ERR_ALREADY_EXISTS` unless `adopt` is set. Deleting it leaves no management token on the server: where there is no `DELETE`, a blank
 * configuration is written. Where the service takes address or token from its own environment, leave them out; in the hashicorp dialect `token` is
 * required. `token` and `clientKey` cannot be read back, so their drift cannot be seen; give them as Pulumi secrets.
 *
 * ```ts
 * new secrets.SchedulerAccess("access", { address: "https://scheduler.example.com:4646", token: config.requireSecret("managementToken") });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`. Update: 1 `POST`. Refresh: 1 `GET`. Delete: 1 `DELETE`, or the
 * `POST` of a blank configuration. In the standard dialect a 404 costs one read more, at most once in a run: the OpenAPI document, which has to show
 * the path to the token.
 * @unreadable `token` and `clientKey`; in the standard dialect everything but `address`.
 * @internal
 */
export const schedulerAccess: Definition<SchedulerAccessInputs, SchedulerAccessState, StoredState> = {
  system,
  token: "secrets:SchedulerAccess",
  displayName: "scheduler access configuration",
  name: "<mount>",
  id: "<mount>/config/access",
  readById: true,
  fields: {
    address: { input: url, output: true },
    token: { input: managementToken, stored: true, secret: true, writeOnly: true },
    maxTokenNameLength: {
      input: z.int("must be a whole number").min(0, "must not be negative"),
      output: true,
      compare: blankIsNone,
    },
    caCert: { input: certificate, stored: true, compare: pem },
    clientCert: { input: certificate, stored: true, compare: pem },
    clientKey: { input: privateKey, stored: true, compare: pem, secret: true, writeOnly: true },
    // Not deleted before it is replaced: the engine at the old mount has to revoke the tokens that are replaced with it. The class cannot have
    // it otherwise for a replacement that the user orders: its option would hold for a change of the mount as well, whatever `diff` answers.
    mount: mountField,
    adopt: adoptField,
    connection: connectionField,
  },
  rules: [
    {
      fields: ["token"],
      check: ({ token }, connection) => (token === undefined && dialectOf(connection).bootstraps ? [tokenMissing] : []),
    },
    {
      fields: ["clientCert", "clientKey"],
      check: ({ clientCert, clientKey }) => {
        if (clientCert && !clientKey) return [{ path: "clientKey", rule: "needed-with-certificate", reason: "is needed with clientCert" }];
        return clientKey && !clientCert ? [{ path: "clientCert", rule: "needed-with-key", reason: "is needed with clientKey" }] : [];
      },
    },
    { fields: ["caCert"], check: ({ caCert }) => certificateWarnings("caCert", caCert) },
    { fields: ["clientCert"], check: ({ clientCert }) => certificateWarnings("clientCert", clientCert) },
  ],
  objects: { fields: ["mount"], paths: ({ mount }) => [path(mount as string)] },
  read,
  find,
  create: ({ connection, inputs }) => write(connection, inputs),
  update: ({ connection, inputs, state }) => write(connection, inputs, state),
  delete: (request) => removeObject(request.connection, path(request.state.mount), () => clear(request)),
  discover: (request) =>
    atEachMount(request, "config/access", async (mount) => {
      const { connection } = request;
      const state = await read({ connection, state: { mount } as StoredState, declared: [] });
      return state && !isLeftover(connection, { ...state }) ? [{ state, called: `${mount}-access` }] : [];
    }),
  diagnose: explainRefusal,
};
