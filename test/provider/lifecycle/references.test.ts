import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { unknown } from "../../../provider/contract/inputs";
import { Reading, readReference } from "../../../provider/contract/secret";
import { Sandbox } from "../../../sandbox/index";
import { certificate, privateKey } from "../../support/certificates";
import { temporaryFolder } from "../../support/cleanup";
import { configOf, contextOf } from "../../support/context";
import { Engine, NativeEngine } from "../../support/engine";
import { platform } from "../../support/platform";
import { printed } from "../../support/printed";
import { startSandbox } from "../../support/sandbox";
import { dialects } from "../../support/scope";

// Each secret input, by value and by reference.

type Properties = Record<string, unknown>;
type Dialect = "standard" | "hashicorp";

const address = "https://nomad.example.com:4646";
const withCertificate = { address, token: "management", clientCert: certificate };
const [first, second] = [1, 2].map((number) => `${privateKey.trim()}\ncanary-${number}`) as [string, string];
const [one, two] = ['{"private_key":"canary-a"}', '{"private_key":"canary-b"}'];
/** A secret, its values, and the other inputs. */
type Secret = [token: string, name: string, value: string, changed: string, inputs?: Properties];
const secrets: Secret[] = [
  ["secrets:SchedulerAccess", "token", "canary-token", "canary-other", { address }],
  ["secrets:SchedulerAccess", "clientKey", first, second, withCertificate],
  ["platform:SmtpSettings", "password", "canary-mail", "canary-post"],
  ["platform:SmsSettings", "authToken", "canary-sms", "canary-text"],
  ["platform:CostEstimationSettings", "cloudASecretKey", "canary-a", "canary-b"],
  ["platform:CostEstimationSettings", "cloudBCredentials", one, two],
  ["platform:CostEstimationSettings", "cloudCClientSecret", "canary-a", "canary-b"],
  ["platform:SamlSettings", "privateKey", "canary-key", "canary-lock"],
];

const folder = temporaryFolder();
let sandbox: Sandbox;
const sandboxes = new Map<Dialect, Sandbox>();
beforeAll(async () => {
  for (const dialect of ["standard", "hashicorp"] as const) sandboxes.set(dialect, await startSandbox({ dialect }));
});
afterEach(() => {
  delete process.env.STEWARD_TEST_SECRET;
});

const withValue = (inputs: Properties, name: string, value: unknown): Properties => ({ ...inputs, [name]: value });

/** Single sign-on has no secret in the standard dialect. */
const dialectsOf = (token: string): readonly Dialect[] => (token === "platform:SamlSettings" ? ["hashicorp"] : dialects);
const rows = secrets.flatMap(([token, name, value, changed, inputs = {}]) =>
  dialectsOf(token).flatMap((dialect) =>
    [Engine, NativeEngine].map((Mechanism) => ({ ...{ token, name, value, changed, inputs }, dialect, Mechanism, of: Mechanism.name })),
  ),
);

describe.each(rows)("$token $name, $dialect, $of", ({ token, name, value, changed, inputs, dialect, Mechanism }) => {
  const system = token.startsWith("platform:") ? "platform" : "secrets";
  /** The platform returns the secret. */
  const isReadable = token === "platform:CostEstimationSettings";
  let engine: Engine;
  const variable = { env: "STEWARD_TEST_SECRET" };
  const byVariable = withValue(inputs, name, variable);
  const byValue = withValue(inputs, name, value);
  const set = (text: string | undefined): void => {
    if (text === undefined) delete process.env.STEWARD_TEST_SECRET;
    else process.env.STEWARD_TEST_SECRET = text;
  };
  const writes = (): string[] =>
    sandbox
      .requests()
      .filter((request) => request.system === system && request.method !== "GET")
      .map(({ method }) => method);
  /** The number of writes of an operation. */
  const writesOf = async (operation: () => Promise<unknown>): Promise<number> => {
    const before = writes().length;
    await operation();
    return writes().length - before;
  };
  const expectNoValue = (): void => expect(JSON.stringify([engine.state, printed])).not.toContain("canary");

  /** Expects no drift, and no value in the state. */
  const expectSettled = async (): Promise<void> => {
    expect(await engine.refresh()).toEqual([]);
    expectNoValue();
  };
  /** Runs an up, and then changes the variable. */
  const upBefore = async (next: string | undefined): Promise<void> => {
    await engine.up(byVariable);
    set(next);
  };

  beforeEach(async () => {
    sandbox = sandboxes.get(dialect) as Sandbox;
    await sandbox.reset();
    engine = new Mechanism(token, configOf(contextOf(sandbox, dialect)));
    set(value);
  });

  test("a changed value is one change, and is sent once", async () => {
    await upBefore(changed);
    await engine.preview(byVariable);
    // With the native plugin, Pulumi shows which secret changes.
    const isShown = Mechanism === NativeEngine;
    expect(printed.filter((line) => line.endsWith(`: ${name}: [secret] -> [secret]`))).toHaveLength(isShown ? 0 : 1);
    expect(await writesOf(async () => expect(await engine.up(byVariable)).toBe("update"))).toBe(1);
    expect(await engine.up(byVariable)).toBe("same");
    await expectSettled();
  });

  test("a value becomes a reference, another reference, and a value again, without a request", async () => {
    await engine.up(byValue);
    expect(JSON.stringify(engine.state)).toContain("canary");
    expect(await writesOf(async () => expect(await engine.up(byVariable)).toBe("update"))).toBe(0);
    expectNoValue();
    const file = join(folder, "secret");
    writeFileSync(file, `${value}\n`);
    const byFile = withValue(inputs, name, { file });
    expect(await writesOf(async () => expect(await engine.up(byFile)).toBe("update"))).toBe(0);
    await expectSettled();
    expect(await engine.up(byFile)).toBe("same");
    expect(await writesOf(async () => expect(await engine.up(byValue)).toBe("update"))).toBe(0);
    expect(await engine.up(byValue)).toBe("same");
  });

  test.each(["\r\n", "\n\n", " "])("%j after it is dropped, or sent with one warning", async (blank) => {
    const isDropped = /token|clientKey|authToken|cloudBCredentials/.test(name);
    for (const inputsWithBlank of [withValue(inputs, name, `${value}${blank}`), byVariable]) {
      // One line break after the value of a variable is not a part of it.
      set(`${value}${inputsWithBlank === byVariable ? "\n" : ""}${blank}`);
      printed.length = 0;
      await engine.up(inputsWithBlank);
      expect(printed.filter((line) => line.includes(`${name}: begins or ends with whitespace`))).toHaveLength(isDropped ? 0 : 1);
      expect(await writesOf(() => engine.up(byValue))).toBe(isDropped ? 0 : 1);
    }
  });

  test.each([{ env: "A\ud800" }, { env: "" }, { variable: "A" }, { env: "A", file: "b" }])("check rejects %j", async (wrong) => {
    const reason = `${name}: must be a string, { env: "<variable>" } or { file: "<path>" }`;
    await expect(engine.preview(withValue(inputs, name, wrong))).rejects.toThrow(reason);
  });

  test("each preview has the fingerprint of the run, as an update plan requires", async () => {
    const fingerprintIn = async (): Promise<unknown> => (await engine.preview(byVariable)).inputs[name];
    expect(await fingerprintIn()).toEqual(await fingerprintIn());
  });

  test("a name that is known only after other resources are created passes the preview", async () => {
    const later = withValue(inputs, name, { file: unknown });
    expect((await engine.preview(later)).operation).toBe("create");
    await engine.up(byVariable);
    expect((await engine.preview(later)).operation).toBe("update");
    expectNoValue();
  });

  test("a reference that cannot be read is no change, and fails before a create sends anything", async () => {
    set(undefined);
    const path = name.replace(/\.(.*)/, '["$1"]');
    // Each variable causes one warning.
    const env = `${name}_${dialect}_${Mechanism.name}`.toUpperCase();
    await engine.preview(withValue(inputs, name, { env }));
    expect(printed.join()).toContain(`the variable ${env} is not set, so \`pulumi up\` fails to create the resource.`);
    await expect(engine.up(byVariable)).rejects.toThrow(`${path}: the variable STEWARD_TEST_SECRET is not set. Set it in the environment`);
    expect(writes()).toEqual([]);
    set(value);
    await upBefore(undefined);
    printed.length = 0;
    expect(await engine.up(byVariable)).toBe("same");
    expect(await engine.refresh()).toEqual([]);
    await engine.destroy();
  });

  if (isReadable)
    test("a change on the server is drift, which up repairs", async () => {
      await engine.up(byVariable);
      await platform(dialect, sandbox).change("cost-estimation", { [name]: changed });
      expect(await engine.refresh()).toEqual([name]);
      expectNoValue();
      expect(await writesOf(async () => expect(await engine.up(byVariable)).toBe("update"))).toBe(1);
      await expectSettled();
    });

  if (isReadable)
    test("an equal value that the platform had before is neither in the state nor lost", async () => {
      await engine.up({ ...byValue, onDelete: "retain" });
      await engine.destroy();
      await engine.up(byVariable);
      expectNoValue();
      const before = writes().length;
      await engine.destroy();
      expect(writes().length).toBe(before);
      expect(printed.filter((line) => line.includes("cannot be restored"))).toEqual([]);
    });

  if (system === "platform")
    test("the original value is restored when the attribute leaves the program", async () => {
      await engine.up(byVariable);
      expect(await writesOf(async () => expect(await engine.up(inputs)).toBe("update"))).toBe(isReadable ? 1 : 0);
      expectNoValue();
      await expectSettled();
    });

  if (system === "platform")
    test("a forced replacement that cannot read it restores the settings and fails, and the next up completes it", async () => {
      await upBefore(undefined);
      await expect(engine.replace(byVariable)).rejects.toThrow("the variable STEWARD_TEST_SECRET is not set");
      expectNoValue();
      set(value);
      expect(await engine.up(byVariable)).toBe("replace");
      expect(await engine.refresh()).toEqual([]);
    });

  if (system === "secrets")
    test("a replacement that cannot read it fails before the old object is deleted", async () => {
      await upBefore(undefined);
      await expect(engine.up({ ...byVariable, mount: "other" })).rejects.toThrow("the variable STEWARD_TEST_SECRET is not set");
      expect(writes()).toHaveLength(1);
    });

  if (system === "secrets")
    test("a write needs the secret, even an unchanged one, and fails before it is sent", async () => {
      await upBefore(undefined);
      const moved = { ...byVariable, address: "https://other.example.com:4646" };
      const failing = (): Promise<unknown> =>
        engine
          .up(moved)
          .then(Promise.reject, (error: Error) => expect(error.message).toContain("the variable STEWARD_TEST_SECRET is not set"));
      expect(await writesOf(failing)).toBe(0);
      set(value);
      expect(await writesOf(() => engine.up(moved))).toBe(1);
      await expectSettled();
    });

  test("a lost write, and the refresh after it, leave no value in the state", async () => {
    await upBefore(changed);
    const method = system === "platform" ? "PATCH" : "POST";
    sandbox.faults.add({ system, method, path: /./, action: "drop-after", times: 100 });
    sandbox.faults.add({ system, method: "GET", path: /./, action: "respond", status: 503, times: 100 });
    await expect(engine.up(byVariable)).rejects.toThrow("Cannot update");
    expectNoValue();
    sandbox.faults.clear();
    await engine.refresh();
    expectNoValue();
    expect(await engine.up(byVariable)).toBe("update");
    await expectSettled();
  });

  test("an error of a refresh or a destroy redacts the value that the server repeats", async () => {
    await engine.up(byVariable);
    const body = JSON.stringify({ errors: [`rejected ${value}`] });
    sandbox.faults.add({ system, path: /./, action: "respond", status: 422, body, times: 100 });
    for (const operation of [() => engine.refresh(), () => engine.destroy()])
      await operation().then(
        () => undefined,
        (error: Error) => expect(error.message).not.toContain("canary"),
      );
    sandbox.faults.clear();
  });

  if (system === "platform")
    test("another attribute changes although the reference cannot be read, and the secret is not sent", async () => {
      await upBefore(undefined);
      const other = {
        SmtpSettings: { host: "mail.example.com" },
        SmsSettings: { accountSid: "AC1" },
        CostEstimationSettings: { cloudAAccessKeyId: "id" },
        SamlSettings: { debug: true },
      };
      const more = other[token.split(":")[1] as keyof typeof other];
      expect(await writesOf(async () => expect(await engine.up({ ...byVariable, ...more })).toBe("update"))).toBe(1);
      set(value);
      expect(await engine.up({ ...byVariable, ...more })).toBe("same");
      await expectSettled();
    });

  test("ignoreChanges keeps the value on the server", async () => {
    await upBefore(changed);
    // The engine passes the input of the last run, with its fingerprint.
    const frozen = { ...byVariable, [name]: engine.state?.inputs[name] };
    expect(await writesOf(async () => expect(await engine.up(frozen)).toBe("same"))).toBe(0);
    if (system === "secrets") {
      const moved = engine.up({ ...frozen, address: "https://other.example.com:4646" });
      await expect(moved).rejects.toThrow("differs from the value on the server");
    }
    expect(writes()).toHaveLength(1);
    expectNoValue();
  });
});

describe("a secret from a file or a variable", () => {
  const file = join(folder, "secret");
  const read = (content: Buffer | string): Reading => {
    writeFileSync(file, content);
    return readReference({ file });
  };

  test("loses one newline at its end", () => {
    expect([read("a\n"), read("a\r\n"), read("a\n\n")]).toEqual([{ value: "a" }, { value: "a" }, { value: "a\n" }]);
    process.env.STEWARD_TEST_SECRET = "a\n";
    expect(readReference({ env: "STEWARD_TEST_SECRET" })).toEqual({ value: "a" });
  });

  test.each([
    ["UTF-16", Buffer.from("\uFEFFsecret", "utf16le")],
    ["UTF-16 without a byte order mark", Buffer.from("secret", "utf16le")],
    ["a byte order mark", "\uFEFFsecret"],
    ["Latin-1", Buffer.from("s\u00E9cret", "latin1")],
  ])("must be UTF-8: %s", (_, content) => expect(read(content)).toEqual({ problem: "is not UTF-8 text without a byte order mark" }));
});
