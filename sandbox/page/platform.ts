import { Records } from "../platform/records";
import { routeFiles } from "../platform/routes";
import { Settings, valuesOf } from "../platform/settings";
import { Block, row, Section, secret, table } from "../view";

export function platformView(records: Records, settings: Settings[], url: string): Section {
  const views = routeFiles.flatMap(({ view }) => view?.(records) ?? []);
  return { note: url, blocks: [...settings.map((one) => settingsBlock(records, one)), ...views] };
}

/** The secrets that the page must hide everywhere. */
export function platformSecrets(records: Records, settings: Settings[]): string[] {
  const settingsSecrets = settings.flatMap((one) => {
    const values = valuesOf(records, one);
    return Object.keys(values)
      .filter((name) => isSecret(one, name))
      .map((name) => String(values[name] ?? ""));
  });
  return [records.token, records.memberToken, ...settingsSecrets, ...routeFiles.flatMap(({ secrets }) => secrets?.(records) ?? [])];
}

/** True for a write-only attribute and for a secret that the API returns. */
function isSecret({ attributes }: Settings, name: string): boolean {
  return attributes[name]?.only === "writes" || attributes[name]?.secret === true;
}

function settingsBlock(records: Records, settings: Settings): Block {
  const rows = Object.entries(valuesOf(records, settings)).map(([name, value]) => {
    const cell = isSecret(settings, name) ? secret(value) : String(value ?? "");
    return { ...row(name, name, cell), isDefault: value === settings.attributes[name]?.default };
  });
  return table(settings.type, [], rows);
}
