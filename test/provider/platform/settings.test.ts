import { definitionOf, secretFields } from "../../support/definitions";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { AttributeCase, attributesOf, ownAttributes, settingsOf } from "./attributes";

onEachPlatform("each attribute", (current, dialect) => {
  const cases = attributesOf(dialect);
  const prepare = async ({ settings, before }: AttributeCase): Promise<Record<string, unknown>> => {
    await current().change(settings, before);
    return current().held(settings);
  };

  test.each(cases)("$settings $attribute is created, its drift is detected and reverted, and destroy restores it", async (each) => {
    const { settings, attribute, inputs } = each;
    const { held, change, requests, engine, dialect } = current();
    const before = await prepare(each);
    const resource = engine(each.token);
    const path = `${dialect === "hashicorp" && settings === "sms" ? "twilio" : settings}-settings`;

    expect(await requests(() => resource.up(inputs))).toEqual([`GET ${path}`, `PATCH ${path}`]);
    expect((await held(settings))[attribute]).toEqual(each.declared);
    expect(resource.outputs().managed).toEqual(Object.keys(inputs).sort());
    expect(await requests(async () => expect(await resource.up(inputs)).toBe("same"))).toEqual([]);
    expect(await requests(async () => expect(await resource.refresh()).toEqual([]))).toEqual([`GET ${path}`]);

    await change(settings, { [attribute]: each.outOfBand });
    expect(await resource.refresh()).toEqual([attribute]);
    // The old certificate on the server decides whether the other one may change.
    const first = attribute === "idpCert" ? [`GET ${path}`] : [];
    expect(await requests(async () => expect(await resource.up(inputs)).toBe("update"))).toEqual([...first, `PATCH ${path}`]);
    expect((await held(settings))[attribute]).toEqual(each.declared);
    expect(await resource.refresh()).toEqual([]);

    expect(await requests(() => resource.destroy())).toEqual([`PATCH ${path}`]);
    const { oldIdpCert: _now, ...after } = await held(settings);
    const { oldIdpCert: _then, ...expected } = before;
    expect(after).toEqual(expected);
  });

  test.each(cases)(
    "$settings $attribute: up prints the value that it overwrites, when it is created and when it is added",
    async (each) => {
      const { engine, change } = current();
      const { attribute } = each;
      await prepare(each);
      await change(each.settings, { [each.attribute]: each.outOfBand });
      const [from, to] = [each.outOfBand, each.declared].map((value) => JSON.stringify(value));
      const isSecret = secretFields(definitionOf(`platform:${each.token}`)).includes(attribute);
      const values = isSecret ? "[secret] -> [secret]" : `${from} -> ${to}`;
      // A long value is shortened.
      const line = ` adoption changes ${attribute}: ${values.length > 200 ? "" : `${values}.`}`;
      const lines = (): string[] => printed.splice(0).filter((text) => text.includes(` ${attribute}: `));

      const created = engine(each.token);
      await created.up(each.inputs);
      expect(lines()).toEqual([expect.stringContaining(line)]);
      await created.destroy();
      const joined = engine(each.token);
      await joined.up({ ...each.also });
      expect(lines()).toEqual([]);
      await joined.up(each.inputs);
      expect(lines()).toEqual([expect.stringContaining(line)]);
      await joined.refresh();
      await joined.up(each.inputs);
      expect(lines()).toEqual([]);
    },
  );

  test.each(cases)("$settings $attribute follows the server if it is not declared", async (each) => {
    const { change, requests, engine } = current();
    await prepare(each);
    const resource = engine(each.token);
    expect(await requests(() => resource.up({}))).toHaveLength(1);
    expect(resource.outputs().managed).toEqual([]);
    for (const value of [each.declared, each.outOfBand]) {
      await change(each.settings, { [each.attribute]: value });
      expect(await resource.refresh()).toEqual([]);
      expect(resource.outputs()).toMatchObject({ [each.attribute]: value });
    }
    expect(await requests(async () => expect(await resource.up({})).toBe("same"))).toEqual([]);
    expect(await requests(() => resource.destroy())).toEqual([]);
  });
});

onEachPlatform("the table", (current, dialect) => {
  test("has every attribute that the platform shows and a program or another client can write", async () => {
    const { held, change } = current();
    for (const [settings, type] of settingsOf(dialect)) {
      const listed = attributesOf("hashicorp").flatMap((each) => (each.settings === settings ? [each.attribute] : []));
      const unlisted = Object.entries(await held(settings)).filter(([name]) => !listed.includes(name));
      const { fields } = definitionOf(`platform:${type}`);
      expect(unlisted.filter(([name]) => fields[name]?.input).map(([name]) => name)).toEqual(ownAttributes[settings] ?? []);
      // The platform ignores a write of what it only shows.
      const shownOnly = unlisted.filter(([name]) => !fields[name]?.input);
      await change(settings, Object.fromEntries(shownOnly.map(([name, value]) => [name, typeof value === "boolean" ? !value : "another"])));
      expect(Object.entries(await held(settings)).filter(([name]) => !listed.includes(name))).toEqual(unlisted);
    }
  });
});
