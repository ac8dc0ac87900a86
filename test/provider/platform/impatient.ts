import { limits } from "../../../provider/http";
import { Fault } from "../../../sandbox/index";
import "../../support/printed";

// Retries come soon, and the terminal shows nothing.

const { firstPause } = limits;
beforeAll(() => {
  limits.firstPause = 5;
});
afterAll(() => {
  limits.firstPause = firstPause;
});

/** The writes of settings, for a fault that meets them. */
export const patch: Pick<Fault, "system" | "method" | "path"> = { system: "platform", method: "PATCH", path: /-settings$/ };
