/** Receives lines for the user, and shows their severity. @internal */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** A line and its severity. @internal */
export interface Line {
  severity: keyof Log;
  text: string;
}
