/** The differences between the API specification and Nomad. Routes read this table instead of the dialect's name. */
export interface Dialect {
  tokenHeader: string;
  /** The prefix of the response headers. */
  header: string;
  /** The name of the header with the token of the next page, without the prefix. */
  nextToken: string;
  /** The longest wait of a blocking query in milliseconds, without the random extra. */
  longestWait: number;
  /** The index of a table before its first write. */
  firstIndex: number;
  /** The methods that register a job. */
  registers: readonly string[];
  /** Creates and deletes tokens on request. */
  servesTokens: boolean;
  /** Rejects a filter next to `prefix` or `meta`, and page sizes below 1. */
  isStrict: boolean;
  /** Rejects a token with an unknown policy. */
  needsKnownPolicies: boolean;
  filters: {
    /** Closes the connection for an operation that the field's type does not support. Otherwise the response is a 400. */
    dropConnection: boolean;
    /** Follows the grammar of the API document: blanks only where they separate, no slash in a name, and `50.0` for an integer. */
    isDocumented: boolean;
  };
}

export const standard: Dialect = {
  tokenHeader: "x-scheduler-token",
  header: "X-Scheduler-",
  nextToken: "Nexttoken",
  longestWait: 600_000,
  firstIndex: 1,
  registers: ["PUT"],
  servesTokens: false,
  isStrict: true,
  needsKnownPolicies: false,
  filters: { dropConnection: false, isDocumented: true },
};

/** Nomad 1.11. */
export const hashicorp: Dialect = {
  tokenHeader: "x-nomad-token",
  header: "X-Nomad-",
  nextToken: "NextToken",
  longestWait: 300_000,
  firstIndex: 0,
  registers: ["PUT", "POST"],
  servesTokens: true,
  isStrict: false,
  needsKnownPolicies: false,
  filters: { dropConnection: true, isDocumented: false },
};
