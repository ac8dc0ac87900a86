/** The lines that the current test has printed, which do not appear in the output. */
export let printed: string[] = [];

beforeEach(() => {
  printed = [];
  jest.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
});
afterEach(() => jest.restoreAllMocks());
