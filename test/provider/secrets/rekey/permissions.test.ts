import { Ended, steward } from "../../../command/holder";
import { folder } from "../../../command/rekey";
import { call } from "../../../support/call";
import { blocks, readPage } from "../../../support/pages";
import { binaryKey, Holder, holders, read } from "../../../support/pgp";
import "../../../support/printed";
import { inputsFrom, RekeyStack } from "../../../support/rekey";
import {
  capabilitiesIn,
  capabilitiesOf,
  documented,
  rekeyWithPolicies,
  TokenService,
  tokenServices,
  tokenWith,
  without,
} from "../../../support/rekey-ceremony";
import { variablesFor } from "../../../support/rekey-wire";

// The policies of the API page, and those of the pages for holders.

/** The capabilities that a command needs besides the policy of a holder, by the page for holders. */
const additional = (command: string, place: string): string[] => {
  const [, cell = ""] = new RegExp(`^\\| \`${command}\` +\\| (.*) \\|$`, "m").exec(readPage("docs/rekey/command-line.md")) ?? [];
  const [, capability = ""] = /^`(\w+)` on/.exec(cell) ?? [];
  return [...cell.matchAll(/`sys\/rekey\/(\w+)`/g)].map(([, end]) => `\`${capability}\` on ${place}/${end}`);
};

// Each test continues with the shares of the one before.
describe.each(tokenServices)("$dialect", ({ dialect, start }) => {
  let service: TokenService;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  test.each(["stack", "holders"] as const)(
    "a stack and several holders rekey with the policies of the API page and nothing else; new shares are verified by the %s",
    (verifiers) => rekeyWithPolicies(service, undefined, verifiers),
  );

  test.each(capabilitiesOf(dialect))("the %s needs `%s` on %s, and the 403 names it", (...missing) => rekeyWithPolicies(service, missing));

  test("a stack without a backup needs no policy for one", async () => {
    const policy = documented[dialect].stack.replace(/^.*backup.*$/m, "");
    const config = { "steward:default": { secrets: { address: service.url, token: await tokenWith(service, "stack", policy), dialect } } };
    const stack = new RekeyStack(config);
    await stack.up(inputsFrom(service.shares));
    expect(stack.outputs.complete).toBe(true);
    service = { ...service, shares: stack.outputs.shares, threshold: 2 };
  });

  test("a drill needs the policy of its page and nothing else, and leaves no attempt", async () => {
    const place = dialect === "openbao" ? "sys/rotate/root" : "sys/rekey";
    const policy = blocks("docs/rekey/drill.md", "hcl").join().replaceAll("sys/rekey", place);
    const drill = async (rules: string): Promise<Ended> => {
      const token = await tokenWith(service, "drill", rules);
      const variables = { ...variablesFor(dialect, { url: service.url, token }), XDG_STATE_HOME: folder };
      return steward(variables, ["rekey", "drill"], service.shares.join("\n"));
    };
    const expectNoneLeft = async (): Promise<void> => {
      expect(await drill(policy)).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/wrong|not proven/) });
      const { json } = await call(service, "GET", `/v1/${place}/init`);
      expect(json.data ?? json).toMatchObject({ started: false });
    };
    await expectNoneLeft();
    const needed = capabilitiesIn(policy);
    expect(needed.length).toBeGreaterThan(3);
    for (const [capability, path] of needed) {
      const denied = await drill(without(policy, capability, path));
      expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining(`\`${capability}\` on ${path}`) });
      await expectNoneLeft();
    }
  });

  test("the page for holders lists what each command needs besides the policy of a holder", async () => {
    const place = dialect === "openbao" ? "sys/rotate/root" : "sys/rekey";
    const send = async (method: string, end: string, body?: object): Promise<Record<string, unknown>> => {
      const { json } = await call(service, method, `/v1/${place}/${end}`, body);
      return json.data ?? json;
    };
    const start = { secret_shares: 3, secret_threshold: 2, require_verification: true };
    await send("PUT", "init", { ...start, backup: true, pgp_keys: (await holders(3)).map(binaryKey) });
    const { nonce } = await send("GET", "init");
    let made: Record<string, unknown> = {};
    for (const key of service.shares.slice(0, service.threshold)) made = await send("PUT", "update", { key, nonce });
    const share = await read((await holders(1))[0] as Holder, (made.keys as string[])[0] as string);

    const token = await tokenWith(service, "holder", documented[dialect].holder);
    const run = (args: string[], input?: string): Promise<Ended> =>
      steward(variablesFor(dialect, { url: service.url, token }), ["rekey", ...args], input);
    const verification = async (): Promise<string> => (await send("GET", "verify")).nonce as string;
    const commands: [command: string, args: () => Promise<string[]>, input?: string][] = [
      ["verify", async () => ["verify", "--nonce", await verification()], share],
      ["restart", async () => ["restart", "--nonce", await verification()]],
      ["backup --delete", async () => ["backup", "--delete", "--nonce", nonce as string]],
      ["cancel", async () => ["cancel", "--nonce", nonce as string]],
      ["init", async () => ["init", "--shares", "3", "--threshold", "2"]],
    ];
    for (const [command, args, input] of commands) {
      const needs: string[] = [];
      for (;;) {
        const extra = needs.map((need) => need.replace(/`(\w+)` on (.*)/, 'path "$2" { capabilities = ["read", "$1"] }\n')).join("");
        // Rules of one path add up.
        await call(service, "PUT", "/v1/sys/policies/acl/holder", { policy: documented[dialect].holder + extra });
        const { code, stderr } = await run(await args(), input);
        if (code === 0) break;
        const [need = ""] = /`\w+` on [\w/]+(?=\.)/.exec(stderr) ?? [];
        expect([stderr, needs]).toEqual([expect.stringContaining(", 403)"), expect.not.arrayContaining([need])]);
        needs.push(need);
      }
      expect([command, ...needs.sort()]).toEqual([command, ...additional(command, place).sort()]);
    }
  });
});
