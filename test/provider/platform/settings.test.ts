import { onEachPlatform } from "../../support/platform";
import "../../support/printed";
import { AttributeCase, attributeCases, extraCases, tokens } from "./attributes";

/** What was seen of each attribute, printed in the end: one line for each. */
const seen: Record<string, string[]> = {};
const tick = (key: string, cell: string): void => {
  seen[key] = [...(seen[key] ?? []), cell];
};
afterAll(() => {
  const rows = Object.entries(seen).map(([key, cells]) => `${key.padEnd(90)} ${cells.join("  ")}`);
  process.stdout.write(`\n${rows.join("\n")}\n`);
});

onEachPlatform("each attribute of the settings", (current) => {
  const everywhere = attributeCases.map((each) => ({ ...each, isExtra: false }));
  const realOnly = extraCases.map((each) => ({ ...each, isExtra: true }));

  const inputsOf = ({ attribute, declared, isExtra, also }: AttributeCase & { isExtra: boolean }): Record<string, unknown> =>
    isExtra ? { extra: { [attribute]: declared } } : { [attribute]: declared, ...also };
  // In the package's own names every attribute outside is `camelCase`; those of `extra` keep the server's.
  const nameOf = ({ attribute, isExtra }: { attribute: string; isExtra: boolean }): string =>
    isExtra ? attribute.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) : attribute;
  const cases = (): (AttributeCase & { isExtra: boolean })[] => [...everywhere, ...(current().dialect === "hashicorp" ? realOnly : [])];
  const prepare = async ({ settings, before }: AttributeCase): Promise<Record<string, unknown>> => {
    await current().change(settings, before);
    return current().held(settings);
  };

  async function declared(each: AttributeCase & { isExtra: boolean }): Promise<void> {
    const { settings, token, attribute, outOfBand } = each;
    const { held, change, requests, engine, dialect } = current();
    const name = nameOf(each);
    const before = await prepare(each);
    const resource = engine(token);
    const inputs = inputsOf(each);
    const path = `${dialect === "hashicorp" && settings === "sms" ? "twilio" : settings}-settings`;
    const key = `${dialect} ${settings} ${attribute}`;

    expect(await requests(() => resource.up(inputs))).toEqual([`GET ${path}`, `PATCH ${path}`]);
    expect((await held(settings))[name]).toEqual(each.declared);
    expect(resource.outputs().managed).toEqual([...Object.keys(each.also ?? {}), each.isExtra ? `extra.${attribute}` : attribute]);
    tick(key, "create");
    expect(await requests(async () => expect(await resource.up(inputs)).toBe("same"))).toEqual([]);
    expect(await requests(async () => expect(await resource.refresh()).toEqual([]))).toEqual([`GET ${path}`]);

    await change(settings, { [name]: outOfBand });
    expect(await resource.refresh()).toEqual([each.isExtra ? "extra" : attribute]);
    tick(key, "drift seen");
    const repair = await requests(async () => expect(await resource.up(inputs)).toBe("update"));
    expect(repair).toEqual([`PATCH ${path}`]);
    expect((await held(settings))[name]).toEqual(each.declared);
    expect(await resource.refresh()).toEqual([]);
    tick(key, "repaired");

    expect(await requests(() => resource.destroy())).toEqual([`PATCH ${path}`]);
    const { oldIdpCert: _now, ...after } = await held(settings);
    const { oldIdpCert: _then, ...expected } = before;
    expect(after).toEqual(expected);
    tick(key, "restored");
  }

  async function undeclared(each: AttributeCase & { isExtra: boolean }): Promise<void> {
    const { settings, token, attribute, outOfBand } = each;
    const { change, requests, engine, dialect } = current();
    await prepare(each);
    const resource = engine(token);
    const shown = (): unknown =>
      (each.isExtra ? (resource.outputs().extra as object as Record<string, unknown>) : resource.outputs())[attribute];
    expect(await requests(() => resource.up({}))).toHaveLength(1);
    expect(resource.outputs().managed).toEqual([]);
    await change(settings, { [nameOf(each)]: each.declared });
    expect(await resource.refresh()).toEqual([]);
    expect(shown()).toEqual(each.declared);
    await change(settings, { [nameOf(each)]: outOfBand });
    expect(await resource.refresh()).toEqual([]);
    expect(shown()).toEqual(outOfBand);
    expect(await requests(async () => expect(await resource.up({})).toBe("same"))).toEqual([]);
    expect(await requests(() => resource.destroy())).toEqual([]);
    tick(`${dialect} ${settings} ${attribute}`, "follows undeclared");
  }

  test.each(everywhere)("$settings $attribute is created, its drift is detected and repaired, and destroy restores it", declared);
  test.each(everywhere)("$settings $attribute is followed if it is not declared", undeclared);
  test("further attributes of the hashicorp dialect are created, repaired and restored, or followed", async () => {
    const further = cases().filter(({ isExtra }) => isExtra);
    expect(further).toHaveLength(current().dialect === "hashicorp" ? realOnly.length : 0);
    for (const each of further) {
      await current().sandbox.reset();
      await current().change("general", { apiRateLimitingEnabled: false });
      await declared(each);
      await undeclared(each);
    }
  });

  // Of the real product, what no client can set.
  const shownOnly =
    /^cloud[ABC](Enabled|InstanceProfileEnabled)$|^terraformBuildWorker|^requireTwoFactor|^fairRunQueuing|[oO]rganizationsPerUser|[wW]orkspacesPerOrganization/;
  test("the table has every readable attribute of the platform", async () => {
    const readOnly = ["oldIdpCert", "acsConsumerUrl", "metadataUrl"];
    for (const settings of Object.keys(tokens)) {
      const shown = Object.keys(await current().held(settings)).filter((name) => !readOnly.includes(name));
      const listed = cases().filter((each) => each.settings === settings);
      const unlisted = shown.filter((name) => !listed.some((each) => nameOf(each) === name));
      expect(unlisted.filter((name) => !shownOnly.test(name))).toEqual([]);
    }
  });
});
