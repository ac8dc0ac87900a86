import { Log } from "../log";
import { row, Section, Tone, table } from "../view";

const maxRequests = 200;

/** The requests, newest first. `started`: the start of the sandbox in milliseconds. */
export function requestsView(log: Log, started: number): Section {
  const rows = log.newest(maxRequests).map(({ number, at, system, method, path, status }) => {
    const cell = status === 0 ? "…" : { text: String(status), tone: tone(status) };
    return row(`${number}`, since(at - started), { text: system, tone: system }, method, path, cell);
  });
  const columns = ["After", "System", "Method", "Path", "Status"];
  return { note: "newest first", blocks: [table("All services", columns, rows.reverse(), "None yet.", log.count)] };
}

function tone(status: number): Tone {
  if (status < 400) return "good";
  return status < 500 ? "warn" : "bad";
}

/** A duration such as 1:02:03.4 or 0:03.4. */
function since(milliseconds: number): string {
  const tenths = Math.floor(milliseconds / 100);
  const minutes = Math.floor(tenths / 600);
  const seconds = `${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
  return minutes < 60 ? `${minutes}:${seconds}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}
