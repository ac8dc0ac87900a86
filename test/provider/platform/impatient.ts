import { limits } from "../../../provider/http";
import { Fault } from "../../../sandbox/index";

// What is repeated is repeated soon, and what is printed nobody reads.

const { firstPause } = limits;
beforeAll(() => {
  limits.firstPause = 5;
});
afterAll(() => {
  limits.firstPause = firstPause;
});
beforeEach(() => void jest.spyOn(console, "log").mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

/** The writes of settings, for a fault that meets them. */
export const patch: Pick<Fault, "system" | "method" | "path"> = { system: "platform", method: "PATCH", path: /-settings$/ };
