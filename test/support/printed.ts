/** The lines that the current test has printed, which do not appear in the output. */
export let printed: string[] = [];

/** The lines that the current test has printed, without those about what an adoption overwrites. */
export const printedBesidesAdoption = (): string[] => printed.filter((line) => !/: adoption (changes|overwrites) /.test(line));

beforeEach(() => {
  printed = [];
  jest.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
});
afterEach(() => jest.restoreAllMocks());
