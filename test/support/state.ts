import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { readFileSync } from "node:fs";

export interface StateResource {
  urn: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
}

const keys = new Map<string, Buffer>();

/** The key that Pulumi's passphrase provider derives, which takes half a second. */
function keyOf(passphrase: string, salt: string): Buffer {
  const key = keys.get(salt) ?? pbkdf2Sync(passphrase, Buffer.from(salt, "base64"), 1_000_000, 32, "sha256");
  keys.set(salt, key);
  return key;
}

/** The decrypted resources in the file of a stack, as `pulumi stack export --show-secrets` prints them, without the command line. */
export function decryptedResources(file: string, passphrase: string): StateResource[] {
  const { resources = [], secrets_providers: secrets } = JSON.parse(readFileSync(file, "utf8")).checkpoint.latest ?? {};
  const decrypt = (ciphertext: string): unknown => {
    const [, nonce = "", sealed = ""] = ciphertext.split(":");
    const bytes = Buffer.from(sealed, "base64");
    const key = keyOf(passphrase, secrets.state.salt.split(":")[1]);
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64")).setAuthTag(bytes.subarray(-16));
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString());
  };
  return JSON.parse(JSON.stringify(resources), (_, value) => (value?.ciphertext ? decrypt(value.ciphertext) : value));
}
