import { X509Certificate } from "node:crypto";
import { keptFor } from "./lifetime";

/** A certificate in the list, besides those of the SAML settings. */
export interface IdpCertificate {
  displayName: string;
  cert: string;
  createdAt: Date;
}

/** The certificates by id, the least recently updated first. */
export const certificatesOf: ReturnType<typeof keptFor<Map<string, IdpCertificate>>> = keptFor(() => new Map<string, IdpCertificate>());

export function parsed(pem: unknown): X509Certificate | undefined {
  try {
    return String(pem).includes("-----BEGIN CERTIFICATE-----") ? new X509Certificate(String(pem)) : undefined;
  } catch {
    return undefined;
  }
}

/** True for two texts of one certificate. */
export const isSame = (a: unknown, b: unknown): boolean => {
  const print = parsed(a)?.fingerprint256;
  return print !== undefined && print === parsed(b)?.fingerprint256;
};
