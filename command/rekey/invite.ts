import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { unexpectedResponse } from "../../provider/http/failure";
import { apiPath, callWithoutClaim, namespaceOf, placeOf } from "../../provider/secrets/client";
import { isReplyLost } from "../../provider/secrets/rekey/protocol/api";
import { countRecipients, describeKey, InspectedKey } from "../../provider/secrets/rekey/protocol/crypto";
import { commandFor, RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { writePrivate } from "../holder/file";
import { fingerprintsOfGpg } from "../holder/program";
import { fingerprintIn, sign } from "../holder/signature";
import { StateFolder } from "../state-folder";
import { say, Terminal } from "../terminal";
import { agree, canceling, service, TargetOptions } from "./attempt";
import { invalid, readKeys } from "./init";
import { attemptOf, Invitation } from "./invitation";
import { describeTokens, InvitedToken, savedIn, tokenFiles } from "./invited-tokens";
import { failed } from "./outcome";

// The inviter's side: a token of a role for each holder, in a file that only this holder can read.

export type InviteOptions = TargetOptions & Record<"keys" | "out" | "sign" | "role", string> & { nonce?: string };

/** Writes an invitation to the rekey in progress for the holder of each key. */
export async function invite(terminal: Terminal, options: InviteOptions): Promise<void> {
  const operation = await service(terminal, options);
  const signer = fingerprintIn("--sign", options.sign);
  const holders = (await readKeys(options.keys)).map((key) => {
    const holder = key.file.replace(/\.(asc|gpg|pgp|key|pub)$/i, "");
    return { ...key, holder, path: join(options.out, `${holder}.asc`) };
  });
  const taken = holders.filter(({ path }, index) => existsSync(path) || holders.findIndex((other) => other.path === path) < index);
  if (taken.length > 0) throw invalid(taken.map(({ path }) => `${path} exists already, or would be written twice`));
  if (holders.length === 0) throw invalid([`--keys ${options.keys} has no key`]);
  if (!(await fingerprintsOfGpg(terminal)).includes(signer)) throw invalid([`gpg has no private key with the fingerprint ${signer}`]);
  const agreed = await agree(terminal, operation, canceling, `Invite the holders of ${holders.length} keys to this rekey?`, options.nonce);
  const { target, server } = operation;
  const { address, dialect } = server;
  const common = { address, dialect, namespace: namespaceOf(operation), target, attempt: attemptOf(agreed) };
  const files = tokenFiles(operation, terminal);
  const [made, written]: [InvitedToken[], string[]] = [[], []];
  try {
    for (const { path, holder, ...key } of holders) {
      const { token, accessor, expires, flaws } = await createToken(operation, options.role);
      const invited = { accessor, nonce: agreed.nonce, holder, expires };
      made.push(invited);
      files.add(accessor, JSON.stringify(invited));
      if (flaws.length > 0) throw failed(`a token of the role "${options.role}" ${flaws.join(", and ")}`, seePage);
      const invitation: Invitation = { ...common, for: key.fingerprint, token, expires };
      writePrivate("--out", path, await seal(terminal, JSON.stringify(invitation), signer, key));
      written.push(path);
      say(terminal, `${path}: for ${describeKey(key)}, until ${expires}`);
    }
  } catch (error) {
    const left = await end(terminal, operation, files, made);
    say(terminal, left.length > 0 ? `These may still be valid: ${describeTokens(left)}.` : "Each token of this run is revoked.");
    if (isReplyLost(error)) say(terminal, "The server may have made one more, which nobody has. It ends with its TTL.");
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
  say(terminal, `Send each file to its holder, who runs \`${commandFor(operation, "submit --invitation <file>")}\`.`);
  say(terminal, `When the rekey is complete, run \`${commandFor(operation, "invite --revoke")}\`.`);
}

/** Ends each invitation from this machine. */
export async function revoke(terminal: Terminal, options: TargetOptions): Promise<void> {
  const operation = await service(terminal, options);
  const files = tokenFiles(operation, terminal);
  const saved = savedIn(files);
  if (saved.length === 0) return say(terminal, `This machine has made no invitation for ${placeOf(operation)} that is not revoked.`);
  const left = await end(terminal, operation, files, saved);
  if (left.length > 0) throw failed(`these invitations may still be valid: ${describeTokens(left)}`, "Run this again.");
  say(terminal, `Revoked: the invitations of ${saved.map(({ holder }) => holder).join(", ")}.`);
}

/** Revokes tokens by accessor, and returns those that may still be valid. The server also confirms the end of one that it does not know. */
async function end(terminal: Terminal, operation: RekeyOperation, files: StateFolder, all: InvitedToken[]): Promise<InvitedToken[]> {
  const left: InvitedToken[] = [];
  const path = apiPath("auth/token/revoke-accessor");
  for (const token of all)
    try {
      await callWithoutClaim(operation, { method: "POST", path, body: { accessor: token.accessor }, retry: "idempotent" });
      files.remove(token.accessor);
    } catch (error) {
      say(terminal, `${token.holder}: ${(error as Error).message}`);
      left.push(token);
    }
  return left;
}

const seePage = "Correct the role: see docs/rekey/invitations.md in the package.";

const createdSchema = z.object({
  client_token: z.string().min(1),
  // It becomes the name of a file.
  accessor: z.string().regex(/^[\w.-]+$/),
  lease_duration: z.int(),
  renewable: z.boolean(),
  orphan: z.boolean(),
  policies: z.array(z.string()),
});

/** Creates a token, and finds out whether it outlives its invitation, or may do more than a holder. */
async function createToken(operation: RekeyOperation, role: string) {
  const path = apiPath("auth/token/create", role);
  const begin = Date.now();
  const body = await callWithoutClaim(operation, { method: "POST", path, body: {}, retry: "never" });
  const { data } = createdSchema.safeParse((body as { auth?: unknown } | undefined)?.auth);
  if (!data) throw unexpectedResponse("POST", path, "the response has no token that can be revoked", seePage);
  const { client_token: token, accessor, lease_duration: seconds, renewable, orphan } = data;
  const policies = data.policies.filter((policy) => ["root", "default"].includes(policy));
  const flaws = [
    renewable && "can be renewed",
    seconds === 0 && "never expires",
    !orphan && "ends with yours, since it is not an orphan",
    policies.length > 0 && `has the policy ${policies.join(" and ")}`,
    data.policies.length > 1 && `has more than one policy, ${data.policies.join(", ")}`,
  ].filter((flaw) => flaw !== false);
  return { token, accessor, flaws, expires: new Date(seconds === 0 ? Date.UTC(9999) : begin + seconds * 1000).toISOString() };
}

/** Signs and encrypts content to one key, whichever others the configuration of gpg names. */
async function seal(terminal: Terminal, content: string, signer: string, { binary }: InspectedKey): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-steward-"));
  const file = join(folder, "key");
  try {
    writeFileSync(file, Buffer.from(binary, "base64"));
    const exactly = ["--no-encrypt-to", "--trust-model", "always", "--recipient-file", file];
    const message = await sign(terminal, content, signer, ["--sign", "--encrypt", ...exactly]);
    if ((await countRecipients(message)) === 1) return message;
    throw failed("gpg has encrypted the invitation to another key, too", "Remove the recipients from gpg.conf.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
