import { ComponentResource } from "@pulumi/pulumi";
import { secrets } from "../../../../provider";
import { invalidInputs } from "../../../support/refusal";

// Pulumi passes the options of a component to its resources, and then never asks the provider to delete them.
test.each([
  ["retainOnDelete", { retainOnDelete: true }],
  ["deletedWith", { deletedWith: {} as ComponentResource }],
])("a rekey rejects %s, with which Pulumi would drop the only copy of its shares", (option, options) => {
  const rekey = () => new secrets.Rekey("unseal", { secretShares: 1, secretThreshold: 1, currentShares: [] }, options);
  expect(rekey).toThrow(invalidInputs(`${option}: unguarded-delete`));
});
