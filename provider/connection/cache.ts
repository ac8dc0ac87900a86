/** Returns the cached value of a key, or creates and caches it. */
export function cached<Value>(cache: Map<string, unknown>, key: readonly string[], create: () => Value): Value {
  const name = JSON.stringify(key);
  if (!cache.has(name)) cache.set(name, create());
  return cache.get(name) as Value;
}
