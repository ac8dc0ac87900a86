import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Context, ResourceCase } from "./case";

/** Every case of this folder: a new resource needs no line anywhere. */
export const cases: readonly ResourceCase[] = readdirSync(__dirname)
  .filter((file) => file.endsWith(".ts") && !/^(case|index|settings)\.ts$|\.test\.ts$/.test(file))
  .flatMap((file) => (require(join(__dirname, file)) as { cases: readonly ResourceCase[] }).cases);

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
