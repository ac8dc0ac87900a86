import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { Comparison, pem, trimmed } from "../contract/comparison";
import { Claim, Claiming, Definition, ExistingObject, FindRequest, ReadRequest, UpdateRequest } from "../contract/definition";
import { CheckFailure } from "../contract/errors";
import { differencesOf, variableFor } from "../contract/fields";
import { Adopt, ConnectionArgs, isCertificate, rule, str, tokenInput, urlInput } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { WithSecrets } from "../contract/secret";
import { apiPath, dialectOf, invalidResponse, readData, remove, replaceHint, settleRemoval, system, writeData } from "./client";
import { MountArgs, mountedFields } from "./mount";
import { normalizeMount } from "./mount-path";
import { atEachMount } from "./scheduler-mounts";

/** Inputs of {@link SchedulerAccess}. */
export interface SchedulerAccessInputs extends ConnectionArgs, MountArgs {
  /**
   * The address at which Vault reaches Nomad, such as `https://host:4646`, without user, query or fragment. If it is omitted, Vault uses
   * `NOMAD_ADDR` from its own environment, and the provider does not compare the address.
   * @example "https://nomad.example.com:4646"
   */
  address?: string;
  /**
   * A Nomad management token, which is a secret. Vault never returns it, so a refresh cannot detect that it changed. The token is required
   * with Vault and OpenBao, because a first write without one makes Vault bootstrap Nomad's ACL system and keep the only management token. To
   * get a different one, an operator has to reset the bootstrap on Nomad's leader.
   * @example { env: "NOMAD_MANAGEMENT_TOKEN" }
   */
  token?: string;
  /**
   * The maximum length of token names, or 0 to have Vault choose it by the version of Nomad.
   * @example 128
   */
  maxTokenNameLength?: number;
  /**
   * The CA certificate of Nomad, in PEM format.
   * @example fs.readFileSync("nomad-ca.pem", "utf8")
   */
  caCert?: string;
  /**
   * The client certificate that Vault presents to Nomad, in PEM format. It requires `clientKey`.
   * @example fs.readFileSync("vault.pem", "utf8")
   */
  clientCert?: string;
  /**
   * The private key of `clientCert` in PEM format, which is a secret. Vault never returns it, so a refresh cannot detect that it changed.
   * @example { file: "/run/secrets/vault-client-key" }
   */
  clientKey?: string;
  /**
   * Adopts an existing access configuration. `true` prints the changes as old -> new and overwrites all attributes, after which the
   * previous token cannot be restored. `"unchanged"` fails with `ERR_ALREADY_EXISTS` and lists the differences if an attribute that Vault
   * returns differs, and `false` always fails with that code.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link SchedulerAccess}. */
export interface SchedulerAccessState {
  /** The address of Nomad, or an empty string if Vault uses its own environment. */
  address: string;
  /** The maximum length of token names, or undefined if Vault chooses it. */
  maxTokenNameLength: number | undefined;
  /** The mount path of the Nomad secrets engine. */
  mount: string;
}

type Inputs = WithSecrets<SchedulerAccessInputs, "token" | "clientKey">;

interface StoredState extends SchedulerAccessState, Pick<Inputs, "token" | "caCert" | "clientCert" | "clientKey"> {}

const url = urlInput("must be a URL", /^https?:$/, rule("url", "must be a URL such as https://host:4646")).refine(
  (address) => !/[?#]/.test(address),
  rule("query", "must not contain a query or a fragment"),
);
const managementToken = tokenInput(": a first write without a token would bootstrap the ACL system");
const certificate = str.regex(/-----BEGIN CERTIFICATE-----/, "must be a certificate in PEM form, not a path");
const privateKey = str.regex(/-----BEGIN [A-Z ]*PRIVATE KEY-----/, "must be a private key in PEM form, not a path");

/** The identifiers of signatures with SHA-1, of RSA and ECDSA keys, as a certificate contains them. */
const sha1Signatures = ["06092a864886f70d010105", "06072a8648ce3d0401"].map((identifier) => Buffer.from(identifier, "hex"));

/** A warning about a certificate that the server stores, but cannot use later. */
function certificateWarnings(path: string, value = ""): CheckFailure[] {
  const bundle = value.match(/-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----)?/g) ?? [];
  const warning = (rule: string, reason: string): CheckFailure[] => [{ path, rule, reason, warning: true }];
  if (!bundle.every(isCertificate))
    return warning("certificate", "contains an invalid X.509 certificate, so the secrets engine cannot use it");
  const usesSha1 = bundle.some((pem) => sha1Signatures.some((identifier) => new X509Certificate(pem).raw.includes(identifier)));
  return usesSha1 ? warning("sha1", "contains a certificate signed with SHA-1, which the secrets engine cannot verify") : [];
}

const path = (mount: string): string => apiPath(normalizeMount(mount), "config", "access");

/** True for the blank configuration that a delete leaves if there is no `DELETE`. One without an address looks the same. */
const isLeftover = (operation: Operation, { address }: Record<string, unknown>): boolean =>
  address === "" && !dialectOf(operation).deletesAccess;

/** Undefined for a blank value, which the server returns for one that was never set. */
const unblanked = <T>(value: T): T | undefined => (value === "" || value === 0 ? undefined : value);

/** The API names of the fields that the server may return. The API specification has only the address. */
const readable = { address: "address", maxTokenNameLength: "max_token_name_length", caCert: "ca_cert", clientCert: "client_cert" };
const readableFields = Object.keys(readable) as (keyof typeof readable)[];

/** The fields that the server returns. */
const returnedIn = (data: Record<string, unknown>): Partial<StoredState> =>
  Object.fromEntries(readableFields.flatMap((field) => (readable[field] in data ? [[field, unblanked(data[readable[field]])]] : [])));

const blankIsNone: Comparison = { equal: (a, b) => unblanked(a) === unblanked(b) };

/** The address without its secrets: one that was written outside Pulumi may contain a password. */
const withoutCredentials = (address: unknown): string =>
  String(address)
    .replace(/^([a-z][a-z0-9+.-]*:[\\/]*)?.*@/is, "$1[secret]@")
    .replace(/\?.*$/s, "?[secret]");

async function read({ operation, state: previous, declared }: ReadRequest<StoredState>): Promise<StoredState | undefined> {
  const { mount } = previous;
  const data = await readData(operation, path(mount), { mount, mayBeMissing: declared.length === 0 });
  if (data && typeof data.address !== "string") throw invalidResponse(operation, path(mount));
  if (!data || (isLeftover(operation, data) && declared.includes("address"))) return undefined;
  const address = data.address === previous.address ? previous.address : withoutCredentials(data.address);
  return { ...previous, ...returnedIn(data), address };
}

type Update = UpdateRequest<Inputs, StoredState>;

/**
 * An undeclared field keeps its value, except address and token: if they are blank, the server uses its own environment. Vault resets an omitted
 * maximum length, so that of the last refresh is sent. It keeps an omitted certificate or key.
 */
async function write(operation: Writer, inputs: Inputs, before?: Update): Promise<StoredState> {
  const { maxTokenNameLength = 0, mount = "" } = { ...before?.state, ...inputs };
  const { address = "", token, clientKey } = inputs;
  // A create blanks what was there. An update blanks only what the program declared before: the rest may be another client's, and a key cannot be read.
  const isForeign = (field: "caCert" | "clientCert"): boolean => before !== undefined && before.last[field] === before.state[field];
  const blankCa = isForeign("caCert") ? undefined : "";
  const blankPair = isForeign("clientCert") && before?.last.clientKey === undefined ? undefined : "";
  const body = {
    address,
    token: token?.value() ?? "",
    max_token_name_length: maxTokenNameLength,
    ca_cert: inputs.caCert ?? blankCa,
    client_cert: inputs.clientCert ?? blankPair,
    client_key: clientKey?.value() ?? blankPair,
  };
  const shows = (data: Record<string, unknown>): boolean => {
    const read = { ...returnedIn(data), address: data.address };
    const written = readableFields.filter((field) => field in read && (field === "address" || inputs[field] !== undefined));
    return differencesOf(schedulerAccess.fields, written, read, { ...inputs, address }).length === 0;
  };
  await writeData(operation, { path: path(mount), body, mount, hasSecrets: Boolean(token || clientKey) }, shows);
  return { ...before?.state, ...inputs, mount, address, maxTokenNameLength: unblanked(maxTokenNameLength) };
}

/** A create overwrites the whole configuration: undeclared fields become blank. */
async function find({ operation, inputs, claims }: FindRequest<Inputs> & Claiming): Promise<ExistingObject<StoredState> | undefined> {
  const { mount = "", adopt } = inputs;
  const data = await readData(operation, path(mount), { mount, anyNotFound: adopt === true, mayBeMissing: true });
  if (!data) return undefined;
  // Another client may have written a token without an address.
  if (isLeftover(operation, data))
    return claims.isRemoved(path(mount)) ? undefined : { unreadable: ["token", "clientKey"], differences: [] };
  const address = withoutCredentials(data.address);
  const found = { ...returnedIn(data), ...("address" in data && { address: unblanked(address) }) };
  const shownAddress = operation.secrets.fields.includes("address") ? "[secret]" : address;
  return {
    refusal: {
      reason: `the secrets engine is already configured for ${address ? shownAddress : "the address in its environment"}`,
      remedy: `set adopt: true to overwrite that configuration. Its token cannot be read or restored. ${replaceHint}`,
    },
    differences: differencesOf(schedulerAccess.fields, Object.keys(found), found, inputs),
    unreadable: [...readableFields.filter((field) => !(field in found)), "token", "clientKey"],
  };
}

function update(request: Update): Promise<StoredState> {
  const { operation, inputs, state, declared } = request;
  const joining = readableFields.filter((field) => !declared.includes(field));
  request.adopt({ differences: differencesOf(schedulerAccess.fields, joining, state, { ...state, ...inputs }) });
  return write(operation, inputs, request);
}

/** Leaves no management token on the server. */
async function clear({ mount }: StoredState, claim: Claim): Promise<void> {
  const { operation } = claim;
  if (dialectOf(operation).deletesAccess) return remove(claim);
  await write(operation, { mount, address: "" }).catch((error) =>
    settleRemoval(operation, error, async (reading) =>
      isLeftover(operation, (await readData(operation, path(mount), { mount, ...reading })) ?? { address: "" }),
    ),
  );
}

const tokenMissing: CheckFailure = {
  path: "token",
  rule: "missing",
  reason:
    "is missing; a first write without a token bootstraps Nomad's ACL system, and the engine keeps the only management token until an operator resets the bootstrap on Nomad's leader",
};

/**
 * The connection from the Nomad secrets engine to Nomad.
 *
 * Each engine has one configuration. If it already exists, creating the resource fails with `ERR_ALREADY_EXISTS` unless you set `adopt`.
 * Deleting the resource deletes the configuration, and the management token with it. Pass `token` and `clientKey` as references or as
 * Pulumi secrets.
 *
 * @example An address and a management token
 * ```ts
 * new secrets.SchedulerAccess("access", {
 *   address: "https://nomad.example.com:4646",
 *   token: { env: "NOMAD_MANAGEMENT_TOKEN" },
 * });
 * ```
 * @example Mutual TLS
 * ```ts
 * new secrets.SchedulerAccess("access", {
 *   address: "https://nomad.example.com:4646",
 *   token: { env: "NOMAD_MANAGEMENT_TOKEN" },
 *   caCert: fs.readFileSync("nomad-ca.pem", "utf8"),
 *   clientCert: fs.readFileSync("vault.pem", "utf8"),
 *   clientKey: { file: "/run/secrets/vault-key.pem" },
 *   maxTokenNameLength: 128,
 *   adopt: true,
 * });
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @unreadable `token` and `clientKey`.
 */
export const schedulerAccess: Definition<WithSecrets<SchedulerAccessInputs, "token" | "clientKey">, SchedulerAccessState, StoredState> = {
  system,
  token: "secrets:SchedulerAccess",
  displayName: "<engine> access configuration",
  name: "<mount>",
  id: "<mount>/config/access",
  readById: true,
  fields: {
    address: { input: url, output: true },
    token: { input: managementToken, compare: trimmed, stored: true, secret: true, writeOnly: true },
    maxTokenNameLength: { input: z.int("must be a whole number").min(0, "must not be negative"), output: true, compare: blankIsNone },
    caCert: { input: certificate, stored: true, compare: pem },
    clientCert: { input: certificate, stored: true, compare: pem },
    clientKey: { input: privateKey, stored: true, compare: pem, secret: true, writeOnly: true },
    // Not deleted before it is replaced: the engine at the old mount must still revoke the tokens that are replaced with it.
    // A deleteBeforeReplace of the class, for `--replace`, would apply to a new mount as well.
    ...mountedFields,
  },
  rules: [
    { fields: ["token"], check: ({ token }, operation) => (token === undefined && dialectOf(operation).bootstraps ? [tokenMissing] : []) },
    {
      fields: ["clientCert", "clientKey"],
      check: ({ clientCert, clientKey }) => {
        if (clientCert && !clientKey)
          return [{ path: "clientKey", rule: "needed-with-certificate", reason: "is required with clientCert" }];
        return clientKey && !clientCert ? [{ path: "clientCert", rule: "needed-with-key", reason: "is required with clientKey" }] : [];
      },
    },
    { fields: ["caCert"], check: ({ caCert }) => certificateWarnings("caCert", caCert) },
    { fields: ["clientCert"], check: ({ clientCert }) => certificateWarnings("clientCert", clientCert) },
  ],
  objects: {
    fields: ["mount"],
    paths: ({ mount }) => [path(mount as string)],
    remove: ({ state }, claims) => claims.each(path(state.mount), (claim) => clear(state, claim)),
  },
  read,
  find,
  create: ({ operation, inputs }) => write(operation, inputs),
  update,
  discover: (request) =>
    atEachMount(request, "config/access", async (mount) => {
      const { operation } = request;
      const state = await read({ operation, state: { mount } as StoredState, declared: [] });
      if (!state || isLeftover(operation, { ...state })) return [];
      const unreadable = {
        token: variableFor(mount, "managementToken"),
        ...(state.clientCert && { clientKey: variableFor(mount, "clientKey") }),
      };
      return [{ state, isRead: true, suggestedName: `${mount}-access`, unreadable }];
    }),
};
