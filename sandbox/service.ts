/** One of the three services. */
export interface Service {
  /** The URL: scheme, address and port, without a trailing slash. */
  url: string;
  /** A token with all rights. It stays the same after a reset. */
  token: string;
}
