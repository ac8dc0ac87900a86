import { ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http2";
import { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
import { dynamic, runtime } from "@pulumi/pulumi";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CheckRequest, ConfigureRequest } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { secrets } from "../../../provider";
import { definitions } from "../../../provider/definitions";
import { providerText } from "../../../provider/program/dynamic";
import { registered as registeredRequest } from "../../support/registered";

describe("the provider's source that Pulumi stores", () => {
  test.each([...definitions.map(({ token }) => token), "platform:SamlCertificateRevocation"])(
    "is one line of at most 200 bytes for %s",
    (token) => {
      expect(Buffer.byteLength(providerText(token))).toBeLessThanOrEqual(200);
      expect(providerText(token)).not.toContain("\n");
    },
  );

  test("tells the user to install the program's dependencies if the package is missing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "steward-"));
    const script = `const m=new (require("module"))("");m.paths=[];m._compile(${JSON.stringify(providerText("secrets:SchedulerRole"))},"");try{m.exports.handler()}catch(e){console.log(JSON.stringify([e.message,e.stack]))}`;
    const child = spawn(process.execPath, ["-e", script], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    expect(JSON.parse(await firstOutput(child))).toEqual(["Install the program's dependencies", ""]);
    rmSync(folder, { recursive: true });
  });
});

test("the first resource fails if the program's own dependencies lack the package", async () => {
  const folder = mkdtempSync(join(tmpdir(), "steward-"));
  const library = join(__dirname, "../../../dist/provider");
  const script = `const {secrets}=require(${JSON.stringify(library)});try{new secrets.SchedulerRole("web",{name:"web"})}catch(e){console.log(JSON.stringify([e.code,e.message]))}`;
  const child = spawn(process.execPath, ["-e", script], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const message = expect.stringMatching(`${realpathSync(folder)}.*package\\.json`);
  expect(JSON.parse(await firstOutput(child))).toEqual(["ERR_NOT_INSTALLED", message]);
  rmSync(folder, { recursive: true });
});

// The package relies on undocumented behavior. This fails if a newer SDK changes it.
describe("the protocol of Pulumi's dynamic providers", () => {
  test("dynamic.Resource still registers the same type and properties as this package", async () => {
    const registered: { type: string; keys: string[] }[] = [];
    await runtime.setMocks({
      call: () => ({}),
      newResource: ({ type, id, inputs }) => {
        registered.push({ type, keys: Object.keys(inputs) });
        return { id: id ?? "id", state: inputs };
      },
    });
    class Theirs extends dynamic.Resource {}
    const theirs = new Theirs(
      { create: async () => ({ id: "x" }) },
      "theirs",
      { name: "web" },
      undefined,
      "steward/secrets",
      "SchedulerRole",
    );
    const ours = new secrets.SchedulerRole("ours", { name: "web" });
    await new Promise((done) => pulumi.all([theirs.urn, ours.urn]).apply(done));
    expect(registered).toHaveLength(2);
    expect(registered[1]?.type).toBe(registered[0]?.type);
    for (const { keys } of registered) expect(keys.sort()).toEqual(["__provider", "name"]);
  });

  test("the stored call stack holds only the program's frames, and the hook that shortens it is removed", async () => {
    const before = Error.prepareStackTrace;
    // A named function, since Pulumi's SDK does not recognize a position in an anonymous function.
    function declare(): void {
      new secrets.SchedulerLease("stack", { ttl: 1 });
      expect(Error.prepareStackTrace).toBe(before);
    }
    const request = await registeredRequest(declare);
    const files =
      request
        .getStacktrace()
        ?.getFramesList()
        .map((frame) => frame.getPc()?.getUri() ?? "") ?? [];
    expect(request.getSourceposition()?.getUri()).toContain("dynamic.test.ts");
    expect(files[0]).toContain("dynamic.test.ts");
    expect(files.filter((file) => /@pulumi|provider\/resource|scheduler-lease|node:/.test(file))).toEqual([]);
    expect(files).not.toContain("");
  });

  test("the SDK's provider process still loads the source and calls handler().check", async () => {
    const main = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
    // The process ends if no engine listens at the given address.
    const engine = createServer();
    await new Promise<void>((done) => engine.listen(0, "127.0.0.1", done));
    const child = spawn(process.execPath, [main, `127.0.0.1:${(engine.address() as AddressInfo).port}`], {
      cwd: join(__dirname, "../../.."),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const client = new ResourceProviderClient(`127.0.0.1:${await firstOutput(child)}`, credentials.createInsecure());
    try {
      const configure = new ConfigureRequest();
      const settings = { "steward:default": JSON.stringify({ secrets: { address: "http://127.0.0.1:1", mount: "elsewhere" } }) };
      configure.setArgs(Struct.fromJavaScript(settings));
      await new Promise((done, failed) => client.configure(configure, (error, response) => (error ? failed(error) : done(response))));
      const check = new CheckRequest();
      check.setOlds(Struct.fromJavaScript({}));
      check.setNews(Struct.fromJavaScript({ __provider: providerText("secrets:SchedulerRole"), name: "web", polices: "x" }));
      const answer = await new Promise<ReturnType<typeof check.toObject> & { inputs: object; failures: string[] }>((done, failed) =>
        client.check(check, (error, response) =>
          error
            ? failed(error)
            : done({
                ...check.toObject(),
                inputs: response.getInputs()?.toJavaScript() ?? {},
                failures: response.getFailuresList().map((each) => each.getReason()),
              }),
        ),
      );
      expect(answer.inputs).toMatchObject({ name: "web", mount: "elsewhere", policies: [] });
      expect(answer.failures).toEqual([expect.stringMatching(/"polices" \(did you mean policies\?\)/)]);
    } finally {
      client.close();
      child.kill();
      engine.close();
    }
  });
});

/** Waits for the first output of a process, which may continue or end at once. */
function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    child.stdout?.once("data", (data: Buffer) => done(data.toString().trim()));
    child.once("close", (code) => failed(new Error(`The process ended with ${code} and said nothing.`)));
  });
}
