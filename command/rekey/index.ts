import { Command, Option } from "commander";
import { getStatus, restartVerification } from "../../provider/secrets/rekey/protocol/api";
import { decrypt } from "../holder/decrypt";
import { print, say, Terminal } from "../terminal";
import { agree, assertUnchanged, canceling, describe, service, TargetOptions, verifyHint, verifying } from "./attempt";
import { BackupOptions, backup } from "./backup";
import { cancel } from "./cancel";
import { DrillOptions, drill } from "./drill";
import { InitOptions, init } from "./init";
import { InvitationOptions, participate } from "./invitation";
import { InviteOptions, invite, revoke } from "./invite";
import { sayOutlived } from "./invited-tokens";
import { sign as signRecord, verify as verifyRecord } from "./record";
import { submit } from "./submit";
import { verify } from "./verify";

const environment = `
The address and the token come from the environment:
  SECRETS_ADDR, SECRETS_TOKEN  a server of the dialect "standard"
  BAO_ADDR, BAO_TOKEN          OpenBao 2.4 or later; without BAO_TOKEN the token of \`bao login\`
  VAULT_ADDR, VAULT_TOKEN      Vault; without VAULT_TOKEN the token of \`vault login\`
OpenBao requires a token, and Vault 2.x is documented to require one. Vault up to 1.21 requires one only for the backup.
The first address that is set is used, with the other variables of its prefix only. These include …_NAMESPACE, …_CACERT, …_CLIENT_CERT and
…_CLIENT_KEY.`;

export const exits = `
Exit code: 0 success, 1 failure, 2 usage error, 3 if the server rejected a share, 130 canceled at a prompt.`;

const shares = `
The command prompts for the share without showing it. Without a terminal, it reads the share from standard input:

  $ pass show unseal/mine | pulumi-steward rekey`;

const withGpg = `
With --from-backup or --encrypted, gpg decrypts the share, with a key in its keyring or on a card, and the command prints nothing of it.`;

const nonce = "the nonce of the rekey; without it, the command shows the rekey and asks you to confirm it";
const verificationNonce = "the nonce of the verification; without it, the command shows the rekey and asks you to confirm it";
export const plaintext =
  "send the share, or the token of an invitation, over plain HTTP to a remote machine, where anyone on the network can read it";

const record = (): Option => new Option("--record <file>", "append what happens to this record, without any share");

const target = (): Option =>
  new Option("--target <keys>", "the keys: unseal, or recovery for a server with auto-unseal")
    .choices(["unseal", "recovery"])
    .default("unseal");

export const neverArgument =
  "(Never pass a share as an argument: the command prompts for it or reads it from standard input. Treat a share that was an argument as compromised.)";

/** The sources of the holder's own share, and its second destination. */
const fromBackup = (): Option =>
  new Option("--from-backup", "fetch your encrypted share from the server's backup, and decrypt it with gpg").conflicts("encrypted");
export const encrypted = (): Option => new Option("--encrypted <file>", "decrypt the share in this file with gpg");
const storeWith = (): Option =>
  new Option("--store <command>", "pass your new share to this command over a pipe, such as `pass insert -m`");

/** Collects the values of an option that may be repeated. */
const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Adds `pulumi-steward rekey …`, for key holders. */
export function addRekey(program: Command, terminal: Terminal): void {
  const rekey = program
    .command("rekey")
    .description("Participate in a rekey of Vault or OpenBao as a key holder.")
    .showHelpAfterError(neverArgument)
    .addHelpText(
      "after",
      `
${neverArgument}

A Pulumi program or \`pulumi-steward rekey init\` starts the rekey. Then each holder runs:

  $ pulumi-steward rekey status                      shows the rekey, its recipients and its progress
  $ pulumi-steward rekey submit                      submits a current share
  $ pulumi-steward rekey verify --from-backup        decrypts the new share with gpg, and verifies it

Between two rekeys, \`pulumi-steward rekey drill\` tests whether the shares are still valid.
${environment}
${exits}`,
    );

  const add = (name: string, description: string, help = ""): Command =>
    rekey
      .command(name)
      .description(description)
      .addOption(target())
      .addOption(record())
      .addHelpText("after", `${help}${environment}\n${exits}`);
  const addInvited = (name: string, description: string, help?: string): Command =>
    add(name, description, help)
      .option("--invitation <file>", "take the token from this invitation, and require the rekey that it describes")
      .option("--from <fingerprint>", "the key that signed the invitation; later ones of this key need no --from")
      .option("--allow-http", plaintext);

  addInvited("status", "Show the rekey in progress: its parameters, PGP keys and progress.")
    .option("--json", "print JSON, with the fields of secrets.getRekeyStatus()")
    .action(async (options: InvitationOptions & { json?: boolean }) => {
      const { operation, invited } = await participate(terminal, options);
      const status = await getStatus(operation);
      await printStatus(terminal, status, describe(status, operation), options);
      sayOutlived(terminal, operation, status.nonce);
      invited?.assertMet(status);
    });

  add(
    "init",
    "Start a rekey with verification.",
    `
  $ pulumi-steward rekey init --keys keys/ --threshold 3

Each key is checked before the start. The command never replaces a rekey in progress or the backup of another one.
`,
  )
    .requiredOption("--threshold <number>", "the number of new shares that the server requires")
    .addOption(new Option("--keys <folder>", "the holders' public OpenPGP keys, one file each: one new share is encrypted to each"))
    .addOption(new Option("--shares <number>", "the number of new shares, in plaintext").conflicts("keys"))
    .action(async (options: InitOptions, command: Command) => {
      if (options.keys === undefined && options.shares === undefined) misused(command, "--keys or --shares is required");
      await init(terminal, options);
    });

  add(
    "invite",
    "Write an invitation for each holder, with a token of a role.",
    `
  $ pulumi-steward rekey invite --keys keys/ --out invitations/ --sign "$FINGERPRINT"
  $ pulumi-steward rekey invite --revoke

gpg signs each invitation with your key, and encrypts it to that of the holder. docs/rekey/invitations.md in the package has the role.
`,
  )
    .option("--keys <folder>", "the holders' public OpenPGP keys, one file each")
    .option("--out <folder>", "the folder for the invitations")
    .option("--sign <fingerprint>", "your key, which signs them")
    .option("--role <name>", "the token role", "rekey-holder")
    .option("--nonce <nonce>", nonce)
    .option("--revoke", "end all invitations from this machine")
    .action((options: InviteOptions & { revoke?: boolean }, command: Command) => {
      if (options.revoke) return revoke(terminal, options);
      if ([options.keys, options.out, options.sign].includes(undefined as never)) misused(command, "--keys, --out and --sign are required");
      return confirmable(terminal, (given: InviteOptions) => invite(terminal, given))(options, command);
    });

  addInvited(
    "submit",
    "Submit a current share. The last one returns the new shares.",
    `${shares} submit --nonce 6f1c…
${withGpg}

Compare the numbers and the fingerprints before you enter the share. If the rekey changes in the meantime, nothing is sent.
The command sends the share once, and repeats the request only if it had no effect. Only the response to the last share contains the new shares.
They go to standard output or, with --output, to a file that only you can read. The file is created before your share is sent.
`,
  )
    .option("--nonce <nonce>", nonce)
    .addOption(fromBackup())
    .addOption(encrypted())
    .option("--output <file>", "write the new shares to this new file instead of standard output")
    .action(confirmable(terminal, (options: Parameters<typeof submit>[1]) => submit(terminal, options)));

  addInvited(
    "verify",
    "Verify a new share. The last share of a threshold commits the rekey, which makes the new shares valid.",
    `${shares} verify --nonce 90ab…
${withGpg} If the command of --store fails, nothing is sent.

  $ pulumi-steward rekey verify --from-backup --store "pass insert --multiline unseal/new"

The verification has its own nonce, which \`pulumi-steward rekey status\` shows.
If a stack runs the rekey, ask the person who started it how the holders verify.
`,
  )
    .option("--nonce <nonce>", verificationNonce)
    .addOption(fromBackup())
    .addOption(encrypted())
    .addOption(storeWith())
    .action(confirmable(terminal, (options: Parameters<typeof verify>[1]) => verify(terminal, options)));

  add("restart", "Restart the verification with a new nonce, and discard the new shares verified so far.")
    .option("--nonce <nonce>", verificationNonce)
    .action(
      confirmable(terminal, async (options: TargetOptions & { nonce?: string }) => {
        const operation = await service(terminal, options);
        const agreed = await agree(terminal, operation, verifying, "Restart the verification of this rekey?", options.nonce);
        await assertUnchanged(operation, verifying, agreed);
        const verification = await restartVerification(operation, agreed.nonce);
        say(terminal, `The verification is restarted. ${verifyHint(operation, "the new shares", verification?.nonce)}`);
      }),
    );

  add("cancel", "Cancel the rekey. Nothing is committed, so the current shares stay valid.")
    .option("--nonce <nonce>", nonce)
    .action(
      confirmable(terminal, async (options: TargetOptions & { nonce?: string }) => {
        const operation = await service(terminal, options);
        const agreed = await agree(terminal, operation, canceling, "Cancel this rekey and discard all submitted shares?", options.nonce);
        await cancel(operation, agreed);
        // The server confirms the cancel of an attempt that is gone, too.
        const unless = agreed.verificationRequired ? "The" : "Unless another holder submitted the last share at the same moment, the";
        say(terminal, `The rekey is canceled. ${unless} current shares stay valid, and any new shares are invalid.`);
        sayOutlived(terminal, operation);
      }),
    );

  addInvited(
    "backup",
    "Fetch or remove the backup of the encrypted new shares.",
    `
  $ pulumi-steward rekey backup --fingerprint "$FINGERPRINT" --output mine.txt
  $ pulumi-steward rekey decrypt --share mine.txt

The server keeps at most one backup. It may belong to a rekey that was never committed, so compare its nonce.
`,
  )
    .option("--fingerprint <fingerprint>", "only the share for the holder of this key")
    .option("--output <file>", "write the shares to this new file instead of standard output")
    .option("--delete", "remove the backup; requires --nonce")
    .option("--nonce <nonce>", "the nonce of the rekey that the backup belongs to")
    .action(async (options: BackupOptions, command: Command) => {
      if (options.delete && options.nonce === undefined)
        misused(command, "--delete requires --nonce, the nonce of the rekey that the backup belongs to");
      if (options.delete && (options.output !== undefined || options.fingerprint !== undefined))
        misused(
          command,
          "--delete removes the shares of all holders. Fetch them first without --delete, and omit --output and --fingerprint",
        );
      await backup(terminal, options);
    });

  rekey
    .command("decrypt")
    .description("Decrypt a new share, with gpg or with the file of a private key. Nothing is sent.")
    .option("--share <file>", "the encrypted share, in hex, base64, armored or as the printed line (default: a prompt or standard input)")
    .option("--key <file>", "the private OpenPGP key, armored, binary or base64 (default: gpg finds it)")
    .option("--passphrase-file <file>", "the passphrase of the key (default: a prompt)")
    .addOption(storeWith())
    .addHelpText(
      "after",
      `
gpg decrypts with a key in its keyring or on a card. The share goes to standard output, or with --store to a command. A terminal shows it until
you press Enter, and does not keep it in its scroll-back.

  $ pulumi-steward rekey backup --fingerprint "$FINGERPRINT" --output mine.txt
  $ pulumi-steward rekey decrypt --share mine.txt --store "pass insert --multiline unseal/new"
${exits}`,
    )
    .action((options) => decrypt(terminal, options));

  add(
    "drill",
    "Test shares without changing any key.",
    `
The command prompts for more shares without showing them, until an empty input. Without a terminal, each line of standard input is a share:

  $ pass show unseal/all | pulumi-steward rekey drill
  $ pulumi-steward rekey drill --share-file /run/secrets/a --share-file /run/secrets/b --share-env SHARE_C < /dev/null

It starts an attempt for a key that nobody has, submits the shares, and cancels the attempt. It needs as many shares as a rekey requires.
One line per share goes to standard output: "works", "wrong" or "not proven". To find a wrong share, pass more shares than are required.
If a drill was killed, the next one cancels its attempt.
`,
  )
    .option("--share-env <name>", "read a share from this environment variable (repeatable)", collect)
    .option("--share-file <file>", "read a share from this file (repeatable)", collect)
    .option("--allow-http", plaintext)
    .action((options: DrillOptions) => drill(terminal, options));

  const records = rekey.command("record").description("Sign or verify the record of a rekey. Nothing is sent.");
  records
    .command("sign <file>")
    .description("Sign a record with gpg. The signature is written beside it.")
    .requiredOption("--key <fingerprint>", "the fingerprint of your key")
    .action((file: string, options: { key: string }) => signRecord(terminal, file, options));
  records
    .command("verify <file>")
    .description(
      "Verify a record and the signatures beside it, and print its entries. A stack prints one with `pulumi stack output record --json`.",
    )
    .option("--from <fingerprint>", "require the signature of this key (repeatable)", collect)
    .option("--unsigned", "accept a record that nobody has signed")
    .action((file: string, options: Parameters<typeof verifyRecord>[2]) => verifyRecord(terminal, file, options));

  // An unknown command prints the list of commands. Commands inherit this when they are added, so it is set last.
  rekey.showHelpAfterError(true);
}

/** The status as JSON, or its description. */
export async function printStatus(terminal: Terminal, status: object, described: string[], { json }: { json?: boolean }): Promise<void> {
  for (const line of json ? JSON.stringify(status, undefined, 2).split("\n") : described) await print(terminal, line);
}

/** An action that requires `--nonce` or an invitation without a terminal, where nobody can confirm the attempt. */
export const confirmable =
  <Options>({ stdin }: Terminal, action: (options: Options) => Promise<void>) =>
  (options: Options & { nonce?: string; invitation?: string }, command: Command): Promise<void> => {
    if (!stdin.isTTY && (options.nonce ?? options.invitation) === undefined)
      misused(command, "--nonce is required without a terminal to confirm the attempt");
    return action(options);
  };

const misused = (command: Command, reason: string): never => command.showHelpAfterError(false).error(`error: ${reason}`);
