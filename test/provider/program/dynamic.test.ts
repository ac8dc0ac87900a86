import { ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { dynamic, runtime } from "@pulumi/pulumi";
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

// The package relies on undocumented behavior. This fails if a newer SDK changes it, and test/end-to-end if its process calls something else.
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
});

/** Waits for the first output of a process, which may continue or end at once. */
function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    child.stdout?.once("data", (data: Buffer) => done(data.toString().trim()));
    child.once("close", (code) => failed(new Error(`The process ended with ${code} and said nothing.`)));
  });
}
