import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, sourcesOf } from "../../../provider/connection";
import { StewardError } from "../../../provider/contract/errors";
import { Operation, System } from "../../../provider/contract/operation";
import { definitions } from "../../../provider/registry/resources";
import { foreign } from "../../../tools/environment";
import { temporaryFolder } from "../../support/cleanup";
import { systems } from "../../support/connection";
import { printed } from "../../support/printed";
import { expectRefused, failure, invalidInputs, refusal } from "../../support/refusal";

const folder = temporaryFolder();
/** Writes a file, and returns its path. */
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const from = (
  config: Record<string, unknown>,
  environment: NodeJS.ProcessEnv = {},
  name = "default",
  system: keyof typeof systems = "secrets",
): Operation<{ namespace?: string }> =>
  connect(systems[system] as System<{ namespace?: string }>, name, {
    ...sourcesOf((key) => (typeof config[key] === "object" ? JSON.stringify(config[key]) : (config[key] as string | undefined))),
    environment: { HOME: "/nonexistent", ...environment },
  });
const secrets = (settings: object): Record<string, unknown> => ({ "steward:default": { secrets: { dialect: "standard", ...settings } } });

type Connection = Parameters<typeof from>;
const tokenFrom = (...connection: Connection): string | undefined => from(...connection).server.credentials.token();
const asked = async (...connection: Connection): Promise<unknown> => tokenFrom(...connection);
/** The error of a connection or of its token. No part of it contains a canary. */
const refused = (...connection: Connection): Promise<StewardError> => failure(asked(...connection));
/** The error for an invalid input, `<path>: <rule>`, or for an invalid value, `<rule>`. */
const errorOf = (problem: string): Error =>
  problem.includes(":") ? invalidInputs(problem) : refusal("ERR_INVALID_INPUT", { rule: problem });

describe("the configuration", () => {
  test("names the server, its dialect and its defaults", () => {
    const operation = from(
      secrets({ address: "https://host:8200/base/", token: "t", dialect: "hashicorp", mount: "team/nomad", namespace: "a/b" }),
    );
    expect(operation.server).toMatchObject({
      address: "https://host:8200/base",
      id: "https://host:8200/base?namespace=a%2Fb",
      dialect: "hashicorp",
      mount: "team/nomad",
      allowAddressChange: false,
    });
    expect(operation.server.credentials.token()).toBe("t");
    expect(from(secrets({ address: "HTTP://Host:80" })).server).toMatchObject({ id: "http://host", dialect: "standard" });
  });

  test("has other settings for each connection and system of a run", () => {
    const at = (host: string): object => ({ address: `http://${host}`, dialect: "standard" });
    const config: Record<string, object> = {
      "steward:default": { secrets: at("a"), platform: at("b") },
      "steward:other": { secrets: at("c"), platform: at("d") },
    };
    const run = sourcesOf((key) => JSON.stringify(config[key]));
    const addresses = (["secrets", "platform"] as const).flatMap((system) =>
      ["default", "other"].map((name) => connect(systems[system] as System, name, run).server.address),
    );
    expect(addresses).toEqual(["http://a", "http://c", "http://b", "http://d"]);
  });

  test("reads tokenEnv and tokenFile when a request needs them, not before", async () => {
    const path = join(folder, "token");
    const byFile = secrets({ address: "http://host", tokenFile: path });
    expect(from(byFile).server.address).toBe("http://host");
    await expectRefused(asked(byFile), errorOf("unreadable-file"), path, "ENOENT", "tokenFile", "Set it to the path of a readable file.");
    file("token", "from-file\n");
    expect(tokenFrom(byFile)).toBe("from-file");
    const byVariable = secrets({ address: "http://host", tokenEnv: "MY_TOKEN" });
    expect(from(byVariable).server.address).toBe("http://host");
    await expectRefused(asked(byVariable), errorOf("variable-unset"), "tokenEnv", "secrets", '"default"', "MY_TOKEN");
    expect(tokenFrom(byVariable, { MY_TOKEN: "v" })).toBe("v");
  });

  test("trims a token and rejects characters that no header can hold", async () => {
    const byVariable = secrets({ address: "http://host", tokenEnv: "T" });
    expect(tokenFrom(byVariable, { T: "hvs.abc\n" })).toBe("hvs.abc");
    for (const T of ["canary canary", "canary\ncanary", "canaryé"])
      expect(await refused(byVariable, { T })).toEqual(errorOf("token-characters"));
    await refused(secrets({ address: "http://host", tokenFile: "hvs.canary" }));
  });

  test.each(["hvs.CAESIcanary", "s.canary", "b1c2canary-77ab", "0123canary4567", "CANARY7X2K9Q4M8P1Z", "canary"])(
    "does not print a tokenEnv that contains the token itself: %s",
    async (token) => {
      const error = await refused(secrets({ address: "http://host", tokenEnv: token }));
      expect(error).toEqual(errorOf("variable-unset"));
      expect(error.message).not.toContain(token);
    },
  );

  test.each(["team/a/", "/team/a", "//team/a//"])("normalizes the namespace %s", (namespace) => {
    const plain = from(secrets({ address: "http://host", namespace: "team/a" }));
    const {
      server: { id: server, namespace: sent },
    } = from(secrets({ address: "http://host", namespace }));
    expect([server, sent]).toEqual([plain.server.id, plain.server.namespace]);
    const environment = { VAULT_ADDR: "http://host", VAULT_NAMESPACE: namespace };
    expect(from({}, environment).server.id).toBe(plain.server.id);
  });

  test("reads a namespace of slashes as the root namespace", () => {
    expect(from(secrets({ address: "http://host", namespace: "/" })).server).toMatchObject({ id: "http://host", namespace: "" });
  });

  test("reads PEM from a string or from a file", () => {
    const text = "-----BEGIN CERTIFICATE-----text";
    for (const caCert of [text, file("ca.pem", text)])
      expect(from(secrets({ address: "http://host", caCert })).server.credentials.caCert).toBe(text);
  });

  const known = '"tokn" is not a known property; expected one of address, token, ';
  test.each<[settings: object, problem: string, part?: string, system?: keyof typeof systems]>([
    [{ tokn: "x" }, "secrets: unrecognized-keys", known],
    [{ address: undefined }, "secrets.address: missing"],
    [{ token: "a", tokenEnv: "b" }, "secrets: one-token"],
    [{ clientCert: "-----BEGIN" }, "secrets: certificate-and-key"],
    [{ mount: "../sys" }, "secrets.mount: mount"],
    [{ mount: "half\ud83d" }, "secrets.mount: surrogate"],
    [{ namespace: "a\nb" }, "secrets.namespace: invalid-format"],
    [{ caCert: "/none" }, "unreadable-file", "Set it to a PEM string or the path of a readable file."],
    [{ clientCert: "-----BEGIN", clientKey: "canary" }, "unreadable-file", "clientKey"],
    [{ address: "host:8200" }, "url"],
    [{ address: "ftp://host" }, "url"],
    [{ address: "http://user:canary@host" }, "url"],
    [{ address: "http://host?token=canary" }, "url"],
    [{ address: "http://host/v1" }, "api-path"],
    [{ address: "http://host/api/v2/" }, "api-path", "", "platform"],
    [{ address: "http://host/base/api" }, "api-path", "", "platform"],
    // They would have no effect.
    [{ region: "a" }, "secrets: unrecognized-keys"],
    [{ namespace: "a" }, "platform: unrecognized-keys", "", "platform"],
    [{ mount: "a" }, "platform: unrecognized-keys", "", "platform"],
    [{ mount: "a" }, "scheduler: unrecognized-keys", "", "scheduler"],
    [{ dialect: "openbao" }, "platform.dialect: invalid-value", "", "platform"],
    [{ dialect: "openbao" }, "scheduler.dialect: invalid-value", "", "scheduler"],
    [{ dialect: "openbaoo" }, "secrets.dialect: invalid-value"],
    [{ dialect: "OpenBao" }, "secrets.dialect: invalid-value"],
    [{ dialect: undefined }, "secrets.dialect: missing", "is missing; must be standard or hashicorp or openbao"],
    [{ dialect: undefined }, "platform.dialect: missing", "must be standard or hashicorp", "platform"],
    [{ dialect: undefined }, "scheduler.dialect: missing", "must be standard or hashicorp", "scheduler"],
  ])("rejects %p", async (settings, problem, part = "", system = "secrets") => {
    const config = { "steward:default": { [system]: { address: "http://host", dialect: "standard", ...settings } } };
    await expectRefused(asked(config, {}, "default", system), errorOf(problem), part);
  });

  test("reads one system although another has an unpaired surrogate", () => {
    const config = {
      "steward:default": {
        secrets: { address: "http://host", dialect: "standard" },
        platform: { address: "http://half\ud83d", dialect: "standard" },
      },
    };
    expect(from(config).server.address).toBe("http://host");
    expect(() => from(config, {}, "default", "platform")).toThrow(invalidInputs("platform.address: surrogate"));
  });

  test("rejects a value that is not an object", async () =>
    expect(await refused({ "steward:default": "http://host" })).toEqual(errorOf("no-object")));

  test("rejects an unknown connection instead of using the default", async () => {
    const refused = asked(secrets({ address: "http://host" }), { SECRETS_ADDR: "http://environment" }, "other");
    await expectRefused(refused, refusal("ERR_NO_CONNECTION"), '"other"', "steward:other.secrets.address");
  });
});

describe("the environment", () => {
  const rows = Object.values(systems).flatMap(({ name, variables }) => variables.map((row) => ({ system: name, ...row })));
  test.each(rows)("with $address alone selects the dialect $dialect", ({ system, address, prefix, dialect }) => {
    const { server } = from({}, { [address]: "http://host", [`${prefix}_TOKEN`]: "t" }, "default", system);
    expect([server.address, server.credentials.token(), server.dialect]).toEqual(["http://host", "t", dialect]);
  });

  test("never sends a token to an address from another source", () => {
    file(".vault-token", "file-token");
    const HOME = folder;
    expect(tokenFrom(secrets({ address: "http://host" }), { HOME, VAULT_TOKEN: "vt", SECRETS_TOKEN: "st" })).toBeUndefined();
    expect(tokenFrom({}, { HOME, VAULT_TOKEN: "vt", SECRETS_ADDR: "http://s" })).toBeUndefined();
    expect(tokenFrom({}, { HOME, SECRETS_TOKEN: "st", VAULT_ADDR: "http://v" })).toBe("file-token");
    // OpenBao's command line writes to Vault's token file. With both addresses, the owner of the token is unknown.
    const { token, missingToken } = from({}, { HOME, BAO_ADDR: "http://b", VAULT_ADDR: "http://v" }).server.credentials;
    expect([token(), missingToken]).toEqual([undefined, expect.stringContaining("BAO_TOKEN")]);
    expect(tokenFrom({}, { HOME, BAO_ADDR: "http://b", VAULT_ADDR: "http://b" })).toBe("file-token");
    expect(tokenFrom({}, { HOME, BAO_ADDR: "http://b", VAULT_TOKEN: "vt" })).toBe("file-token");
  });

  test("follows a login, another one and a logout in the middle of a run", () => {
    const run = { ...sourcesOf(() => undefined), environment: { HOME: folder, VAULT_ADDR: "http://v" } };
    const token = (): string | undefined => connect(systems.secrets as System, "default", run).server.credentials.token();
    const path = join(folder, ".vault-token");
    rmSync(path, { force: true });
    expect(token()).toBeUndefined();
    for (const each of ["first", "second"]) {
      file(".vault-token", each);
      expect(token()).toBe(each);
    }
    rmSync(path);
    expect(token()).toBeUndefined();
  });

  test.each<[environment: object, problem: string, ...parts: string[]]>([
    [{ VAULT_NAMESPACE: "canaryé" }, "VAULT_NAMESPACE: invalid-format"],
    [{ VAULT_CLIENT_CERT: "-----BEGIN" }, ": certificate-and-key", "VAULT_CLIENT_CERT", "VAULT_CLIENT_KEY"],
    [{ VAULT_ADDR: "canary:8200" }, "url", "VAULT_ADDR"],
    [{ VAULT_ADDR: "http://v/v1" }, "api-path", "VAULT_ADDR"],
    [{ VAULT_TOKEN: "canary canary" }, "token-characters", "VAULT_TOKEN"],
    [{ VAULT_CACERT: "/none" }, "unreadable-file", "VAULT_CACERT", "/none", "ENOENT"],
    [{ HOME: folder }, "token-characters", join(folder, ".vault-token")],
  ])("is checked like the configuration, with an error that names the variable or the file: %p", async (environment, problem, ...parts) => {
    file(".vault-token", "canary canary");
    await expectRefused(asked({}, { VAULT_ADDR: "http://v", ...environment }), errorOf(problem), ...parts);
  });

  test.each([
    // The environment, then the address, token, dialect and namespace in use, and the unused variables. These differ in each row, since a process
    // prints a warning once.
    [{ BAO_ADDR: "http://b", BAO_TOKEN: "bt", BAO_NAMESPACE: "ns" }, ["http://b", "bt", "openbao", "ns"], []],
    [{ VAULT_ADDR: "http://v", VAULT_TOKEN: "vt" }, ["http://v", "vt", "hashicorp", undefined], []],
    [
      { BAO_ADDR: "http://b", BAO_TOKEN: "bt", VAULT_ADDR: "http://v", VAULT_TOKEN: "vt" },
      ["http://b", "bt", "openbao", undefined],
      ["VAULT_ADDR", "VAULT_TOKEN"],
    ],
    [{ BAO_ADDR: "http://b", BAO_TOKEN: "bt", VAULT_ADDR: "http://b", VAULT_TOKEN: "bt" }, ["http://b", "bt", "openbao", undefined], []],
    [{ SECRETS_ADDR: "http://s", SECRETS_TOKEN: "st", BAO_ADDR: "http://b" }, ["http://s", "st", "standard", undefined], ["BAO_ADDR"]],
    // OpenBao's own command line would mix these.
    [
      { BAO_ADDR: "http://b", VAULT_TOKEN: "vt", VAULT_CACERT: "/ca.pem" },
      ["http://b", undefined, "openbao", undefined],
      ["VAULT_TOKEN", "VAULT_CACERT"],
    ],
    [{ BAO_ADDR: "http://b", BAO_TOKEN: "bt", VAULT_NAMESPACE: "ns" }, ["http://b", "bt", "openbao", undefined], ["VAULT_NAMESPACE"]],
    [{ VAULT_ADDR: "http://v", BAO_TOKEN: "bt" }, ["http://v", undefined, "hashicorp", undefined], ["BAO_TOKEN"]],
    [
      { BAO_ADDRESS: "http://b", BAO_TOKEN: "bt", BAO_NAMESPACE: "ns", VAULT_ADDR: "http://v", VAULT_TOKEN: "vt" },
      ["http://v", "vt", "hashicorp", undefined],
      ["BAO_TOKEN", "BAO_NAMESPACE"],
    ],
    [{ BAO_ADDR: "", BAO_TOKEN: "", VAULT_ADDR: "http://v", VAULT_TOKEN: "vt" }, ["http://v", "vt", "hashicorp", undefined], []],
  ])("provides the settings of one product only, and warns once of unused variables: %p", (environment, used, unused) => {
    for (const _ of [1, 2]) {
      const { address, dialect, namespace, credentials } = from({}, environment).server;
      expect([address, credentials.token(), dialect, namespace]).toEqual(used);
    }
    expect(printed).toEqual(unused.length > 0 ? [expect.stringMatching(/^warning: [^.]+\.$/)] : []);
    for (const variable of unused) expect(printed[0]).toContain(variable);
    for (const value of ["bt", "vt", "http"]) expect(printed.join()).not.toContain(value);
  });

  test("TFE_HOSTNAME is the server if no address is set", async () => {
    const of = (environment: object): unknown =>
      from({}, { TFE_HOSTNAME: "tfe.example.com", ...environment }, "default", "platform").server;
    expect(of({ TFE_TOKEN: "t" })).toMatchObject({ address: "https://tfe.example.com", dialect: "hashicorp" });
    expect(of({ TFE_HOSTNAME: "https://tfe.example.com" })).toMatchObject({ address: "https://tfe.example.com" });
    expect(of({ TFE_ADDRESS: "http://tfe" })).toMatchObject({ address: "http://tfe" });
    expect(of({ PLATFORM_ADDR: "http://platform" })).toMatchObject({ address: "http://platform", dialect: "standard" });
    expect(printed).toEqual([expect.stringContaining("TFE_HOSTNAME is set but not used")]);
    expect(await refused({}, { TFE_HOSTNAME: "user@tfe" }, "default", "platform")).toEqual(errorOf("url"));
  });

  test("causes no warning if the configuration names the server", () => {
    from(secrets({ address: "http://c" }), { BAO_ADDR: "http://b", VAULT_TOKEN: "vt" });
    expect(printed).toEqual([]);
  });

  test("tests and demonstrations inherit no variable of any product", () => {
    for (const { variables } of Object.values(systems))
      for (const { address, prefix } of variables) for (const name of [address, `${prefix}_TOKEN`]) expect(name).toMatch(foreign);
    expect("BAO_CLIENT_KEY").toMatch(foreign);
  });

  test("a missing address is an error that names the configuration and the variables", async () => {
    const names = ["steward:default.secrets.address", "SECRETS_ADDR", "BAO_ADDR", "VAULT_ADDR"];
    await expectRefused(asked({}), refusal("ERR_NO_CONNECTION"), ...names);
  });
});

test.each(definitions)("the token of $token begins with the name of its system", ({ token, system }) =>
  expect(token.split(":")[0]).toBe(system.name),
);
