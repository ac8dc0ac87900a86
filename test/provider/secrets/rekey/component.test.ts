import { ComponentResource } from "@pulumi/pulumi";
import { secrets } from "../../../../provider";
import { inspectShares } from "../../../../provider/secrets/rekey/inputs";
import { invalidInputs } from "../../../support/refusal";

// Pulumi passes the options of a component to its resources, and then never asks the provider to delete them.
test.each([
  ["retainOnDelete", { retainOnDelete: true }],
  ["deletedWith", { deletedWith: {} as ComponentResource }],
])("a rekey rejects %s, with which Pulumi would drop the only copy of its shares", (option, options) => {
  const rekey = () => new secrets.Rekey("unseal", { secretShares: 1, secretThreshold: 1, currentShares: [] }, options);
  expect(rekey).toThrow(invalidInputs(`${option}: unguarded-delete`));
});

test("a misspelled input is not passed on, since it may have a share", () => {
  const share = Buffer.alloc(33, 1).toString("base64");
  const given = { secretShares: 1, secretThreshold: 1, currentShares: [{ env: "SHARE" }], currentShare: share };
  const passed = inspectShares(given);
  expect(JSON.stringify(passed)).not.toContain(share);
  expect(passed.shareFindings).toEqual([{ path: "currentShare", rule: "unrecognized-keys", reason: "is no input of a rekey" }]);
});

test("a keepSharesInState that is a string passes no share to Pulumi", () => {
  const keepSharesInState = "false" as never;
  const passed = inspectShares({ currentShares: ["00".repeat(33)], keepSharesInState });
  expect(passed).toMatchObject({ currentShares: [], shareFindings: [{ path: "currentShares[0]", rule: "plain-share" }] });
});
