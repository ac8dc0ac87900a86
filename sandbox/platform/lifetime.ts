import { Records } from "./records";

/** The data of a route file, which a reset removes. */
export function keptFor<Data>(create: () => Data): (records: Pick<Records, "lifetime">) => Data {
  const kept = new WeakMap<object, Data>();
  return ({ lifetime }) => {
    const data = kept.get(lifetime) ?? create();
    kept.set(lifetime, data);
    return data;
  };
}
