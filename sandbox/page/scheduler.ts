import { Collection, home, Records, Row } from "../scheduler/records";
import { Block, Cell, row, Section, Tone, table } from "../view";

export function schedulerView({ regions }: Records, url: string): Section {
  // The records of all regions. Those outside the home region show their region.
  const list = (title: string, collection: Collection, columns: string[], cells: (fields: Row) => [string, ...Cell[]]): Block => {
    const rows = [...regions.values()].flatMap(({ name, state }) =>
      [...state[collection].rows].map(([key, fields]) => {
        const [first, ...others] = cells(fields);
        return row(`${name} ${key}`, name === home ? first : `${first} (${name})`, ...others);
      }),
    );
    return table(title, columns, rows);
  };
  return {
    note: url,
    blocks: [
      list("Jobs", "jobs", ["Job", "Type", "Status"], ({ Namespace, ID, Type, Status }) => [
        `${Namespace}/${ID}`,
        String(Type),
        toned(Status),
      ]),
      list("Nodes", "nodes", ["Node", "Status", "Eligibility"], (fields) => [
        String(fields.Name),
        toned(fields.Status),
        String(fields.SchedulingEligibility),
      ]),
      list("Deployments", "deployments", ["Job", "Version", "Status", "Description"], (fields) => [
        `${fields.Namespace}/${fields.JobID}`,
        String(fields.JobVersion),
        toned(fields.Status),
        String(fields.StatusDescription),
      ]),
    ],
  };
}

/** The secrets that the page must hide everywhere. */
export function schedulerSecrets({ token, tokens }: Records): string[] {
  return [token, ...[...tokens.values()].map(({ secret }) => secret)];
}

const statuses: [Tone, string[]][] = [
  ["good", ["running", "successful", "ready"]],
  ["warn", ["pending", "paused", "blocked", "initializing"]],
  ["bad", ["failed", "down", "disconnected"]],
];

function toned(status: unknown): Cell {
  const text = String(status);
  const [tone] = statuses.find(([, names]) => names.includes(text)) ?? [];
  return tone ? { text, tone } : text;
}
