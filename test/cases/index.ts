import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Context, ResourceCase } from "./case";
import type { SettingsCase } from "./settings";

interface CaseFile {
  cases: readonly ResourceCase[];
  settings?: SettingsCase;
}

/** Every file of this folder: a new resource needs no line anywhere. */
const files = readdirSync(__dirname)
  .filter((file) => file.endsWith(".ts") && !/^(case|index|settings)\.ts$|\.test\.ts$/.test(file))
  .map((file) => require(join(__dirname, file)) as CaseFile);

export const cases: readonly ResourceCase[] = files.flatMap((file) => file.cases);

/** All settings, with values of each attribute. */
export const settingsCases: readonly SettingsCase[] = files.flatMap(({ settings }) => settings ?? []);

/** Those that live by themselves: all but the steps of a rekey. */
export const livingCases = cases.filter(({ requests }) => requests);

export const caseOf = (token: string): ResourceCase => {
  const found = cases.find((each) => each.token === token);
  if (!found) throw new Error(`There is no case of ${token} in test/cases.`);
  return found;
};

/** What the servers hold of all cases. */
export async function held(context: Context): Promise<unknown> {
  const paths = livingCases.flatMap((each) =>
    (each.paths?.(context) ?? []).map((path) => [each.token.split(":")[0] as "secrets" | "platform", path] as const),
  );
  return Promise.all(paths.map(([system, path]) => context.outOfBand(system, "GET", path)));
}
