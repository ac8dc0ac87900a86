import { certificate, privateKey } from "../../support/certificates";
import { Engine } from "../../support/engine";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

onEachTarget("SchedulerAccess", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerAccess", current().config());
  const inputs = { address: "http://127.0.0.1:4646", token: "management-token-1" };

  test("is created, updated, replaced, removed outside Pulumi and deleted", async () => {
    const { outOfBand, newMount } = current();
    const [mount, other] = [await newMount(), await newMount()];
    const access = engine();
    expect(await access.up({ ...inputs, mount })).toBe("create");
    expect(access.outputs()).toEqual({ ...inputs, mount });
    expect(access.state?.id).toBe(`${mount}/config/access`);
    expect(await access.refresh()).toEqual([]);
    expect(await access.up({ ...inputs, mount })).toBe("same");
    expect(await access.up({ ...inputs, token: "management-token-2", mount })).toBe("update");
    expect(await access.up({ ...inputs, address: "http://127.0.0.1:4647", mount })).toBe("update");
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address).toBe("http://127.0.0.1:4647");
    expect(await access.refresh()).toEqual([]);

    expect(await access.preview({ ...inputs, mount: other })).toMatchObject({ operation: "replace", deleteBeforeReplace: false });
    await access.up({ ...inputs, mount: other });
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address ?? "").toBe("");
    await access.destroy();
    expect((await outOfBand("GET", `${other}/config/access`)).data?.address ?? "").toBe("");
    // What a deletion leaves behind is no configuration that a creation would have to adopt.
    expect(await access.up({ ...inputs, mount: other })).toBe("create");
    await access.destroy();
  });

  test("an address changed outside Pulumi is drift, and up repairs it", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const access = engine();
    await access.up({ ...inputs, mount });
    await outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:9999", token: "theirs" });
    expect(await access.refresh()).toEqual(["address"]);
    expect(await access.up({ ...inputs, mount })).toBe("update");
    expect(await access.refresh()).toEqual([]);
  });

  test("certificates and the name length are drift if the server returns them", async () => {
    const { dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    const access = engine();
    const all = { ...inputs, maxTokenNameLength: 64, caCert: certificate, clientCert: certificate, clientKey: privateKey, mount };
    await access.up(all);
    expect(await access.refresh()).toEqual([]);
    expect(await access.up({ ...all, caCert: `\r\n${certificate.trim().replaceAll("\n", "\r\n")}` })).toBe("same");

    const rest = { max_token_name_length: 64, ca_cert: certificate, client_cert: certificate };
    const shown = (drift: string): string[] => (dialect === "hashicorp" ? [drift] : []);
    await outOfBand("POST", `${mount}/config/access`, { ...rest, max_token_name_length: 128 });
    expect(await access.refresh()).toEqual(shown("maxTokenNameLength"));
    await access.up(all);
    await outOfBand("POST", `${mount}/config/access`, { ...rest, ca_cert: "" });
    expect(await access.refresh()).toEqual(shown("caCert"));
    await access.up(all);
    await outOfBand("POST", `${mount}/config/access`, { ...rest, client_cert: "other" });
    expect(await access.refresh()).toEqual(shown("clientCert"));
    await access.up(all);
    expect(await access.refresh()).toEqual([]);

    // What leaves the program leaves the server and the state, too.
    expect(await access.up({ ...inputs, mount })).toBe("update");
    expect(JSON.stringify(access.state)).not.toContain("PRIVATE KEY");
    if (dialect === "hashicorp")
      expect((await outOfBand("GET", `${mount}/config/access`)).data).toMatchObject({ ca_cert: "", client_cert: "" });
    await access.refresh();
    expect(JSON.stringify(access.state)).not.toContain("PRIVATE KEY");
  });

  test("an existing configuration is overwritten only with adopt", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/config/access`, { address: "http://theirs.example:4646", token: "theirs" });
    const access = engine();
    const refused = access.up({ ...inputs, mount });
    await expect(refused).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    for (const data of [`"${mount}"`, "http://theirs.example:4646", "adopt: true"]) await expect(refused).rejects.toThrow(data);
    expect(await access.up({ ...inputs, adopt: true, mount })).toBe("create");
    expect(await access.up({ ...inputs, mount })).toBe("same");
  });

  test("credentials in an existing address appear in neither the state nor a message", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const access = engine();
    await access.up({ ...inputs, mount });
    await outOfBand("POST", `${mount}/config/access`, { address: "http://me:canary-password@127.0.0.1:4646", token: "theirs" });
    expect(await access.refresh()).toEqual(["address"]);
    expect(access.outputs().address).toBe("http://[secret]@127.0.0.1:4646");
    const refused = await engine()
      .up({ ...inputs, mount })
      .catch(String);
    expect(refused).toContain(" http://[secret]@127.0.0.1:4646 ");
    expect(JSON.stringify([access.state, refused])).not.toContain("canary");
    expect(await access.up({ ...inputs, mount })).toBe("update");
  });

  test.each([
    "me:canary@127.0.0.1:4646",
    "http://me:can/ary@127.0.0.1",
    "http:me:canary@127.0.0.1",
    "http:\\\\me:canary@127.0.0.1",
    "http://127.0.0.1/?token=canary",
  ])("credentials in %s appear in neither the state nor a message", async (address) => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const access = engine();
    await access.up({ ...inputs, mount });
    await outOfBand("POST", `${mount}/config/access`, { address, token: "theirs" });
    await access.refresh();
    const refused = await engine()
      .up({ ...inputs, mount })
      .catch(String);
    expect(refused).toContain("[secret]");
    expect(JSON.stringify([access.state, refused])).not.toMatch(/canary|can\/ary/);
  });

  test("an address that the program marks as secret is not named by the refusal", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/config/access`, { address: "http://canary:4646", token: "theirs" });
    const secret = { ...inputs, mount, address: "http://canary:4646", secretInputs: ["address"] };
    const refused = await engine().up(secret).catch(String);
    expect(refused).toContain(" [secret] ");
    expect(refused).not.toContain("canary");
  });

  test("address and token may come from the service's own environment, but for the token of Vault", async () => {
    const { dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    const access = engine();
    const declared = { maxTokenNameLength: 64, mount };
    if (dialect === "hashicorp") expect(await access.problems(declared)).toEqual(["token: missing"]);
    const given = dialect === "hashicorp" ? { ...declared, token: "ours" } : declared;
    expect(await access.up(given)).toBe("create");
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address).toBe("");
    expect(access.outputs()).toMatchObject({ address: "" });
    expect(await access.refresh()).toEqual([]);
    expect(await access.up(given)).toBe("same");
    // Not declared, not compared.
    await outOfBand("POST", `${mount}/config/access`, { address: "http://theirs:4646", token: "theirs", max_token_name_length: 64 });
    expect(await access.refresh()).toEqual([]);
    expect(access.outputs()).toMatchObject({ address: "http://theirs:4646" });
    expect(await access.up(given)).toBe("same");
    // Declared, and no longer: it leaves the server.
    expect(await access.up({ ...given, address: "http://ours:4646" })).toBe("update");
    expect(await access.refresh()).toEqual([]);
    expect(await access.up(given)).toBe("update");
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address).toBe("");
    expect(await engine().get(`${mount}/config/access`)).toMatchObject({ address: "", mount });
    await access.destroy();
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address ?? "").toBe("");
  });

  test("get reads the configuration without its secrets", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await expect(engine().get(`${mount}/config/access`)).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
    await outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:4646", token: "theirs" });
    const access = engine();
    expect(await access.get(`${mount}/config/access`)).toMatchObject({ address: "http://127.0.0.1:4646", mount });
    await access.refresh();
    expect(JSON.stringify(access.state)).not.toContain("theirs");
  });
});
