import { log } from "../../provider/log";

test("a line about a server holds nothing that a terminal obeys", () => {
  const print = jest.spyOn(console, "log").mockImplementation(() => {});
  log("the engine is configured for http://a\u001b]0;canary\u0007\u202eb");
  expect(print.mock.calls).toEqual([["the engine is configured for http://a ]0;canary b"]]);
  print.mockRestore();
});
