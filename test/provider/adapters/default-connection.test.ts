import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { secrets } from "../../../provider";
import { registered } from "../../support/registered";

const configure = (...names: string[]): void => {
  const server = JSON.stringify({ secrets: { address: "http://127.0.0.1:1" } });
  setAllConfig(Object.fromEntries(names.map((name) => [`steward:${name}`, server])));
};
afterEach(() => setAllConfig({}));

const declare = (args: object = {}): unknown => new secrets.SchedulerLease("lease", { ttl: "1h", ...args });

describe("a configuration that misspells steward:default", () => {
  const message = (name: string): string =>
    `The stack's configuration has steward:${name}, but no steward:default. Did you mean "default"? Rename the key in the stack's configuration file.`;

  test.each(["defualt", "defautl", "edfault", "defalt", "defaul", "deafault", "defaults", "dafault", "Default"])(
    "is rejected by resources and functions: %s",
    async (name) => {
      configure("other", name);
      expect(declare).toThrow(expect.objectContaining({ code: "ERR_INVALID_INPUT", message: message(name) }));
      expect(() => declare({ connection: "default" })).toThrow(message(name));
      expect(() => secrets.SchedulerLease.get("lease", "nomad/config/lease")).toThrow(message(name));
      await expect(secrets.getRekeyStatus()).rejects.toThrow(`: ${message(name)}`);
    },
  );

  test.each([
    { what: "a default connection beside it", names: ["default", "defualt"], args: {} },
    { what: "a connection that the resource names", names: ["defualt"], args: { connection: "defualt" } },
    { what: "a name that is not similar", names: ["default2", "vault", "def", "production"], args: {} },
    { what: "an empty configuration", names: [], args: {} },
  ])("is not suspected with $what", async ({ names, args }) => {
    configure(...names);
    expect((await registered(() => declare(args))).getName()).toBe("lease");
  });
});
