import { text } from "node:stream/consumers";
import { certificate, privateKey, sha1Certificate } from "../../support/certificates";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { atNewMount, onEachTarget } from "../../support/target";
import { serveAt } from "../http/exchange";

onEachTarget("SchedulerAccess", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerAccess", current().config());
  const inputs = { address: "http://127.0.0.1:4646", token: "management-token-1" };

  test("inputs that are removed from the program are removed from the server, and those of others stay", async () => {
    const { dialect, outOfBand, newMount, mount } = await atNewMount(current());
    const access = engine();
    const all = { ...inputs, caCert: certificate, clientCert: certificate, clientKey: privateKey, mount };
    await access.up(all);
    expect(await access.up({ ...all, caCert: `\r\n${certificate.trim().replaceAll("\n", "\r\n")}` })).toBe("same");
    expect(await access.up({ ...inputs, mount })).toBe("update");
    if (dialect === "hashicorp")
      expect((await outOfBand("GET", `${mount}/config/access`)).data).toMatchObject({ ca_cert: "", client_cert: "" });
    for (const _ of [1, 2]) {
      expect(JSON.stringify(access.state)).not.toContain("PRIVATE KEY");
      await access.refresh();
    }
    // An update keeps certificates that the program does not declare, and the maximum length of the last refresh.
    const theirs = { client_cert: certificate, client_key: privateKey, max_token_name_length: 64 };
    await outOfBand("POST", `${mount}/config/access`, { ...inputs, ...theirs });
    expect(await access.refresh()).toEqual([]);
    expect(await access.up({ ...inputs, mount, token: "management-token-2" })).toBe("update");
    const { data } = await outOfBand("GET", `${mount}/config/access`);
    expect(data).toMatchObject(
      dialect === "hashicorp" ? { client_cert: certificate, max_token_name_length: 64 } : { address: inputs.address },
    );
    // The engine at the old mount must still revoke the tokens that are replaced with it.
    const moved = await access.preview({ ...inputs, mount: await newMount() });
    expect(moved).toMatchObject({ replaces: ["mount"], deleteBeforeReplace: false });
  });

  test.each([
    [certificate, false],
    [certificate + sha1Certificate, true],
  ])("a certificate signed with SHA-1 causes a warning", async (caCert, isWarned) => {
    await engine().preview({ ...inputs, caCert });
    expect(printed.some((line) => line.includes("SHA-1, which the secrets engine cannot verify"))).toBe(isWarned);
  });

  test.each([
    "http://me:canary@127.0.0.1:4646",
    "me:canary@127.0.0.1:4646",
    "http://me:can/ary@127.0.0.1",
    "http:me:canary@127.0.0.1",
    "http:\\\\me:canary@127.0.0.1",
    "http://127.0.0.1/?token=canary",
  ])("credentials in %s appear in neither the state nor a message", async (address) => {
    const { outOfBand, mount } = await atNewMount(current());
    const access = engine();
    await access.up({ ...inputs, mount });
    await outOfBand("POST", `${mount}/config/access`, { address, token: "theirs" });
    expect(await access.refresh()).toEqual(["address"]);
    expect(access.outputs().address).toContain("[secret]");
    const refused = await engine()
      .up({ ...inputs, mount })
      .catch(String);
    expect(refused).toContain("[secret]");
    expect(JSON.stringify([access.state, refused])).not.toMatch(/canary|can\/ary/);
    expect(await access.up({ ...inputs, mount })).toBe("update");
  });

  test("an error does not show an address that the program marks as secret", async () => {
    const { outOfBand, mount } = await atNewMount(current());
    await outOfBand("POST", `${mount}/config/access`, { address: "http://canary:4646", token: "theirs" });
    const secret = { ...inputs, mount, address: "http://canary:4646", __secretInputs: ["address"] };
    const refused = await engine().up(secret).catch(String);
    expect(refused).toContain(" [secret]. ");
    expect(refused).not.toContain("canary");
  });

  test("address and token are optional if the service's own environment has them, except for Vault's token", async () => {
    const { dialect, outOfBand, mount } = await atNewMount(current());
    const access = engine();
    const declared = { maxTokenNameLength: 64, mount };
    if (dialect === "hashicorp") expect(await access.problems(declared)).toEqual(["token: missing"]);
    const given = dialect === "hashicorp" ? { ...declared, token: "ours" } : declared;
    expect(await access.up(given)).toBe("create");
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address).toBe("");
    expect(access.outputs()).toMatchObject({ address: "" });
    expect(await access.refresh()).toEqual([]);
    expect(await access.up(given)).toBe("same");
    // An undeclared value is not compared.
    await outOfBand("POST", `${mount}/config/access`, { address: "http://theirs:4646", token: "theirs", max_token_name_length: 64 });
    expect(await access.refresh()).toEqual([]);
    expect(access.outputs()).toMatchObject({ address: "http://theirs:4646" });
    expect(await access.up(given)).toBe("same");
    // A value that is no longer declared is removed from the server.
    expect(await access.up({ ...given, address: "http://ours:4646" })).toBe("update");
    expect(await access.refresh()).toEqual([]);
    expect(await access.up(given)).toBe("update");
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address).toBe("");
    expect(await engine().get(`${mount}/config/access`)).toMatchObject({ address: "", mount });
    await access.destroy();
    expect((await outOfBand("GET", `${mount}/config/access`)).data?.address ?? "").toBe("");
  });
});

test.each(["standard", "hashicorp", "openbao"])(
  "an update sends certificates and a key only if the program declares them, or did at the last up (%s)",
  async (dialect) => {
    const held: Record<string, unknown> = {};
    const address = await serveAt(async (request, response) => {
      const body = await text(request);
      if (request.method === "GET" && !held.address) return response.writeHead(404).end('{"errors":[]}');
      const { token, client_key, ...shown } = held;
      if (request.method === "GET") return response.end(JSON.stringify({ data: shown }));
      // As in Vault: an omitted field keeps its value.
      Object.assign(held, JSON.parse(body));
      response.writeHead(204).end();
    });
    const access = new Engine("secrets:SchedulerAccess", { "steward:default": { secrets: { address, dialect } } });
    const inputs = { address: "http://127.0.0.1:4646", token: "one", adopt: true };
    const theirs = { ca_cert: "their CA", client_cert: "their certificate", client_key: "their key" };
    const blank = { ca_cert: "", client_cert: "", client_key: "" };
    Object.assign(held, theirs);
    await access.up(inputs);
    expect(held).toMatchObject(blank);

    Object.assign(held, theirs);
    await access.up({ ...inputs, token: "two" });
    expect(held).toMatchObject({ ...theirs, token: "two" });
    await access.refresh();
    await access.up({ ...inputs, token: "three" });
    expect(held).toMatchObject({ ...theirs, token: "three" });

    const ours = { caCert: certificate, clientCert: certificate, clientKey: privateKey };
    await access.up({ ...inputs, ...ours });
    expect(held).toMatchObject({ ca_cert: certificate, client_cert: certificate, client_key: privateKey });
    await access.up(inputs);
    expect(held).toMatchObject(blank);
    Object.assign(held, theirs);
    await access.up({ ...inputs, token: "four" });
    expect(held).toMatchObject({ ...theirs, token: "four" });
  },
);
