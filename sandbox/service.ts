/** One of the three services: where it listens, and a token that may do everything there. */
export interface Service {
  /** Scheme, address and port, without a slash at the end. */
  url: string;
  /** Stays the same after a reset. */
  token: string;
}
