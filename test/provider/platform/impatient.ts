import { Fault } from "../../../sandbox/index";
import "../../support/printed";

// The terminal shows nothing.

/** The writes of settings, for a fault that meets them. */
export const patch: Pick<Fault, "system" | "method" | "path"> = { system: "platform", method: "PATCH", path: /-settings$/ };
