import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { expectRefused, refusal } from "../../support/refusal";
import { atNewMount, onEachTarget } from "../../support/target";

onEachTarget("adoption", (current) => {
  const engine = (type: string): Engine => new Engine(`secrets:${type}`, current().config());
  const exists = refusal("ERR_ALREADY_EXISTS", { rule: "exists" });
  const differs = refusal("ERR_ALREADY_EXISTS", { rule: "differs" });
  /** Data that Vault returns and the API document does not. */
  const hidden = (...data: string[]): string[] => (current().dialect === "standard" ? data : []);
  const shown = (...data: string[]): string[] => (current().dialect === "standard" ? [] : data);
  /** Matchers of lines with these data, in order. */
  const lines = (data: readonly string[]): string[] => data.map((each) => expect.stringContaining(each));

  test.each([
    {
      type: "SchedulerRole",
      path: "role/web",
      theirs: { policies: "theirs,shared", type: "client" },
      ours: { name: "web", policies: ["ours", "shared"] },
      alike: { name: "web", policies: ["shared", "ours"] },
      changes: () => ['policies: ["theirs","shared"] -> ["ours","shared"]'],
      unread: () => hidden("global"),
    },
    {
      type: "SchedulerRoles",
      path: "role/one",
      theirs: { policies: "theirs", type: "client" },
      ours: { roles: { one: { policies: ["ours"] } } },
      alike: { roles: { one: { policies: ["ours", "ours"] }, fresh: { policies: ["ours"] } } },
      changes: () => ['roles.one.policies: ["theirs"] -> ["ours"]'],
      unread: () => hidden("global of each role"),
    },
    {
      type: "SchedulerLease",
      path: "config/lease",
      theirs: { ttl: 60, max_ttl: 7200 },
      ours: { ttl: "1h", maxTtl: "1d" },
      // The undeclared maxTtl keeps its value.
      alike: { ttl: "60m" },
      changes: () => ["ttl: 60 -> 3600", "maxTtl: 7200 -> 86400"],
      unread: () => [],
    },
    {
      type: "SchedulerAccess",
      path: "config/access",
      theirs: { address: "http://user:canary-password@theirs:4646", token: "theirs-token", max_token_name_length: 64 },
      ours: { address: "http://ours:4646", token: "ours-token" },
      alike: { address: "http://ours:4646", token: "other-token" },
      changes: () => ['address: "http://[secret]@theirs:4646" -> "http://ours:4646"', ...shown("maxTokenNameLength: 64 -> nothing")],
      unread: () => [[...hidden("maxTokenNameLength", "caCert", "clientCert"), "token", "clientKey"].join(", ")],
    },
  ])(
    '$type is refused without adopt, compared with "unchanged", and overwritten with true',
    async ({ type, path, theirs, ours, alike, changes, unread }) => {
      const { outOfBand, mount } = await atNewMount(current());
      const held = async (): Promise<unknown> => (await outOfBand("GET", `${mount}/${path}`)).data;
      await outOfBand("POST", `${mount}/${path}`, theirs);
      const before = await held();
      const replacing = type === "SchedulerRoles" ? [] : ["pulumi up --replace", "pulumi state taint", "deleteBeforeReplace: true"];
      const refused = engine(type);
      await expectRefused(refused.up({ ...ours, mount }), exists, `"${mount}"`, "adopt: true", ...replacing);
      await expectRefused(refused.up({ ...ours, mount, adopt: "unchanged" }), differs, ...changes(), ...unread(), "adopt: true");
      expect(refused.state).toBeUndefined();
      expect([await held(), printed]).toEqual([before, []]);

      const resource = engine(type);
      expect(await resource.up({ ...ours, mount, adopt: true })).toBe("create");
      expect(printed).toEqual(lines([...changes(), ...unread()]));
      expect(await resource.refresh()).toEqual([]);
      // Adoption applies only to the creation.
      expect(await resource.up({ ...ours, mount })).toBe("same");
      const after = await held();
      expect(after).not.toEqual(before);
      printed.length = 0;
      expect(await engine(type).up({ ...alike, mount, adopt: "unchanged" })).toBe("create");
      expect(printed).toEqual(lines(unread()));
    },
  );

  test("shows no value of an input that the program marks as secret, neither the new nor the old one", async () => {
    const { outOfBand, mount } = await atNewMount(current());
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
    const ours = { name: "web", policies: ["ours"], mount, __secretInputs: ["policies"] };
    const message = await engine("SchedulerRole")
      .up({ ...ours, adopt: "unchanged" })
      .catch(String);
    await engine("SchedulerRole").up({ ...ours, adopt: true });
    for (const text of [message, printed[0]]) expect(text).toContain("policies: [secret] -> [secret]");
    for (const text of [message, ...printed]) expect(text).not.toMatch(/theirs|ours/);
  });

  test.each([
    { type: "SchedulerLease", path: "config/lease", theirs: { ttl: 60, max_ttl: 7200 }, ours: { ttl: "1h" }, joins: { maxTtl: "1d" } },
    {
      type: "SchedulerAccess",
      path: "config/access",
      theirs: { address: "http://ours:4646", token: "ours-token", max_token_name_length: 64 },
      ours: { address: "http://ours:4646", token: "ours-token" },
      joins: { maxTokenNameLength: 128 },
    },
  ])("$type: an update prints the value that an added attribute overwrites", async ({ type, path, theirs, ours, joins }) => {
    const { outOfBand, newMount, dialect, mount } = await atNewMount(current());
    const resource = engine(type);
    // Nothing exists, so there is nothing to adopt.
    for (const adopt of [true, "unchanged"]) await engine(type).up({ ...ours, mount: await newMount(), adopt });
    expect(printed).toEqual([]);
    await resource.up({ ...ours, mount });
    await outOfBand("POST", `${mount}/${path}`, theirs);
    await resource.refresh();
    printed.length = 0;
    // "unchanged" is about the object, not about an attribute that joins it.
    expect(await resource.up({ ...ours, ...joins, mount, adopt: "unchanged" })).toBe("update");
    const change = type === "SchedulerLease" ? "maxTtl: 7200 -> 86400" : "maxTokenNameLength: 64 -> 128";
    const isUnseen = type === "SchedulerAccess" && dialect === "standard";
    expect(printed).toEqual(lines([isUnseen ? "maxTokenNameLength: nothing -> 128" : change]));
    expect(await resource.up({ ...ours, ...joins, mount })).toBe("same");
    expect(printed).toHaveLength(1);
  });

  test("a set adopts only roles that differ, and on an update only added roles", async () => {
    const { outOfBand, mount } = await atNewMount(current());
    for (const name of ["one", "two"]) await outOfBand("POST", `${mount}/role/${name}`, { policies: "theirs", type: "client" });
    const policiesOf = async (name: string): Promise<unknown> => (await outOfBand("GET", `${mount}/role/${name}`)).data?.policies;
    const [ours, same] = [{ policies: ["ours"] }, { policies: ["theirs"] }];
    const roles = engine("SchedulerRoles");
    await roles.up({ roles: { one: same, fresh: ours }, mount, adopt: "unchanged" });
    const joined = { roles: { one: same, fresh: ours, two: ours }, mount };
    await expectRefused(roles.up(joined), exists, ": two.", "adopt: true");
    const change = 'roles.two.policies: ["theirs"] -> ["ours"]';
    await expectRefused(roles.up({ ...joined, adopt: "unchanged" }), differs, ` ${change}`);
    expect(await policiesOf("two")).toEqual(["theirs"]);
    printed.length = 0;
    expect(await roles.up({ ...joined, adopt: true })).toBe("update");
    expect(printed).toEqual(lines([change, ...hidden("global")]));
    expect(await policiesOf("two")).toEqual(["ours"]);
  });
});
