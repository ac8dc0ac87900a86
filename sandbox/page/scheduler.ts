import { Collection, home, Records, Row } from "../scheduler/records";
import { Block, Cell, row, Section, TableRow, Tone, table } from "../view";

export function schedulerView(records: Records, url: string): Section {
  return {
    note: url,
    blocks: [
      list(records, "Jobs", "jobs", ["Job", "Type", "Status"], ({ Namespace, ID, Type, Status }) => [
        `${Namespace}/${ID}`,
        String(Type),
        toned(Status),
      ]),
      list(records, "Nodes", "nodes", ["Node", "Status", "Eligibility"], (fields) => [
        String(fields.Name),
        toned(fields.Status),
        String(fields.SchedulingEligibility),
      ]),
      list(records, "Deployments", "deployments", ["Job", "Version", "Status", "Description"], (fields) => [
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

/** The records of all regions. Those outside the home region show their region. */
function list(
  { regions }: Records,
  title: string,
  collection: Collection,
  columns: string[],
  cells: (fields: Row) => [string, ...Cell[]],
): Block {
  const rows: TableRow[] = [...regions.values()].flatMap(({ name, state }) =>
    [...state[collection].rows].map(([key, fields]) => {
      const [first, ...others] = cells(fields);
      return row(`${name} ${key}`, name === home ? first : `${first} (${name})`, ...others);
    }),
  );
  return table(title, columns, rows);
}

const tones: Record<string, Tone> = {
  running: "good",
  successful: "good",
  ready: "good",
  pending: "warn",
  paused: "warn",
  blocked: "warn",
  initializing: "warn",
  failed: "bad",
  down: "bad",
  disconnected: "bad",
};

function toned(status: unknown): Cell {
  const text = String(status);
  const tone = tones[text];
  return tone ? { text, tone } : text;
}
