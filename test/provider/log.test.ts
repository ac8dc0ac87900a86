import { log } from "../../provider/log";

test("a logged line about a server contains no control characters", () => {
  const print = jest.spyOn(console, "log").mockImplementation(() => {});
  log("the engine is configured for http://a\u001b]0;canary\u0007\u202eb");
  expect(print.mock.calls).toEqual([["the engine is configured for http://a ]0;canary b"]]);
  print.mockRestore();
});
