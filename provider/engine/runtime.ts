import { DynamicProvider, providerWith } from "./dynamic-runtime";

export { DynamicProvider } from "./dynamic-runtime";

/** Returns the provider for a type. `__provider` calls it in the provider process that the engine starts. */
export function provider(token: string): DynamicProvider {
  return providerWith({}, token);
}
