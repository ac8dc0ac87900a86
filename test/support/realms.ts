// Node's functions return arrays of its own, not of the copy that jest gives its tests: the SDK must know a program's arrays all the same.
Object.defineProperty(Array, Symbol.hasInstance, {
  value(this: unknown, instance: unknown): boolean {
    return this === Array ? Array.isArray(instance) : Function.prototype[Symbol.hasInstance].call(this, instance);
  },
});
