import { namesWith, publicNames } from "../provider/contract/fields";
import { resolved } from "../provider/lifecycle/references";
import { Sandbox } from "../sandbox/index";
import { cases, livingCases, livingForms } from "./cases";
import { Context, isIn, Properties } from "./cases/case";
import { Canaries } from "./support/canaries";
import { configOf, contextOf, resetAll } from "./support/context";
import { definitionOf, secretFields } from "./support/definitions";
import { isObject, listen, plain, Secret, sealed, Told, unknown } from "./support/deployment";
import { Engine, NativeEngine } from "./support/engine";
import { limits } from "./support/limits";
import { startSandbox } from "./support/sandbox";
import "./support/printed";
import { RekeyStack } from "./support/rekey";
import { dialects } from "./support/scope";

// The native plugin marks every secret as secret: those of the definition and those of the program.

const secret = (value: unknown): Secret => new Secret(value);

const leaves = (value: unknown, change: (leaf: unknown, path: string[]) => unknown, path: string[] = []): unknown => {
  if (Array.isArray(value)) return value.map((item) => leaves(item, change, path));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, leaves(inner, change, [...path, name])]));
  return change(value, path);
};
const pathsIn = (inputs: Properties): string[][] => {
  const paths: string[][] = [];
  leaves(inputs, (_, path) => paths.push(path));
  return paths;
};
/** The inputs that may be secret. The id and messages show the others. */
const hidable = (token: string, inputs: Properties): Properties =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => !publicNames(definitionOf(token)).includes(name)));
const allSecret = (token: string, inputs: Properties): Properties => ({
  ...inputs,
  ...(leaves(hidable(token, inputs), secret) as Properties),
});

/** An error response that echoes the request. */
const echo = (texts: readonly string[]): string =>
  JSON.stringify({ errors: texts.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64")]) });

/** True if the value at a path exists, and neither it nor a parent is marked as secret. */
function isOpen(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (value === undefined || value instanceof Secret) return false;
  if (name === undefined) return true;
  return isObject(value) ? isOpen(value[name], rest) : Array.isArray(value);
}

/** The whole canaries in a value. Those of shares are base64. */
const textsIn = (value: unknown): string[] => {
  const texts: string[] = [];
  leaves(plain(value), (leaf) => typeof leaf === "string" && /canary|^Y2FuYX/.test(leaf) && texts.push(leaf));
  return texts;
};

const failed = (operation: Promise<unknown>): Promise<boolean> =>
  operation.then(
    () => false,
    () => true,
  );

/** Finds secrets in plaintext in responses, errors and lines of the plugin. */
function leaks(all: readonly Told[], texts: readonly string[], paths: readonly (readonly string[])[]): string[] {
  const canaries = new Canaries();
  canaries.watchFor({ secret: [...new Set(texts)] });
  for (const [index, { by, value }] of all.entries()) canaries.lookInto({ [`${by} (${index})`]: JSON.stringify(sealed(value)) });
  const open = all.flatMap(({ by, value }) => {
    const { inputs, state, kept } = value as Record<string, Properties | undefined>;
    const parts = { inputs, state, kept: kept?.properties };
    return Object.entries(parts).flatMap(([part, fields]) =>
      paths.filter((path) => isOpen(fields, path)).map((path) => `${path.join(".")} in ${part} of ${by}`),
    );
  });
  return [...new Set([...canaries.found(), ...open])];
}

/** The values of a case that the definition marks as secret. */
function definedSecrets(token: string, all: readonly Told[], ...given: (Properties | undefined)[]): string[] {
  const outputs = namesWith(definitionOf(token).fields, "secret").flatMap((name) =>
    all.flatMap(({ value }) => {
      const held = (value as { state?: Properties }).state?.[name];
      return held instanceof Secret ? [held.value] : [];
    }),
  );
  return [
    ...given.flatMap(textsIn),
    ...outputs.filter((value): value is string => typeof value === "string" && value.length > 7 && value !== unknown),
  ];
}

const told: Told[] = [];
beforeAll(() => listen(told));
beforeAll(() => Object.assign(limits, { initialBackoff: 1, maxRetries: 1 }));
beforeEach(() => {
  told.length = 0;
});

test.each([...dialects, "openbao"] as const)("every share of a rekey stays marked as secret (%s)", async (dialect) => {
  const sandbox = await startSandbox({ dialect });
  const { url, token, shares: first } = sandbox.secrets;
  const stack = new RekeyStack({ "steward:default": { secrets: { address: url, token, dialect } } }, NativeEngine);
  await stack.up({ secretShares: 3, secretThreshold: 2, keepSharesInState: true, discardShares: true, currentShares: first.slice(0, 3) });
  await stack.refresh();
  const { shares } = stack.outputs;
  expect(shares).toHaveLength(3);
  await stack.destroy();
  expect(leaks(told, [...first, ...shares], [])).toEqual([]);
  await sandbox.close();
});

describe.each(dialects)("%s", (dialect) => {
  let sandbox: Sandbox;
  let context: Context;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect });
    context = contextOf(sandbox, dialect);
  });

  describe.each(livingForms.filter(isIn(dialect)))("$title", (each) => {
    const { token, title } = each;
    const definition = definitionOf(token);
    const fresh = async (): Promise<NativeEngine> => {
      sandbox.faults.clear();
      await resetAll(context);
      await each.prepare?.(context);
      return new NativeEngine(token, configOf(context));
    };
    const changedInputs = each.changed ?? ((): undefined => undefined);

    /** The inputs with a canary in each free string: not in names, nor in values that the server knows itself. */
    async function withCanaries(given: Properties): Promise<Properties> {
      const names = [...(definition.objects?.fields ?? []), ...publicNames(definition), "role", "connection"];
      let inputs = given;
      for (const field of Object.keys(given).filter((name) => !names.includes(name))) {
        const one = leaves(given[field], (leaf, path) =>
          typeof leaf === "string" && !leaf.includes("canary") ? ["canary", field, ...path].join("-") : leaf,
        );
        const engine = await fresh();
        const tried = { ...inputs, [field]: one };
        if ((await engine.problems(tried)).length === 0 && !(await failed(engine.up(tried)))) inputs = tried;
      }
      return inputs;
    }

    /** The life of a resource with these inputs: without faults, then with each write rejected, and with its response lost. */
    async function live(inputs: Properties, changed: Properties | undefined): Promise<void> {
      const engine = await fresh();
      await engine.preview(inputs);
      await engine.up(inputs);
      expect(await engine.up(inputs)).toBe("same");
      if (changed) await engine.preview(changed);
      if (changed) expect(await engine.up(changed)).toBe("update");
      await engine.refresh();
      expect(await engine.up(changed ?? inputs)).toBe("same");
      for (const { change } of each.drifts ?? []) {
        await change(context);
        await engine.refresh();
        await failed(engine.up(changed ?? inputs));
        if (!engine.state) break;
      }
      if (engine.state) await engine.destroy();
      const texts = (given: Properties = {}): string[] => textsIn(resolved(definition.fields, given));
      // Nobody knows the previous value of a reference. docs/guides/secrets.md says so.
      const previous = title === token ? texts(inputs) : [];
      const sent = { create: texts(inputs), update: [...previous, ...texts(changed)], delete: texts(changed ?? inputs) };
      for (const during of ["create", "update", "delete"] as const)
        for (const write of (each.requests?.(context)[during] ?? []).filter((request) => !request.startsWith("GET")))
          for (const fault of [{ action: "drop-after" }, { action: "respond", status: 400, body: echo(sent[during]) }] as const) {
            const [method = "", path = ""] = write.split(" ");
            const one = await fresh();
            if (during !== "create") await one.up(inputs);
            if (during === "delete" && changed) await one.up(changed);
            sandbox.faults.add({ system: token.split(":")[0] as "secrets", method, path, times: 99, ...fault });
            await failed(during === "delete" ? one.destroy() : one.up(during === "update" && changed ? changed : inputs));
            sandbox.faults.clear();
            if (one.state) await failed(one.refresh());
            if (one.state) await failed(one.up(changed ?? inputs));
          }
    }

    test("a value that the definition marks as secret is secret in each response, and not in errors or lines", async () => {
      const given = each.inputs(context);
      const changed = changedInputs(context);
      await live(given, changed);
      if (title !== token) expect(JSON.stringify(told)).not.toContain("canary");
      if (definition.readById) {
        const engine = await fresh();
        await engine.up(given);
        const { id } = engine.state as { id: string };
        const imported = new NativeEngine(token, configOf(context));
        await failed(imported.up(await imported.import(id)));
        await new NativeEngine(token, configOf(context)).get(id);
        expect(told.map(({ by }) => by)).toContain("read");
      }
      const paths = [...secretFields(definition), "__formerInputs"].map((path) => path.split("."));
      expect(told.map(({ by }) => by)).toEqual(expect.arrayContaining(["check", "create"]));
      expect(leaks(told, definedSecrets(token, told, given, changed), paths)).toEqual([]);
    });

    test("a value that the program marks as secret, also in lists and maps, is secret in each response, and not in errors or lines", async () => {
      const given = await withCanaries(each.inputs(context));
      const before = each.inputs(context);
      const isSame = ([name, value]: [string, unknown]): boolean => JSON.stringify(value) === JSON.stringify(before[name]);
      const changed = changedInputs(context);
      const later = changed && Object.fromEntries(Object.entries(changed).map((one) => [one[0], isSame(one) ? given[one[0]] : one[1]]));
      told.length = 0;
      await live(allSecret(token, given), later && allSecret(token, later));
      const texts = [...textsIn(given), ...textsIn(later)];
      expect(leaks(told, texts, pathsIn(hidable(token, given)))).toEqual([]);
      // The state does not mark values that were plain before.
      const turned = await fresh();
      await turned.up(before);
      told.length = 0;
      await failed(turned.up(allSecret(token, later ?? given)));
      expect(leaks(told, texts, pathsIn(hidable(token, given)))).toEqual([]);
    });

    test("a secret that is unknown in a preview stays a secret", async () => {
      const given = each.inputs(context);
      const hidden = hidable(token, given);
      const unknowns = { ...given, ...(leaves(hidden, () => secret(unknown)) as Properties) };
      const engine = await fresh();
      for (const isNew of [true, false]) {
        if (!isNew) await engine.up(given);
        const one = Object.keys(hidden).map((field) => [{ ...given, [field]: secret(unknown) }, { [field]: given[field] }] as const);
        for (const [inputs, those] of [[unknowns, hidden] as const, ...one]) {
          told.length = 0;
          await engine.preview(inputs);
          expect(leaks(told, [], pathsIn(those))).toEqual([]);
        }
      }
    });
  });

  test.each(livingCases.filter(isIn(dialect)))(
    "$token: a secret that the id or messages would show is rejected by name, by both mechanisms",
    async (each) => {
      const definition = definitionOf(each.token);
      const names = namesWith(definition.fields, "input")
        .filter((name) => publicNames(definition).includes(name))
        .sort();
      const inputs = { ...each.inputs(context), ...(names.includes("mount") ? { mount: context.mount } : {}) };
      const marked = names.map((name) => [name, secret(inputs[name as keyof typeof inputs])]);
      const native = await new NativeEngine(each.token, configOf(context)).problems({ ...inputs, ...Object.fromEntries(marked) });
      expect(native.map((problem) => problem.split(": ")[0]).sort()).toEqual(names);
      const dynamic = new Engine(each.token, configOf(context));
      expect(await dynamic.problems({ ...inputs, __secretInputs: names })).toEqual(names.map((name) => `${name}: secret-name`));
    },
  );

  test.each(cases.filter(isIn(dialect)))(
    "$token: no check failure shows a value that the program marks as secret, and a response keeps it secret",
    async ({ token, inputs }) => {
      const engine = new NativeEngine(token, configOf(context));
      await engine.problems(allSecret(token, inputs(context)));
      expect(leaks(told, [], pathsIn(hidable(token, inputs(context))))).toEqual([]);
      told.length = 0;
      const misfit = "canary-misfit";
      // Messages and URLs show the names of servers and objects.
      const { fields, objects } = definitionOf(token);
      for (const name of namesWith(fields, "input").filter((each) => each !== "connection" && !objects?.fields.includes(each))) {
        const inMap = { [name]: misfit };
        for (const value of [misfit, [misfit], inMap, { [name]: [misfit] }, [inMap], { [name]: [inMap] }]) {
          await engine.problems({ ...inputs(context), [name]: secret(value) });
          await engine.problems({ ...inputs(context), [name]: leaves(value, secret) });
        }
      }
      expect(leaks(told, [misfit], [])).toEqual([]);
    },
  );
});
