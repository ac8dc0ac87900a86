import type { Records } from "../platform/records";
import type { Settings } from "../platform/settings";
import { valuesOf } from "../platform/settings";
import type { Block, Section } from "./view";
import { row, secret, table, time } from "./view";

export function platformView(records: Records, settings: Settings[], url: string): Section {
  return {
    note: url,
    blocks: [
      ...settings.map((one) => settingsBlock(records, one)),
      deprecations(records),
      workspaces(records),
      table(
        "Mails sent",
        ["To", "From", "Server", "At"],
        records.mail
          .sent()
          .map(({ to, sender, host, at }, index) => row(`${index}`, to, sender, host, time(at)))
          .reverse(),
      ),
      table(
        "Text messages sent",
        ["To", "From", "At"],
        records.sms
          .sent()
          .map(({ to, from, at }, index) => row(`${index}`, to, from, time(at)))
          .reverse(),
      ),
      table(
        "OIDC signing keys",
        ["Key", "Created"],
        records.keys
          .list()
          .map(({ kid, createdAt }) => row(kid, kid, time(createdAt)))
          .reverse(),
      ),
    ],
  };
}

/** Everything that must not be shown, wherever it turns up. */
export function platformSecrets(records: Records, settings: Settings[]): string[] {
  const held = settings.flatMap((one) => {
    const values = valuesOf(records, one);
    return Object.keys(values)
      .filter((name) => isSecret(one, name))
      .map((name) => String(values[name] ?? ""));
  });
  return [records.token, records.memberToken, ...held];
}

/** What the API itself never shows, and what it shows but should be seen by nobody else. */
function isSecret({ attributes }: Settings, name: string): boolean {
  return attributes[name]?.only === "writes" || attributes[name]?.secret === true;
}

function settingsBlock(records: Records, settings: Settings): Block {
  const rows = Object.entries(valuesOf(records, settings)).map(([name, value]) => {
    const shown = isSecret(settings, name) ? secret(value) : String(value ?? "");
    return { ...row(name, name, shown), untouched: value === settings.attributes[name]?.default };
  });
  return table(settings.type, [], rows);
}

function deprecations({ modules }: Records): Block {
  const rows = modules.flatMap(({ organization, name, provider, versions }) =>
    [...versions].flatMap(([version, { deprecation }]) => {
      const id = `${organization.name}/${name}/${provider} ${version}`;
      return deprecation ? [row(id, id, deprecation.reason, deprecation.link ?? "")] : [];
    }),
  );
  const count = modules.reduce((sum, { versions }) => sum + versions.size, 0);
  return table("Deprecated module versions", ["Version", "Reason", "Link"], rows, `None of ${count}.`);
}

function workspaces(records: Records): Block {
  const rows = [...records.workspaces.values()].map(({ id, name, organization, locked, run }) =>
    row(id, `${organization.name}/${name}`, run?.status ?? "never run", locked ? "locked" : ""),
  );
  return table("Workspaces", ["Workspace", "Run", "Lock"], rows);
}
