import { call, ReadFunction } from "../../../provider/contract/function";
import { onlyConnection } from "../../../provider/contract/inputs";
import { system } from "../../../provider/platform/client";
import { connectTo } from "../../support/connection";
import { refusal } from "../../support/refusal";

const banner: ReadFunction<object, string> = {
  token: "platform:getBanner",
  operation: "Cannot read the banner",
  system,
  dialects: ["hashicorp"],
  options: onlyConnection,
  run: async () => "read",
};
const on = (dialect: string) => connectTo("platform", { address: "http://127.0.0.1:1", token: "canary-token", dialect });

test("a function runs in its dialects, and names them in the error of another one", async () => {
  expect(await call(banner, on("hashicorp"), {})).toBe("read");
  expect(() => call(banner, on("standard"), {})).toThrow(refusal("ERR_INVALID_INPUT", { rule: "dialect" }));
  expect(() => call(banner, on("standard"), {})).toThrow('the dialect "standard" has no platform.getBanner: ');
});
