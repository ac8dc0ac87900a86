import { secretSignature, signatureKey } from "../../../provider/contract/inputs";
import { isObject, Properties, Secret, transform } from "./values";

// The marks of secrets that the SDK and a native plugin write.

const isMarked = (part: unknown): part is { value: unknown } => isObject(part) && part[signatureKey] === secretSignature;

export const decoded = (properties: Properties): Properties => {
  const read = (value: unknown): unknown =>
    transform(value, (part) => (isMarked(part) ? { value: new Secret(read(part.value)) } : undefined));
  return read(properties) as Properties;
};

export const encoded = (properties: Properties): Properties => {
  const write = (value: unknown): unknown =>
    transform(value, (part) =>
      part instanceof Secret ? { value: { [signatureKey]: secretSignature, value: write(part.value) } } : undefined,
    );
  return write(properties) as Properties;
};
