import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { call } from "../../support/call";
import { definitionOf, secretOutputs } from "../../support/definitions";
import { Declaration, Deployment, Secret } from "../../support/deployment";
import { provider } from "../../support/limits";
import { onEachPlatform } from "../../support/platform";
import { onEachTarget } from "../../support/target";
import { attributeCases } from "../platform/attributes";

// Secrets that are removed from the program, while the server keeps them.

beforeEach(() => void jest.spyOn(console, "log").mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const start = (config: Record<string, object>): Deployment =>
  new Deployment(() => {
    clearCache();
    return provider;
  }, config);
const succeeded = async (ending: ReturnType<Deployment["up"]>): Promise<void> => expect((await ending).errors).toEqual([]);

onEachTarget("a secret of a lease that is removed from the program", (current) => {
  const canary = 424242;

  test.each([
    { field: "ttl", rest: { maxTtl: 500_000 }, changed: { maxTtl: 600_000 } },
    { field: "maxTtl", rest: { ttl: 60 }, changed: { ttl: 120 } },
  ])("$field stays encrypted as long as the server keeps it", async ({ field, rest, changed }) => {
    const { newMount, config, outOfBand } = current();
    const mount = await newMount();
    const stack = start({ ...config(), "steward:other": config()["steward:default"] as object });
    const of = (inputs: object, more: object = {}): Declaration[] => [
      { name: "lease", type: "secrets:SchedulerLease", secretOutputs: ["formerInputs"], inputs: { mount, ...inputs, ...more } },
    ];
    const found: string[] = [];
    const look = (when: string): void => {
      if (stack.stored().includes(String(canary))) found.push(when);
    };
    const held = async (): Promise<unknown> => (await outOfBand("GET", `${mount}/config/lease`)).data;
    const wire = (inputs: { ttl?: number; maxTtl?: number }): object => ({ ttl: inputs.ttl, max_ttl: inputs.maxTtl });
    await succeeded(stack.up(of({ ...rest, [field]: new Secret(canary) })));
    look("created");
    await succeeded(stack.up(of(rest)));
    look("left");
    expect(await held()).toMatchObject(wire({ ...rest, [field]: canary }));
    for (const time of ["first", "second"]) {
      await succeeded(stack.refresh());
      look(`${time} refresh`);
    }
    await succeeded(stack.up(of(rest)));
    look("same");
    await succeeded(stack.up(of(rest, { connection: "other" })));
    look("another connection");
    await succeeded(stack.up(of(changed)));
    look("another value of the rest");
    // The server keeps the value.
    expect(await held()).toMatchObject(wire({ ...changed, [field]: canary }));
    expect(found).toEqual([]);

    // A value that another client wrote was never a secret of the program.
    await outOfBand("POST", `${mount}/config/lease`, wire({ ...changed, [field]: 550_000 }));
    await succeeded(stack.refresh());
    expect(stack.resources[0]?.outputs).toMatchObject({ ...changed, [field]: 550_000 });
    await succeeded(stack.up(of({ ...changed, [field]: canary })));
    expect(stack.resources[0]?.outputs).toMatchObject({ ...changed, [field]: canary });
    expect(stack.resources[0]?.outputs).not.toHaveProperty("formerInputs");
  });
});

onEachPlatform("a secret of settings that is removed from the program and equals the original value", (current) => {
  const texts = attributeCases.filter(({ attribute, declared }) => typeof declared === "string" && attribute !== "auth");

  test.each(texts)("$token, $attribute stays encrypted as long as the platform keeps it", async (each) => {
    const { settings, token, attribute, declared, outOfBand, before, also } = each;
    const { change, config } = current();
    await change(settings, { ...before, ...also, [attribute]: declared });
    const stack = start(config());
    const hidden = secretOutputs(definitionOf(`platform:${token}`));
    const of = (inputs: object): Declaration[] => [
      { name: "settings", type: `platform:${token}`, secretOutputs: hidden, inputs: { ...inputs } },
    ];
    const mark = JSON.stringify(declared);
    await succeeded(stack.up(of({ ...before, ...also, [attribute]: new Secret(declared) })));
    expect(stack.stored()).not.toContain(mark);
    await succeeded(stack.up(of({ ...before, ...also })));
    expect(stack.stored()).not.toContain(mark);
    await succeeded(stack.refresh());
    expect(stack.stored()).not.toContain(mark);
    await change(settings, { [attribute]: outOfBand });
    await succeeded(stack.refresh());
    expect(stack.resources[0]?.outputs[attribute]).toBeDefined();
  });

  test.each(texts)("$token, $attribute stays encrypted if a forced replacement drops it", async (each) => {
    const { token, attribute, declared, before, also } = each;
    const stack = start(current().config());
    const hidden = secretOutputs(definitionOf(`platform:${token}`));
    const of = (inputs: object): Declaration[] => [
      {
        name: "settings",
        type: `platform:${token}`,
        secretOutputs: hidden,
        inputs: { ...before, ...also, ...inputs, onDelete: "retain" },
        deleteBeforeReplace: true,
      },
    ];
    await succeeded(stack.up(of({ [attribute]: new Secret(declared) })));
    const replace = stack.resources.map(({ urn }) => urn);
    await succeeded(stack.up(of({}), { replace }));
    expect(stack.stored()).not.toContain(JSON.stringify(declared));
    await succeeded(stack.refresh());
    expect(stack.stored()).not.toContain(JSON.stringify(declared));
  });
});

onEachPlatform("a secret of settings that equals the original value, and an update that gets no response", (current) => {
  const footer = new Secret("canary-footer");

  test.each([
    { when: "in that update", lost: { error: "b" }, next: { error: "b" } },
    { when: "in that update, and the next one renames the connection", lost: { error: "b" }, next: { error: "b", connection: "other" } },
    { when: "in the next update", lost: { footer, error: "b" }, next: { error: "b" } },
  ])("stays encrypted if it is removed $when", async ({ lost, next }) => {
    const { sandbox, change, config, held } = current();
    await change("customization", { footer: footer.value, error: "theirs" });
    const stack = start({ ...config(), "steward:other": config()["steward:default"] as object });
    const hidden = secretOutputs(definitionOf("platform:CustomizationSettings"));
    const of = (inputs: object): Declaration[] => [
      { name: "settings", type: "platform:CustomizationSettings", secretOutputs: hidden, inputs: { ...inputs } },
    ];
    await succeeded(stack.up(of({ footer, error: "a" })));
    sandbox.faults.add({ system: "platform", method: "PATCH", path: /customization/, action: "drop-after", times: 9 });
    expect((await stack.up(of(lost))).errors).toHaveLength(1);
    sandbox.faults.clear();
    expect(stack.stored()).not.toContain("canary");
    await succeeded(stack.up(of(next)));
    expect(stack.stored()).not.toContain("canary");
    await succeeded(stack.refresh());
    expect(stack.stored()).not.toContain("canary");
    expect(await held("customization")).toMatchObject({ footer: "canary-footer" });
  });
});

onEachPlatform(
  "a secret attribute of Terraform Enterprise that is removed from the program",
  (current) => {
    test("extra.certificate stays encrypted as long as the platform keeps it", async () => {
      const { config, service } = current();
      const attributes = (certificate: string): object => ({ data: { type: "saml-settings", attributes: { certificate } } });
      await call(service, "PATCH", "/api/v2/admin/saml-settings", attributes("canary"));
      const stack = start(config());
      const of = (inputs: object): Declaration[] => [
        { name: "saml", type: "platform:SamlSettings", secretOutputs: ["formerInputs", "originalValues"], inputs: { ...inputs } },
      ];
      await succeeded(stack.up(of({ extra: { certificate: new Secret("canary") } })));
      await succeeded(stack.up(of({ debug: true })));
      expect(stack.stored()).not.toContain("canary");
      await succeeded(stack.refresh());
      expect(stack.stored()).not.toContain("canary");
      await call(service, "PATCH", "/api/v2/admin/saml-settings", attributes("theirs"));
      await succeeded(stack.refresh());
      expect(stack.resources[0]?.outputs.extra).toMatchObject({ certificate: "theirs" });
    });
  },
  ["hashicorp"],
);
