import { runtime } from "@pulumi/pulumi";
import { Provider, secrets } from "../../../provider";
import { refusal } from "../../support/refusal";

const declare = async (native: string | undefined, work: () => unknown): Promise<unknown> => {
  await runtime.setMocks({ call: () => ({}), newResource: ({ inputs }) => ({ id: "id", state: inputs }) });
  runtime.setAllConfig(native === undefined ? {} : { "steward:native": native });
  return work();
};

test.each(["yes", "True", "1", ""])("steward:native %j is rejected, instead of counting as false", async (value) => {
  const role = (): unknown => new secrets.SchedulerRole("web", { name: "web", policies: ["read"] });
  await expect(declare(value, role)).rejects.toThrow(refusal("ERR_INVALID_INPUT", { rule: "native" }));
});

test.each(["false", undefined])("an explicit provider is rejected if steward:native is %s", async (value) => {
  await expect(declare(value, () => new Provider("other", {}))).rejects.toThrow(refusal("ERR_INVALID_INPUT", { rule: "native-only" }));
});
