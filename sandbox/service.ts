/** One of the three services. */
export interface Service {
  /** The URL with scheme, address and port, without a trailing slash. */
  url: string;
  /** A token with all rights, which stays the same after a reset. */
  token: string;
}
