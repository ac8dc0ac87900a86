/** A yes or no in the spellings of Go's strconv.ParseBool, which the real products take; undefined for any other. */
export function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}
