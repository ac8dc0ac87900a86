import { readdirSync } from "node:fs";
import { join } from "node:path";
import { secretsOf } from "../../provider/contract/fields";
import { definitions } from "../../provider/registry/resources";
import { Context, isIn, ResourceCase, withReferences } from "./case";
import type { SettingsCase } from "./settings";

interface CaseFile {
  cases: readonly ResourceCase[];
  settings?: SettingsCase;
}

/** Every file of this folder: a new resource is found automatically. */
const files = readdirSync(__dirname)
  .filter((file) => file.endsWith(".ts") && !/^(case|index|settings)\.ts$|\.test\.ts$/.test(file))
  .map((file) => require(join(__dirname, file)) as CaseFile);

export const cases: readonly ResourceCase[] = files.flatMap((file) => file.cases);

/** The cases of all settings, with values of each attribute. */
export const settingsCases: readonly SettingsCase[] = files.flatMap(({ settings }) => settings ?? []);

/** The cases that can be created alone: all except the steps of a rekey. */
export const livingCases = cases.filter(({ requests }) => requests);

/** The living cases by value, and those with secret inputs also by reference. */
export const livingForms = livingCases.flatMap((each) => {
  const fields = definitions.find(({ token }) => token === each.token)?.fields ?? {};
  const { inputs, changed } = each;
  const byReference = {
    title: `${each.token} by reference`,
    inputs: (context: Context) => withReferences(fields, inputs(context)),
    changed: changed && ((context: Context) => withReferences(fields, changed(context))),
  };
  const hasSecretInput = secretsOf(fields).some(([field = ""]) => fields[field]?.input);
  return [{ ...each, title: each.token }, ...(hasSecretInput ? [{ ...each, ...byReference }] : [])];
});

export const caseOf = (token: string): ResourceCase => {
  const found = cases.find((each) => each.token === token);
  if (!found) throw new Error(`There is no case of ${token} in test/cases.`);
  return found;
};

/** The objects of all cases on the servers. */
export async function held(context: Context): Promise<unknown> {
  const paths = livingCases
    .filter(isIn(context.dialect))
    .flatMap((each) => (each.paths?.(context) ?? []).map((path) => [each.token.split(":")[0] as "secrets" | "platform", path] as const));
  return Promise.all(paths.map(([system, path]) => context.outOfBand(system, "GET", path)));
}
