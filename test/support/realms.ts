// Node's functions return arrays of another realm than jest's tests. The SDK must recognize a program's arrays nevertheless.
Object.defineProperty(Array, Symbol.hasInstance, {
  value(this: unknown, instance: unknown): boolean {
    return this === Array ? Array.isArray(instance) : Function.prototype[Symbol.hasInstance].call(this, instance);
  },
});
