import { z } from "zod";
import { StewardError } from "../../provider/contract/errors";
import { namespaceOf, placeOf, system } from "../../provider/secrets/client";
import { nonceSchema } from "../../provider/secrets/rekey/protocol/api";
import { commandFor, ofTarget, RekeyOperation } from "../../provider/secrets/rekey/protocol/operation";
import { RekeyStatus } from "../../provider/secrets/rekey/protocol/status";
import { stopped } from "../../provider/secrets/rekey/protocol/stops";
import { parsed } from "../../provider/text/json";
import { read } from "../holder/decrypt";
import { fingerprintsOfGpg } from "../holder/program";
import { decryptSigned, fingerprintIn } from "../holder/signature";
import { StateFolder } from "../state-folder";
import { say, Terminal } from "../terminal";
import { assertPrivate, confirm, connection, differences, Expectation, service, submitting, TargetOptions } from "./attempt";
import { certificateOf } from "./certificate";
import { recordingTo } from "./record";

// The holder's side: an invitation tells who started which rekey, and has a token for it. The holder decides on the server and the signer.

export interface InvitationOptions extends TargetOptions {
  invitation?: string;
  from?: string;
  allowHttp?: boolean;
}

const attemptSchema = z.strictObject({
  nonce: nonceSchema.min(1),
  shares: z.int(),
  threshold: z.int(),
  pgpFingerprints: z.array(z.string()),
  backup: z.boolean(),
  verificationRequired: z.boolean(),
});
const invitationSchema = z.strictObject({
  address: z.string(),
  dialect: z.enum(Object.keys(system.dialects)),
  namespace: z.string().optional(),
  target: z.enum(["unseal", "recovery"]),
  /** The fingerprint of the holder's key: the holder could encrypt a signed message to another key. */
  for: z.string(),
  token: z.string().regex(/^[\x21-\x7e]+$/),
  expires: z.iso.datetime(),
  attempt: attemptSchema,
});

export type Invitation = z.infer<typeof invitationSchema>;

/** The properties that an invitation promises: those that must not change while a holder takes part. */
export const attemptOf = (status: RekeyStatus): Invitation["attempt"] => attemptSchema.strip().parse(status);

/** The service, and with an invitation the attempt that the holder expects there. */
type Participation = { operation: RekeyOperation; invited?: Expectation<RekeyStatus> & Invitation };

/** Takes the service and the token from the environment or, with `--invitation`, the token from the file. */
export async function participate(terminal: Terminal, options: InvitationOptions): Promise<Participation> {
  if (options.invitation === undefined) return { operation: await service(terminal, options) };
  const { text, signer } = await decryptSigned(terminal, read(options.invitation, "--invitation"));
  const { data: invitation } = invitationSchema.safeParse(parsed(text));
  if (!invitation) throw refuse("the message is no invitation");
  const { operation, confirmed } = placeOfInvitation(terminal, invitation);
  assertPrivate(operation, options);
  const signers = new StateFolder("signer", operation, terminal);
  const isAccepted = signers.names().includes(signer);
  const ask = "Ask the person who invited you for the fingerprint of their key, and pass it as --from.";
  if (options.from !== undefined && fingerprintIn("--from", options.from) !== signer)
    throw refuse(`the invitation is signed by another key, ${signer}`, ask);
  if (options.from === undefined && !isAccepted) throw refuse(`the invitation is signed by ${signer}, whom you have not accepted yet`, ask);
  if (!(await fingerprintsOfGpg(terminal)).includes(invitation.for))
    throw refuse(`the invitation is for the holder of another key, ${invitation.for}`);
  if (Date.parse(invitation.expires) <= Date.now()) throw refuse(`the invitation expired at ${invitation.expires}`);
  await confirmed();
  if (!isAccepted) {
    signers.add(signer);
    say(terminal, `Invitations of ${signer} for ${placeOf(operation)} are accepted from now on.`);
  }
  const { server } = operation;
  const credentials = { ...server.credentials, token: () => invitation.token, tokenSource: "the token of the invitation" };
  const own = await recordingTo(terminal, { ...operation, server: { ...server, credentials } }, options.record);
  return { operation: own, invited: { ...invitation, ...expectationOf(own, invitation, signer) } };
}

/** The server of an invitation. It must be that of the holder's environment. If that has none, `confirmed` asks the holder. */
function placeOfInvitation(terminal: Terminal, invitation: Invitation): { operation: RekeyOperation; confirmed(): Promise<void> } {
  const { address, dialect, namespace } = invitation;
  const { environment, stdin } = terminal;
  const place = `the invitation is for ${address}${namespace ? `, namespace ${namespace}` : ""} (${dialect})`;
  const row = system.variables.find((each) => each.dialect === dialect) as (typeof system.variables)[number];
  const useIt = `If this is your server, export ${row.address}=${address}${namespace ? ` and ${row.prefix}_NAMESPACE=${namespace}` : ""}, and no other address.`;
  const isSet = system.variables.some((each) => environment[each.address]);
  const own = isSet ? {} : { [row.address]: address, [`${row.prefix}_NAMESPACE`]: namespace ?? "" };
  const operation = ofTarget(connection({ ...terminal, environment: { ...environment, ...own } }), invitation);
  const { server } = operation;
  if (server.address !== address || server.dialect !== dialect || namespaceOf(operation) !== namespace)
    throw refuse(`${place}, and your environment is for ${placeOf(operation)} (${server.dialect})`, useIt);
  const confirmed = async (): Promise<void> => {
    if (isSet) return;
    if (!stdin.isTTY) throw refuse(place, useIt);
    await confirm(terminal, `${place}. Is this your server?`);
  };
  return { operation, confirmed };
}

const expectationOf = (operation: RekeyOperation, { attempt, expires }: Invitation, signer: string): Expectation<RekeyStatus> => ({
  revoked: "The invitation may be revoked: ask the person who invited you for a new one.",
  describe: () => [`certificate     ${certificateOf(operation)}`, `invitation      signed by ${signer}, until ${expires}`],
  assertMet(status) {
    const changed = differences(submitting, status, attempt);
    if (changed.length === 0) return;
    const other = `the server shows other parameters than the invitation (${changed.join(", ")})`;
    if (status.nonce === attempt.nonce) throw stopped("tampered-attempt", other, "Nothing was sent. Call the person who invited you.");
    const gone = `the rekey of the invitation is no longer in progress on ${placeOf(operation)}${status.started ? ", and another one is" : ""}`;
    const fetch = commandFor(operation, "backup --invitation <file>");
    const hint = `Nothing was sent. Ask for a new invitation or, if the rekey is complete, fetch your share: \`${fetch}\`.`;
    throw stopped("attempt-missing", gone, hint);
  },
});

const refuse = (reason: string, hint = "Ask the person who invited you for a new invitation."): StewardError =>
  new StewardError({ code: "ERR_REJECTED", reason: `${reason}; nothing was sent`, hint });
