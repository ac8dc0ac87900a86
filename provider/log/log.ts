/** Receives lines for the user, and shows their severity. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** A line and its severity. */
export interface Line {
  severity: keyof Log;
  text: string;
}
