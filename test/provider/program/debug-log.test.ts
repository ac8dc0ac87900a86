import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../support/cleanup";

type Package = typeof import("../../../provider");
type Message = { toString(): string } & Record<string, ((value: unknown) => void) | undefined>;

const sdk = dirname(require.resolve("@pulumi/pulumi/package.json"));
const urn = "urn:pulumi:dev::story::type::name";
const canary = "canary-in-a-response";
const fields = {
  RegisterResourceResponse: "setObject",
  ReadResourceResponse: "setProperties",
  InvokeResponse: "setReturn",
  CallResponse: "setReturn",
};

/** The debug log of each response that contains a secret. */
function shown(folder: string): Record<string, string> {
  const messages = { ...require(join(folder, "proto/resource_pb.js")), ...require(join(folder, "proto/provider_pb.js")) };
  const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
  return Object.fromEntries(
    Object.entries(fields).map(([name, set]) => {
      const response: Message = new messages[name]();
      response.setUrn?.(urn);
      response[set]?.(Struct.fromJavaScript({ password: canary }));
      return [name, `${response}`];
    }),
  );
}

describe("Pulumi's debug log hides the content of responses", () => {
  /** Another copy of the SDK's messages, as npm installs it for a package that requires another version. */
  let nested: string;
  let steward: Package;
  beforeEach(() => {
    const folder = temporaryFolder();
    nested = join(folder, "node_modules/@pulumi/pulumi");
    cpSync(join(sdk, "proto"), join(nested, "proto"), { recursive: true });
    for (const name of ["google-protobuf", "@grpc"]) symlinkSync(join(sdk, "../..", name), join(folder, "node_modules", name), "junction");
    jest.resetModules();
    steward = require("../../../provider");
    // The import of the package changes nothing.
    for (const text of [sdk, nested].flatMap((copy) => Object.values(shown(copy)))) expect(text).toContain(canary);
  });

  test.each<[string, (steward: Package) => unknown]>([
    ["resource", ({ secrets }) => new secrets.SchedulerLease("lease", { ttl: 1 })],
    ["get", ({ secrets }) => secrets.SchedulerLease.get("lease", "scheduler/config/lease")],
    ["function", ({ platform }) => platform.getSmtpSettings().catch(() => "There is no server.")],
  ])("after the first %s, in each copy of the SDK", async (_, begin) => {
    await require("@pulumi/pulumi").runtime.setMocks({ call: () => ({}), newResource: () => ({ id: "id", state: {} }) });
    await begin(steward);
    const hidden = "[hidden by pulumi-steward]";
    const expected = { RegisterResourceResponse: urn, ReadResourceResponse: urn, InvokeResponse: hidden, CallResponse: hidden };
    expect(shown(sdk)).toEqual(expected);
    expect(shown(nested)).toEqual(expected);
  });
});

// Fails if a newer SDK logs something else. Before you add it here, check that it cannot be a secret.
describe("the debug log of Pulumi's SDK", () => {
  const lines = readdirSync(join(sdk, "runtime"))
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) =>
      [...readFileSync(join(sdk, "runtime", file), "utf8").matchAll(/\blog\.debug\((.*?)\);\n/gs)].map(([, line = ""]) => line),
    );

  test("contains only names, URNs, errors and responses", () => {
    const values = lines.flatMap((line) => [...line.matchAll(/\$\{([^{}]*)\}/g)].map(([, value = ""]) => value));
    const names = [
      ...["ctx", "custom", "i", "id", "k", "key", "label", "name", "registrationType", "remote"],
      ...["resolvedID", "resourceChainLabel", "t", "tok", "type", "urn"],
    ];
    const errors = ["err", "error", "rpcErr", "rpcError"];
    // Responses of a resource only with excessiveDebugOutput. Arguments of other packages' functions also without it, as the pages say.
    const excessive = ["props", "resop.serializedProps", "outputsObj", "serialized"].map((each) => `JSON.stringify(${each})`);
    const known = [...names, ...errors, ...excessive, "prop", "item.version", "innerResponse"];
    expect(values.filter((value) => !known.includes(value))).toEqual([]);
    const inFull = lines.filter(
      (line) => /JSON\.stringify\((?!serialized\))/.test(line) && !line.includes("(settings_1.excessiveDebugOutput ? "),
    );
    expect(inFull).toEqual([]);
    expect(require(join(sdk, "runtime/settings")).excessiveDebugOutput).toBe(false);
  });

  test("contains only the known responses, by their toString", () => {
    const calls = lines
      .filter((line) => line.includes("innerResponse"))
      .map((line) => / resp: \$\{innerResponse\}`$/.test(line) && /^`(.*) RPC finished/.exec(line)?.[1]);
    // The response of RegisterResourceOutputs is empty.
    expect(new Set(calls)).toEqual(
      new Set(["RegisterResource", "RegisterResourceOutputs", "ReadResource", "getResource Invoke", "Invoke", "Call"]),
    );
  });
});
