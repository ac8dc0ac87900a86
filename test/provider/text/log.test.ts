import { providerWith } from "../../../provider/engine/dynamic-runtime";
import { standardOutput } from "../../../provider/text/log";
import { printed } from "../../support/printed";

test("a printed line about a server contains no control characters", () => {
  standardOutput.info("the engine is configured for http://a\u001b]0;canary\u0007\u202eb");
  expect(printed).toEqual(["the engine is configured for http://a ]0;canary b"]);
});

const config = { get: () => JSON.stringify({ platform: { address: "http://127.0.0.1:1", dialect: "standard" } }) };
const workspace = { workspaceId: "ws-1", destroyOnDelete: true, __provider: "text" };

test("a provider prints lines only through its sources", async () => {
  const warnings: string[] = [];
  const provider = providerWith({ log: { ...standardOutput, warn: (line) => void warnings.push(line) } }, "platform:AdminWorkspace");
  provider.configure({ config });
  await provider.check({}, workspace);
  expect(warnings).toEqual([expect.stringMatching(/^workspace "ws-1": /)]);
  expect(printed).toEqual([]);
});
