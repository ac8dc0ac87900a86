import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, connect, System } from "../../provider/connection";
import { definitions } from "../../provider/definitions";
import { connectTo, systems } from "../support/connection";
import { noEngine } from "../support/engine";

const from = (
  config: Record<string, unknown>,
  environment: NodeJS.ProcessEnv = {},
  name = "default",
  system: keyof typeof systems = "secrets",
): Connection & { namespace?: string } =>
  connect(systems[system] as System<{ namespace?: string }>, name, {
    config: (key) =>
      key in config ? (typeof config[key] === "string" ? (config[key] as string) : JSON.stringify(config[key])) : undefined,
    environment: { HOME: "/nonexistent", ...environment },
    cache: new Map(),
    engine: noEngine,
    say: () => {},
  });
const secrets = (settings: object): Record<string, unknown> => ({ "steward:default": { secrets: settings } });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steward-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the configuration", () => {
  test("names the server, its dialect and its defaults", () => {
    const connection = from(
      secrets({ address: "https://host:8200/base/", token: "t", dialect: "hashicorp", mount: "team/nomad", namespace: "a/b" }),
    );
    expect(connection).toMatchObject({
      address: "https://host:8200/base",
      server: "https://host:8200/base?namespace=a%2Fb",
      dialect: "hashicorp",
      mount: "team/nomad",
      allowAddressChange: false,
    });
    expect(connection.token()).toBe("t");
    expect(from(secrets({ address: "HTTP://Host:80" }))).toMatchObject({ server: "http://host", dialect: "standard" });
  });

  test("reads tokenEnv and tokenFile when a request needs them, not before", () => {
    const environment: NodeJS.ProcessEnv = {};
    const byVariable = from(secrets({ address: "http://host", tokenEnv: "MY_TOKEN" }), environment);
    const path = join(folder, "token");
    const byFile = from(secrets({ address: "http://host", tokenFile: path }));
    expect(() => byFile.token()).toThrow(`cannot be read from ${path} (ENOENT)`);
    writeFileSync(path, "from-file\n");
    expect(byFile.token()).toBe("from-file");
    expect(() => byVariable.token()).toThrow(
      'The tokenEnv of secrets in the connection "default" names the variable MY_TOKEN, which is not set. Set it',
    );
    expect(from(secrets({ address: "http://host", tokenEnv: "MY_TOKEN" }), { MY_TOKEN: "v" }).token()).toBe("v");
  });

  test("trims a token and rejects characters that no header can hold", () => {
    const token = (value: string): string | undefined => from(secrets({ address: "http://host", tokenEnv: "T" }), { T: value }).token();
    expect(token("hvs.abc\n")).toBe("hvs.abc");
    for (const value of ["canary canary", "canary\ncanary", "canaryé"]) {
      expect(() => token(value)).toThrow('The token of secrets in the connection "default" holds characters that no token has.');
      expect(() => token(value)).not.toThrow("canary");
    }
    expect(() => from(secrets({ address: "http://host", tokenFile: "hvs.canary" })).token()).not.toThrow("canary");
  });

  test.each(["hvs.CAESIcanary", "s.canary", "b1c2canary-77ab", "0123canary4567", "CANARY7X2K9Q4M8P1Z", "canary"])(
    "does not print a tokenEnv that holds the token itself: %s",
    (token) => {
      const connection = from(secrets({ address: "http://host", tokenEnv: token }));
      expect(() => connection.token()).toThrow('The tokenEnv of secrets in the connection "default" names a variable that is not set.');
      expect(() => connection.token()).not.toThrow(token);
    },
  );

  test.each(["team/a/", "/team/a", "//team/a//"])("normalizes the namespace %s", (namespace) => {
    const plain = from(secrets({ address: "http://host", namespace: "team/a" }));
    const { server, namespace: sent } = from(secrets({ address: "http://host", namespace }));
    expect([server, sent]).toEqual([plain.server, plain.namespace]);
    const environment = { VAULT_ADDR: "http://host", VAULT_NAMESPACE: namespace };
    expect(from({}, environment).server).toBe(plain.server);
  });

  test("reads a namespace of slashes as the root namespace", () => {
    expect(from(secrets({ address: "http://host", namespace: "/" }))).toMatchObject({ server: "http://host", namespace: "" });
  });

  test("reads PEM from a string or from a file", () => {
    const path = join(folder, "ca.pem");
    writeFileSync(path, "-----BEGIN CERTIFICATE-----file");
    expect(from(secrets({ address: "http://host", caCert: path })).caCert).toBe("-----BEGIN CERTIFICATE-----file");
    expect(from(secrets({ address: "http://host", caCert: "-----BEGIN CERTIFICATE-----text" })).caCert).toBe(
      "-----BEGIN CERTIFICATE-----text",
    );
    expect(() => from(secrets({ address: "http://host", caCert: "/none" }))).toThrow("The caCert of secrets");
  });

  test.each([
    [{ address: "http://host", tokn: "x" }, 'secrets: "tokn" (did you mean token?) is not known here; known are address, token, tokenEnv'],
    [{}, "secrets.address: must be set"],
    [{ address: "http://host", token: "a", tokenEnv: "b" }, "takes one of token, tokenEnv and tokenFile"],
    [{ address: "http://host", clientCert: "-----BEGIN" }, "takes clientCert and clientKey together"],
    [{ address: "http://host", mount: "../sys" }, "secrets.mount: must be a path such as team/scheduler"],
    [{ address: "http://host", namespace: "a\nb" }, "secrets.namespace: must be a path such as team/a"],
    [{ address: "http://host", clientCert: "-----BEGIN", clientKey: "canary" }, "The clientKey of secrets"],
    [{ address: "host:8200" }, "not a plain http or https URL"],
    [{ address: "ftp://host" }, "not a plain http or https URL"],
    [{ address: "http://user:canary@host" }, "not a plain http or https URL"],
    [{ address: "http://host?token=canary" }, "not a plain http or https URL"],
  ])("rejects %p", (settings, reason) => {
    const call = (): Connection => from(secrets(settings));
    expect(call).toThrow(reason);
    expect(call).not.toThrow("canary");
  });

  test.each([
    ["secrets", "region"],
    ["platform", "namespace"],
    ["platform", "mount"],
    ["scheduler", "mount"],
  ] as const)("rejects %s.%s, which would have no effect", (system, setting) =>
    expect(() => from({ "steward:default": { [system]: { address: "http://host", [setting]: "a" } } }, {}, "default", system)).toThrow(
      `${system}: "${setting}" is not known here; known are address, `,
    ),
  );

  test("rejects a value that is not an object", () => expect(() => from({ "steward:default": "http://host" })).toThrow("is not an object"));

  test("rejects an unknown connection instead of using the default", () => {
    const config = secrets({ address: "http://host" });
    expect(() => from(config, { SECRETS_ADDR: "http://environment" }, "other")).toThrow(
      'No secrets server is configured under the connection "other". Set it in the stack\'s configuration (pulumi config set --plaintext --path',
    );
  });
});

describe("the environment", () => {
  test("is used if the configuration is empty, and selects the dialect", () => {
    const standard = from({}, { SECRETS_ADDR: "http://s", SECRETS_TOKEN: "st", VAULT_ADDR: "http://v", VAULT_TOKEN: "vt" });
    expect([standard.address, standard.token(), standard.dialect]).toEqual(["http://s", "st", "standard"]);
    const hashicorp = from({}, { VAULT_ADDR: "http://v", VAULT_TOKEN: "vt", VAULT_NAMESPACE: "ns" });
    expect([hashicorp.server, hashicorp.token(), hashicorp.dialect]).toEqual(["http://v?namespace=ns", "vt", "hashicorp"]);
  });

  const rows = Object.values(systems).flatMap(({ name, variables }) => variables.map((row) => ({ system: name, ...row })));
  test.each(rows)("with $address alone selects the dialect $dialect", ({ system, address, prefix, dialect }) => {
    const environment = { HOME: folder, [address]: "http://host", [`${prefix}_TOKEN`]: "t" };
    const connection = connectTo(system, {}, { config: () => undefined, environment });
    expect([connection.address, connection.token(), connection.dialect]).toEqual(["http://host", "t", dialect]);
  });

  test("never sends a token to an address from another source", () => {
    writeFileSync(join(folder, ".vault-token"), "file-token");
    const environment = { HOME: folder, VAULT_TOKEN: "vt", SECRETS_TOKEN: "st" };
    expect(from(secrets({ address: "http://host" }), environment).token()).toBeUndefined();
    expect(from({}, { ...environment, SECRETS_TOKEN: undefined, SECRETS_ADDR: "http://s" }).token()).toBeUndefined();
    expect(from({}, { HOME: folder, SECRETS_TOKEN: "st", VAULT_ADDR: "http://v" }).token()).toBe("file-token");
  });

  test.each([
    [{ VAULT_NAMESPACE: "canaré" }, "The environment is wrong, and nothing was sent: VAULT_NAMESPACE: must be a path such as team/a."],
    [{ VAULT_CLIENT_CERT: "-----BEGIN" }, "takes VAULT_CLIENT_CERT and VAULT_CLIENT_KEY together."],
    [{ VAULT_ADDR: "canary:8200" }, "The variable VAULT_ADDR is not a plain http or https URL. Write it"],
    [{ VAULT_ADDR: "http://v/v1" }, "The variable VAULT_ADDR names a path of the API. End it"],
    [{ VAULT_TOKEN: "canary canary" }, "The variable VAULT_TOKEN holds characters that no token has. Look"],
    [{ VAULT_CACERT: "/none" }, "The variable VAULT_CACERT cannot be read from /none (ENOENT). Give"],
  ])("is checked like the configuration, with an error that names the variable: %p", (environment, message) => {
    const call = (): unknown => from({}, { VAULT_ADDR: "http://v", ...environment }).token();
    expect(call).toThrow(message);
    expect(call).not.toThrow("canar");
  });

  test("a token file with invalid characters is named in the error", () => {
    writeFileSync(join(folder, ".vault-token"), "canary canary");
    expect(() => from({}, { HOME: folder, VAULT_ADDR: "http://v" }).token()).toThrow(
      `The file ${join(folder, ".vault-token")} holds characters that no token has.`,
    );
  });

  test("a missing address is an error that says what to set", () =>
    expect(() => from({})).toThrow(
      "No secrets server is configured under the connection \"default\". Set steward:default in the stack's configuration (pulumi config set --plaintext --path 'steward:default.secrets.address' https://...), or SECRETS_ADDR or VAULT_ADDR in the environment.",
    ));
});

test.each([
  ["secrets", "http://server/v1"],
  ["platform", "http://server/api/v2/"],
  ["platform", "http://server/base/api"],
] as const)("the address of %s must not contain the path of the API: %s", (system, address) => {
  expect(() => connectTo(system, { address })).toThrow("End it before /v1 or /api.");
});

test.each(definitions)("the token of $token begins with the name of its system", ({ token, system }) =>
  expect(token.split(":")[0]).toBe(system.name),
);
