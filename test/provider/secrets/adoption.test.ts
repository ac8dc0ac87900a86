import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { onEachTarget } from "../../support/target";

onEachTarget("adoption", (current) => {
  const engine = (type: string): Engine => new Engine(`secrets:${type}`, current().config());
  const refusal = (operation: Promise<unknown>): Promise<{ code: string; message: string }> =>
    operation.then(
      () => Promise.reject(new Error("it succeeded")),
      (error) => error,
    );
  /** In the standard dialect, what the API document does not show. */
  const hidesMore = (): boolean => current().dialect === "standard";

  describe("of a role", () => {
    const theirs = { policies: "theirs,shared", global: false, type: "client" };
    const ours = { name: "web", policies: ["ours", "shared"], type: "client" };
    const unread = 'scheduler role "web": adopting it overwrites global, which the server does not show.';

    test("prints each attribute that it changes before it writes", async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      await engine("SchedulerRole").up({ ...ours, mount, adopt: true });
      expect(printed).toEqual([
        'scheduler role "web": adopting it changes policies: ["theirs","shared"] -> ["ours","shared"].',
        ...(hidesMore() ? [unread] : []),
      ]);
      expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["ours", "shared"]);
    });

    test('"unchanged" refuses and lists the differences, and writes nothing', async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      const { code, message } = await refusal(engine("SchedulerRole").up({ ...ours, mount, adopt: "unchanged" }));
      expect(code).toBe("ERR_ALREADY_EXISTS");
      const unseen = hidesMore() ? "; the server does not show global, so these were not compared" : "";
      expect(message).toBe(
        `Cannot create scheduler role "web": it exists, and adopting it would change policies: ["theirs","shared"] -> ["ours","shared"]${unseen}. Declare what is there, or set adopt: true to overwrite it.`,
      );
      expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["theirs", "shared"]);
    });

    test('"unchanged" takes over what is declared in another order', async () => {
      const { outOfBand, newMount } = current();
      const mount = await newMount();
      await outOfBand("POST", `${mount}/role/web`, theirs);
      const role = engine("SchedulerRole");
      expect(await role.up({ ...ours, policies: ["shared", "theirs"], mount, adopt: "unchanged" })).toBe("create");
      expect(printed).toEqual(hidesMore() ? [unread] : []);
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
      const { message } = await refusal(engine("SchedulerRole").up({ ...ours, mount, adopt: "unchanged", secretInputs }));
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
    const { message } = await refusal(roles.up({ roles: { one: ours, same }, mount, adopt: "unchanged" }));
    expect(message).toContain('adopting it would change roles.one.policies: ["theirs"] -> ["ours"]');
    expect(message).not.toContain("roles.same");
    await roles.up({ roles: { one: ours, same, fresh: ours }, mount, adopt: true });
    const line = (name: string): string =>
      `scheduler roles of mount "${mount}": adopting it changes roles.${name}.policies: ["theirs"] -> ["ours"].`;
    const ofSet = (): string[] => printed.filter((each) => !each.includes("global"));
    expect(ofSet()).toEqual([line("one")]);
    const joined = { one: ours, same, fresh: ours, two: ours };
    expect((await refusal(roles.up({ roles: joined, mount, adopt: "unchanged" }))).message).toContain("roles.two.policies");
    expect((await outOfBand("GET", `${mount}/role/two`)).data?.policies).toEqual(["theirs"]);
    await roles.up({ roles: joined, mount, adopt: true });
    expect(ofSet()).toEqual([line("one"), line("two")]);
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
    const { message } = await refusal(engine("SchedulerAccess").up({ ...inputs, adopt: "unchanged" }));
    expect(message).toBe(
      `Cannot create scheduler access configuration "${mount}": it exists, and adopting it would change ${changes.join("; ")}; the server does not show ${unseen}, so these were not compared. Declare what is there, or set adopt: true to overwrite it.`,
    );
    await engine("SchedulerAccess").up({ ...inputs, adopt: true });
    const name = `scheduler access configuration "${mount}": adopting it`;
    expect(printed).toEqual([
      ...changes.map((change) => `${name} changes ${change}.`),
      `${name} overwrites ${unseen}, which the server does not show.`,
    ]);
    const again = engine("SchedulerAccess");
    expect(await again.up({ ...inputs, adopt: "unchanged" })).toBe("create");
  });
});
