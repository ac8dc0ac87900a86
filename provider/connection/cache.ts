/** Returns the cached value of a key, or makes and caches it. @internal */
export function remembered<Value>(memory: Map<string, unknown>, key: readonly string[], make: () => Value): Value {
  const name = JSON.stringify(key);
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as Value;
}
