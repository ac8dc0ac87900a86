/** Where the specification and the real product differ: one table, so that no route asks which one it serves. */
export interface Dialect {
  tokenHeader: string;
  /** What the headers of an answer begin with. */
  header: string;
  /** The end of the header that leads to the next page. */
  nextToken: string;
  /** The longest that a request is held, in milliseconds, before the random extra. */
  longestWait: number;
  /** The index of a table that nothing was ever written to. */
  firstIndex: number;
  /** Verbs that register a job. */
  registers: readonly string[];
  /** Are filters refused beside other parameters that filter, and page sizes below 1? */
  isStrict: boolean;
  /** Is a token refused for a policy that does not exist? */
  needsKnownPolicies: boolean;
  filters: {
    /** Does a filter that asks what a field cannot answer drop the connection? It is a 400 otherwise. */
    dropConnection: boolean;
    /** May the blanks beside parentheses, brackets and quotes be left out? */
    optionalBlanks: boolean;
  };
}

export const standard: Dialect = {
  tokenHeader: "x-scheduler-token",
  header: "X-Scheduler-",
  nextToken: "Nexttoken",
  longestWait: 600_000,
  firstIndex: 1,
  registers: ["PUT"],
  isStrict: true,
  needsKnownPolicies: false,
  filters: { dropConnection: false, optionalBlanks: true },
};

/** Nomad 1.11. */
export const hashicorp: Dialect = {
  tokenHeader: "x-nomad-token",
  header: "X-Nomad-",
  nextToken: "NextToken",
  longestWait: 300_000,
  firstIndex: 0,
  registers: ["PUT", "POST"],
  isStrict: false,
  needsKnownPolicies: false,
  filters: { dropConnection: true, optionalBlanks: false },
};
