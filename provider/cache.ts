// What one process keeps: responses, claims on objects, lines that were printed.

/** The value under a key, made where there is none yet. @internal */
export function remembered<Value>(memory: Map<string, unknown>, key: readonly string[], make: () => Value): Value {
  const name = JSON.stringify(key);
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as Value;
}
