import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { secrets } from "../../../provider";
import { refusal } from "../../support/refusal";
import { registered } from "../../support/registered";

const configure = (...names: string[]): void => {
  const server = JSON.stringify({ secrets: { address: "http://127.0.0.1:1" } });
  setAllConfig(Object.fromEntries(names.map((name) => [`steward:${name}`, server])));
};
afterEach(() => setAllConfig({}));

const declare = (args: object = {}): unknown => new secrets.SchedulerLease("lease", { ttl: "1h", ...args });

describe("a configuration that misspells steward:default", () => {
  test.each(["defualt", "defautl", "edfault", "defalt", "defaul", "deafault", "defaults", "dafault", "Default"])(
    "is rejected by resources and functions: %s",
    async (name) => {
      configure("other", name);
      const misspelt = refusal("ERR_INVALID_INPUT", { rule: "default-misspelt" });
      expect(declare).toThrow(misspelt);
      expect(declare).toThrow(expect.objectContaining({ message: expect.stringMatching(`steward:${name}, .*"default"`) }));
      expect(() => declare({ connection: "default" })).toThrow(misspelt);
      expect(() => secrets.SchedulerLease.get("lease", "nomad/config/lease")).toThrow(misspelt);
      await expect(secrets.getRekeyStatus()).rejects.toThrow(misspelt);
    },
  );

  test.each([
    { what: "a default connection as well", names: ["default", "defualt"], args: {} },
    { what: "a connection that the resource names", names: ["defualt"], args: { connection: "defualt" } },
    { what: "a name that is not similar", names: ["default2", "vault", "def", "production"], args: {} },
    { what: "an empty configuration", names: [], args: {} },
  ])("is not assumed with $what", async ({ names, args }) => {
    configure(...names);
    expect((await registered(() => declare(args))).getName()).toBe("lease");
  });
});
