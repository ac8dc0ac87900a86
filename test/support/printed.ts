/** The lines that the test at hand has printed, which its reader is spared. */
export let printed: string[] = [];

beforeEach(() => {
  printed = [];
  jest.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
});
afterEach(() => jest.restoreAllMocks());
