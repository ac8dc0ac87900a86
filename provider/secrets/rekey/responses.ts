import { z } from "zod";

// The parts of a rekey's responses that the provider reads.

// The nonce is printed and stored in plaintext: accept nothing that could be something else.
const nonceSchema = z.string().regex(/^[\w-]{0,64}$/);
const strings = z.array(z.string()).nullish();
export const statusSchema = z.object({
  started: z.boolean(),
  nonce: nonceSchema.default(""),
  t: z.int().default(0),
  n: z.int().default(0),
  progress: z.int().default(0),
  required: z.int().optional(),
  /** `required` in OpenBao 2.4.0. */
  seal_threshold: z.int().optional(),
  pgp_fingerprints: strings,
  backup: z.boolean().default(false),
  verification_required: z.boolean().default(false),
  verification_nonce: z.string().optional(),
});
/** The API specification does not describe the response to a start. Vault returns the status. */
export const startSchema = z.object({ nonce: nonceSchema });
export const verificationSchema = z.object({
  nonce: z.string(),
  t: z.int().default(0),
  n: z.int().default(0),
  progress: z.int().default(0),
  started: z.boolean().default(true),
});
export const updateSchema = z
  .object({
    complete: z.boolean().default(false),
    keys: strings,
    keys_base64: strings,
    pgp_fingerprints: strings,
    progress: z.int().optional(),
  })
  // A body without either may hide a completion.
  .refine(({ complete, progress }) => complete || progress !== undefined);
export const backupSchema = z.object({
  nonce: z.string(),
  keys: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullish(),
});
export const sealSchema = z.object({ sealed: z.boolean(), recovery_seal: z.boolean().optional() });
