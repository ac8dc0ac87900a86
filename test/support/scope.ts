/** With TESTS=all every fault meets every request. Otherwise each request meets a fifth of the faults, and the next request others. */
export const stride = process.env.TESTS === "all" ? 1 : 5;

/** Of the native plugin all faults are tried each night: it has the same life cycle, which TESTS=all tries through the other mechanism. */
export const nativeStride = process.env.FAULTS === "native" ? 1 : 5;

/** How many random cases to draw: all of them with TESTS=all, otherwise a fifth. */
export const draws = (count: number): number => Math.ceil(count / stride);
