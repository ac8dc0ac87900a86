import { isDeepStrictEqual } from "node:util";
import { format, namesWith } from "../../provider/contract/fields";
import { unwrapSecrets } from "../../provider/engine/plugin-values";
import { resolved } from "../../provider/lifecycle/references";
import { definitions } from "../../provider/registry/resources";
import { isObject } from "../../provider/text/json";
import { Context, isIn, System, withReferences } from "../cases/case";
import { cases, livingForms } from "../cases/index";
import { comparable, configOf, contextOf, resetAll } from "../support/context";
import { definitionOf } from "../support/definitions";
import { Engine, NativeEngine } from "../support/engine";
import { sentBy, startSandbox } from "../support/sandbox";
import { dialects } from "../support/scope";

// Takes every resource through its life: created, unchanged, drifted, reverted, replaced, read by its id, deleted.

test("every definition has one case", () =>
  expect(cases.map(({ token }) => token).sort()).toEqual(definitions.map(({ token }) => token).sort()));

/** The part of a value whose keys also exist in the other. */
function common(value: unknown, other: unknown): unknown {
  if (!isObject(value) || !isObject(other)) return value;
  const names = Object.keys(value).filter((name) => name in other);
  return Object.fromEntries(names.map((name) => [name, common(value[name], other[name])]));
}

/** The requests of each test, by its title. */
const sentIn = { dynamic: new Map<string, string[]>(), native: new Map<string, string[]>() };

/** An id that the platform chooses, at the end of a path. */
const chosenId = /\/(ab|at|idpc)-\w+$/;

const columns = (["dynamic", "native"] as const).flatMap((mechanism) => dialects.map((dialect) => [dialect, mechanism] as const));

describe.each(columns)("%s, %s", (dialect, mechanism) => {
  let context: Context;
  beforeAll(async () => {
    context = contextOf(await startSandbox({ dialect }), dialect);
    jest.spyOn(console, "log").mockImplementation(() => {});
  });
  let begin = 0;
  afterEach(() => {
    const { currentTestName = "" } = expect.getState();
    const title = currentTestName.replace(`, ${mechanism}`, "");
    const sent = context.sandbox.requests().slice(begin);
    sentIn[mechanism].set(title, sent.map(({ method, path }) => `${method} ${path}`.replace(chosenId, "/<id>")).sort());
  });

  for (const { token, inputs } of cases.filter((each) => !isIn(dialect)(each)))
    test(`check rejects ${token}, which the dialect does not have`, async () => {
      const engine = new { dynamic: Engine, native: NativeEngine }[mechanism](token, configOf(context));
      expect(await engine.problems(inputs(context))).toEqual(["dialect"]);
    });

  /** The requests of an operation, sorted. */
  const requestsOf = async (operation: () => Promise<unknown>): Promise<string[]> =>
    (await sentBy(context.sandbox, operation)).sent.map((each) => each.replace(chosenId, "/<id>")).sort();

  const living = livingForms.filter(isIn(dialect));
  describe.each(living)("$title", ({ title, token, inputs, changed, replaced, prepare, requests, drifts = [], paths = () => [] }) => {
    const { fields } = definitionOf(token);
    const isByReference = title !== token;
    const expectNoValue = ({ state }: Engine): void => {
      if (isByReference) expect(JSON.stringify(state)).not.toContain("canary");
    };
    const held = async (): Promise<unknown> =>
      comparable(await Promise.all(paths(context).map((path) => context.outOfBand(token.split(":")[0] as System, "GET", path))));
    const engine = (): Engine => new ({ dynamic: Engine, native: NativeEngine })[mechanism](token, configOf(context));
    const sorted = (names: readonly string[] = []): string[] => [...names].sort();
    beforeEach(async () => {
      await resetAll(context);
      await prepare?.(context);
      begin = context.sandbox.requests().length;
    });

    test("each operation sends its requests and no other", async () => {
      const [resource, counts] = [engine(), requests?.(context)];
      const given = inputs(context);
      expect(await requestsOf(() => resource.preview(given))).toEqual([]);
      expect(await requestsOf(() => resource.up(given))).toEqual(sorted(counts?.create));
      expect(await requestsOf(async () => expect(await resource.up(given)).toBe("same"))).toEqual([]);
      if (changed) {
        expect(await requestsOf(() => resource.preview(changed(context)))).toEqual([]);
        expect(await requestsOf(async () => expect(await resource.up(changed(context))).toBe("update"))).toEqual(sorted(counts?.update));
      }
      expect(await requestsOf(async () => expect(await resource.refresh()).toEqual([]))).toEqual(sorted(counts?.refresh));
      expectNoValue(resource);
      expect(await requestsOf(() => resource.destroy())).toEqual(sorted(counts?.delete));
    });

    if (isByReference)
      test("adoption leaves no value in the state", async () => {
        const [first, resource] = [engine(), engine()];
        await first.up(inputs(context));
        expect(await resource.up({ ...inputs(context), ...(fields.adopt ? { adopt: true } : {}) })).toBe("create");
        expectNoValue(resource);
        expect(await resource.refresh()).toEqual([]);
        expectNoValue(resource);
      });

    test("a deletion restores the server's state before the creation", async () => {
      // An adopted workspace is destroyed.
      if (token === "platform:AdminWorkspace") return;
      const before = await held();
      const resource = engine();
      await resource.up(inputs(context));
      if (changed) await resource.up(changed(context));
      await resource.destroy();
      expect(await held()).toEqual(before);
      // The deletion leaves no object to adopt.
      expect(await resource.up(inputs(context))).toBe("create");
    });

    for (const [index, { change, shows, hiddenIn }] of drifts.entries())
      test(`refresh reports ${shows} (change ${index + 1} outside Pulumi), and up reverts it`, async () => {
        const resource = engine();
        const given = changed?.(context) ?? inputs(context);
        await resource.up(given);
        const declared = await held();
        await change(context);
        const isHidden = hiddenIn === dialect;
        expect(await resource.refresh()).toEqual(isHidden ? [] : shows === "gone" ? shows : [...shows].sort());
        // A deleted workspace cannot be adopted again.
        if (token === "platform:AdminWorkspace") return;
        expect(await resource.up(given)).toBe(isHidden ? "same" : shows === "gone" ? "create" : "update");
        expect(await held()).toEqual(declared);
        expect(await resource.refresh()).toEqual([]);
        if (shows !== "gone") return;
        await change(context);
        await resource.destroy();
      });

    test("a replacement names the inputs that cause it", async () => {
      const replacing = namesWith(definitionOf(token).fields, "replaces").filter((name) => name !== "mount");
      if (!replaced) return expect(replacing).toEqual([]);
      const resource = engine();
      const given = changed?.(context) ?? inputs(context);
      await resource.up(given);
      const { operation, replaces } = await resource.preview(replaced(context));
      expect(operation).toBe("replace");
      expect(replaces.length).toBeGreaterThan(0);
      expect(replacing).toEqual(expect.arrayContaining(replaces));
      expect(await resource.up(replaced(context))).toBe("replace");
      expect(await resource.refresh()).toEqual([]);
      await resource.destroy();
    });

    const definition = definitionOf(token);
    if (definition.readById && mechanism === "native")
      test("import adopts it, and a program that declares it changes nothing", async () => {
        const [first, resource] = [engine(), new NativeEngine(token, configOf(context))];
        await first.up(inputs(context));
        const before = await held();
        const imported = await resource.import((first.state as NonNullable<Engine["state"]>).id);
        // A required value that cannot be read must be added: the check asks for it.
        const isComplete = (await resource.problems(imported)).length === 0;
        const missing = Object.entries(inputs(context)).filter(([name]) => !isComplete && !imported[name]);
        const given = {
          ...(isByReference ? withReferences(fields, unwrapSecrets(imported).properties) : imported),
          ...Object.fromEntries(missing),
        };
        if (!isComplete) expect(token).toBe("secrets:SchedulerAccess");
        const sent = await requestsOf(async () =>
          expect(await resource.up(given)).toBe(isDeepStrictEqual(given, imported) ? "same" : "update"),
        );
        if (isComplete) expect(sent).toEqual([]);
        expect(await resource.refresh()).toEqual([]);
        expectNoValue(resource);
        if ("managed" in fields) {
          await resource.destroy();
          expect(await held()).toEqual(before);
        }
      });
    if ("mount" in definition.fields)
      test("another mount replaces it", async () => {
        const moved = { ...context, mount: "team/scheduler" };
        await context.outOfBand("secrets", "POST", `/v1/sys/mounts/${moved.mount}`, { type: context.mount });
        await prepare?.(moved);
        const there = (): Promise<unknown> => Promise.all(paths(moved).map((path) => context.outOfBand("secrets", "GET", path)));
        const [before, empty] = [await held(), comparable(await there())];
        const resource = engine();
        await resource.up(inputs(context));
        const { replaces, deleteBeforeReplace } = await resource.preview({ ...inputs(context), mount: `/${moved.mount}/` });
        expect(replaces).toEqual(["mount"]);
        expect(deleteBeforeReplace).toBe(definition.deleteBeforeReplace ?? false);
        expect(await resource.up({ ...inputs(context), mount: `/${moved.mount}/` })).toBe("replace");
        expect(await resource.up({ ...inputs(context), mount: moved.mount })).toBe("same");
        expect(await held()).toEqual(before);
        await resource.destroy();
        expect(comparable(await there())).toEqual(empty);
      });
    if (definition.readById)
      test("get reads it by its id without inputs", async () => {
        const resource = engine();
        await resource.up(inputs(context));
        const { id } = resource.state as NonNullable<Engine["state"]>;
        expect(id).toBe(format(definition.id, { mount: context.mount, ...resource.outputs(), ...inputs(context) }));
        const [read, outputs] = [await engine().get(id), resolved(fields, resource.outputs())];
        // A `get` manages no attribute, and does not return values that the server does not show.
        expect(read.managed ?? []).toEqual([]);
        const shown = namesWith(definition.fields, "output").filter((name) => name !== "managed" && name in read && name in outputs);
        expect(shown.length).toBeGreaterThan(0);
        for (const name of shown)
          expect({ [name]: common(read[name], outputs[name]) }).toEqual({ [name]: common(outputs[name], read[name]) });
        await expect(engine().get(`${id}/of/nothing`)).rejects.toThrow(`"${id}/of/nothing"`);
      });
  });
});

test("both mechanisms send the same requests in each test", () => {
  const both = (sent: Map<string, string[]>): [string, string[]][] =>
    [...sent].filter(([title]) => sentIn.dynamic.has(title) && sentIn.native.has(title));
  expect(both(sentIn.dynamic).length).toBeGreaterThan(0);
  expect(both(sentIn.native)).toEqual(both(sentIn.dynamic));
});
