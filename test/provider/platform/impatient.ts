import { limits } from "../../../provider/http";

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
