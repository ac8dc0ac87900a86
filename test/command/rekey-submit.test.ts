import { noShares } from "../../provider/secrets/rekey/stops";
import { onEachRekeyTarget } from "../support/rekey";
import { tools } from "./rekey";

onEachRekeyTarget("pulumi-steward rekey submit", (current) => {
  const { alone, begin, sent, share, submitShares } = tools(current);

  test("sends no share to a rekey that makes a single one, which is the whole key of the client that started it", async () => {
    const name = await begin({ secret_shares: 1, secret_threshold: 1 });
    const refused = await alone(["submit", "--nonce", name], share(0));
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("single share") });
    expect(sent("update")).toBe(0);
  });

  test("fails if the response to the last share has no new shares", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2, require_verification: false });
    await submitShares(name);
    const without = JSON.stringify({ complete: true, keys: [], keys_base64: [] });
    current().gateway.interrupt = ({ path }) => (path.endsWith("/update") ? { when: "after", answer: () => without } : undefined);
    const last = await alone(["submit", "--nonce", name], share(2));
    expect(last).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(noShares.reason) });
  });
});
