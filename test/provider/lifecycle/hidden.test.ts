import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { release } from "../../../provider/program/dynamic";
import { definitions } from "../../../provider/registry/resources";
import { freshSandbox } from "../../sandbox/sandbox";
import { call } from "../../support/call";
import { configOf } from "../../support/context";
import { listen, Told } from "../../support/deployment/native";
import { Engine, NativeEngine } from "../../support/engine";
import { limits } from "../../support/limits";
import { printedBesidesAdoption } from "../../support/printed";

// Pulumi shows no name that begins with two underscores.

limits.maxRetries = 0;

const states = join(__dirname, "../../states", release);

describe.each(definitions)("the state of $token", ({ token, fields }) => {
  const shown = Object.entries(fields).flatMap(([name, field]) => (field?.input || field?.output ? [name] : []));
  const files = readdirSync(states).flatMap((dialect) => {
    const file = join(states, dialect, `${token.replace(":", "-")}.json`);
    return readdirSync(join(states, dialect)).some((name) => file.endsWith(name)) ? [file] : [];
  });

  test("shows only inputs and public outputs", () => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const { inputs, outputs } = JSON.parse(readFileSync(file, "utf8"));
      const names = Object.keys({ ...inputs, ...outputs }).filter((name) => !name.startsWith("__"));
      expect(shown).toEqual(expect.arrayContaining(names));
      expect(Object.keys(outputs)).toEqual(expect.arrayContaining(["__declared", "__instance", "__server"]));
    }
  });

  test("has no public name that the life cycle uses", () => {
    for (const own of ["declared", "instance", "server", "outcomeUnknown", "partiallyUpdated", "formerInputs"])
      expect(shown).not.toContain(own);
  });
});

describe.each([
  ["dynamic", Engine],
  ["native", NativeEngine],
] as const)("an update that changes no visible property, %s", (_, Mechanism) => {
  const web = { name: "web", policies: ["a"] };
  const sandbox = freshSandbox({ dialect: "hashicorp" });
  const told: Told[] = [];
  beforeEach(() => listen(told));

  const engine = (type: string): Engine => new Mechanism(`secrets:${type}`, configOf({ sandbox: sandbox(), dialect: "hashicorp" }));
  /** The lines of an operation. Expects that the native plugin names no other property to the engine than these. */
  async function linesOf(operation: () => Promise<unknown>, named: string[] = []): Promise<string[]> {
    const before = printedBesidesAdoption().length;
    told.length = 0;
    await operation();
    for (const { value } of told.filter(({ by }) => by === "diff")) expect(value).toMatchObject({ names: named });
    return printedBesidesAdoption().slice(before);
  }

  test.each([undefined, { ...web, policies: ["b"] }])("after a lost response: one line says why (%j)", async (before) => {
    const role = engine("SchedulerRole");
    if (before) await role.up(before);
    sandbox().faults.add({ system: "secrets", method: "POST", path: /role/, action: "drop-after" });
    await expect(role.up(web)).rejects.toMatchObject({ code: "ERR_NO_RESPONSE" });
    const line = 'Nomad role "web": its last run did not complete, so `pulumi up` continues it';
    const named = before ? ["policies"] : [];
    expect(await linesOf(() => role.preview(web), named)).toEqual([line]);
    expect(await linesOf(() => role.refresh(), named)).toEqual([line]);
    expect(await linesOf(() => role.up(web))).toEqual([line]);
    expect(await linesOf(() => role.up(web))).toEqual([]);
    expect(await role.up(web)).toBe("same");
    expect(Object.keys(role.outputs()).sort()).toEqual(["global", "mount", "name", "policies", "type"]);
  });

  test("after a new address of the server: one line has both", async () => {
    const role = engine("SchedulerRole");
    await role.up(web);
    const address = sandbox().secrets.url.replace("127.0.0.1", "localhost");
    const { token } = sandbox().secrets;
    role.configure({ "steward:default": { secrets: { address, token, dialect: "hashicorp", allowAddressChange: true } } });
    const line = `Nomad role "web": its server changes from ${sandbox().secrets.url} to ${address}`;
    expect(await linesOf(() => role.preview(web))).toEqual([line]);
    expect(await linesOf(() => role.up(web))).toEqual([line]);
  });

  test("with undeclared roles in an exclusive set: a line names them", async () => {
    const set = engine("SchedulerRoles");
    const inputs = { roles: { web: { policies: ["a"] } }, exclusive: true };
    await set.up(inputs);
    await call(sandbox().secrets, "POST", "/v1/nomad/role/theirs", { policies: "b" });
    expect(await linesOf(() => set.refresh())).toEqual(['Nomad roles at mount "nomad": found other roles on the server (theirs)']);
    const planned = ['Nomad roles at mount "nomad": roles: theirs will be deleted, since the program does not declare them'];
    expect(await linesOf(() => set.preview(inputs))).toEqual(planned);
    expect(await linesOf(() => set.up(inputs))).toEqual(planned);
  });
});
