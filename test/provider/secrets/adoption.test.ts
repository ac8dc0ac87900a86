import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

onEachTarget("adoption", (current) => {
  const engine = (type: string): Engine => new Engine(`secrets:${type}`, current().config());
  /** Refused because of differences; gives back the message, which lists them. */
  const differs = async (operation: Promise<unknown>): Promise<string> => {
    await expect(operation).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "differs" }));
    return operation.then(String, ({ message }) => message);
  };
  /** Lines that hold these data, in this order. */
  const lines = (...data: string[]): string[] => data.map((each) => expect.stringContaining(each));
  /** In the standard dialect, what the API document does not show. */
  const hidesMore = (): boolean => current().dialect === "standard";

  describe("of a role", () => {
    const theirs = { policies: "theirs,shared", global: false, type: "client" };
    const ours = { name: "web", policies: ["ours", "shared"], type: "client" };

    test("prints each attribute that it changes before it writes", async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      await engine("SchedulerRole").up({ ...ours, mount, adopt: true });
      expect(printed).toEqual(
        lines('"web": adopting it changes policies: ["theirs","shared"] -> ["ours","shared"]', ...(hidesMore() ? ["global"] : [])),
      );
      expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["ours", "shared"]);
    });

    test('"unchanged" refuses and lists the differences, and writes nothing', async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      const message = await differs(engine("SchedulerRole").up({ ...ours, mount, adopt: "unchanged" }));
      expect(message).toContain('policies: ["theirs","shared"] -> ["ours","shared"]');
      expect(message).toContain("adopt: true");
      expect(message.includes("global")).toBe(hidesMore());
      expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["theirs", "shared"]);
    });

    test('"unchanged" takes over what is declared in another order', async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      const role = engine("SchedulerRole");
      expect(await role.up({ ...ours, policies: ["shared", "theirs"], mount, adopt: "unchanged" })).toBe("create");
      expect(printed).toEqual(hidesMore() ? lines("global") : []);
      expect(await role.up({ ...ours, policies: ["shared", "theirs"], mount })).toBe("same");
    });

    test.each([true, "unchanged"])("adopt: %j creates what does not exist, and prints nothing", async (adopt) => {
      const mount = await current().newMount();
      expect(await engine("SchedulerRole").up({ ...ours, mount, adopt })).toBe("create");
      expect(printed).toEqual([]);
    });

    test("shows no value of an input that the program marks as secret, neither the new nor the old one", async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      const secretInputs = ["policies"];
      const message = await differs(engine("SchedulerRole").up({ ...ours, mount, adopt: "unchanged", secretInputs }));
      expect(message).toContain("policies: [secret] -> [secret]");
      await engine("SchedulerRole").up({ ...ours, mount, adopt: true, secretInputs });
      expect(printed.join()).toContain("policies: [secret] -> [secret]");
      for (const text of [message, ...printed]) expect(text).not.toMatch(/theirs|ours/);
    });
  });

  test("of a set of roles: on creation and of roles that join later, each role that exists", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    for (const name of ["one", "two", "same"]) await outOfBand("POST", `${mount}/role/${name}`, { policies: "theirs", type: "client" });
    const [ours, same] = [{ policies: ["ours"] }, { policies: ["theirs"] }];
    const roles = engine("SchedulerRoles");
    const message = await differs(roles.up({ roles: { one: ours, same }, mount, adopt: "unchanged" }));
    expect(message).toContain('roles.one.policies: ["theirs"] -> ["ours"]');
    expect(message).not.toContain("roles.same");
    await roles.up({ roles: { one: ours, same, fresh: ours }, mount, adopt: true });
    const line = (name: string): string => `roles.${name}.policies: ["theirs"] -> ["ours"]`;
    const ofSet = (): string[] => printed.filter((each) => !each.includes("global"));
    expect(ofSet()).toEqual(lines(line("one")));
    const joined = { one: ours, same, fresh: ours, two: ours };
    expect(await differs(roles.up({ roles: joined, mount, adopt: "unchanged" }))).toContain("roles.two.policies");
    expect((await outOfBand("GET", `${mount}/role/two`)).data?.policies).toEqual(["theirs"]);
    await roles.up({ roles: joined, mount, adopt: true });
    expect(ofSet()).toEqual(lines(line("one"), line("two")));
    expect((await outOfBand("GET", `${mount}/role/two`)).data?.policies).toEqual(["ours"]);
  });

  test("of an access configuration: only what can be read, and the message says so", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/config/access`, {
      address: "http://user:theirs-password@theirs:4646",
      token: "theirs-token",
      max_token_name_length: 64,
    });
    const inputs = { address: "http://ours:4646", token: "ours-token", mount };
    const unseen = hidesMore() ? "maxTokenNameLength, caCert, clientCert, token, clientKey" : "token, clientKey";
    const changes = [
      'address: "http://[secret]@theirs:4646" -> "http://ours:4646"',
      ...(hidesMore() ? [] : ["maxTokenNameLength: 64 -> nothing"]),
    ];
    const message = await differs(engine("SchedulerAccess").up({ ...inputs, adopt: "unchanged" }));
    for (const part of [...changes, unseen]) expect(message).toContain(part);
    await engine("SchedulerAccess").up({ ...inputs, adopt: true });
    expect(printed).toEqual(lines(...changes, unseen));
    const again = engine("SchedulerAccess");
    expect(await again.up({ ...inputs, adopt: "unchanged" })).toBe("create");
  });
});
