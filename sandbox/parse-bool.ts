/** A boolean in the spellings of Go's strconv.ParseBool, which the products accept; undefined for any other string. */
export function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}
