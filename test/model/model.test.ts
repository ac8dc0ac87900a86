import { configurations } from "./configurations";
import { explore } from "./explore";
import * as properties from "./properties";

// `node tools/run.js model` explores more.

test.each(configurations)("$settings $small", ({ settings, small }) => {
  const { violations, ends } = explore(settings, small, properties);
  expect(Object.fromEntries(violations)).toEqual({});
  expect(ends.get("live")).toBeGreaterThan(0);
});
