import { Command } from "commander";
import { cancelAttempt, getStatus, restartVerification } from "../provider/secrets/rekey/api";
import { agree, assertUnchanged, cancelling, describe, service, verifyHint, verifying } from "./attempt";
import { BackupOptions, backup } from "./backup";
import { decrypt } from "./decrypt";
import { submit, verify } from "./shares";
import { print, say, Terminal } from "./terminal";

const environment = `
The address and the token come from the environment:
  SECRETS_ADDR, SECRETS_TOKEN  a service with the names of the API document
  BAO_ADDR, BAO_TOKEN          OpenBao 2.4 or later; without BAO_TOKEN the token of \`bao login\`
  VAULT_ADDR, VAULT_TOKEN      Vault; without VAULT_TOKEN the token of \`vault login\`
The first address that is set counts, and variables of another line are not used with it. Each takes …_NAMESPACE, …_CACERT, …_CLIENT_CERT and …_CLIENT_KEY, too.`;

const exits = `
Exit code: 0 done, 1 refused or failed, 2 wrong usage, 130 cancelled at a question.`;

const shares = `
A share is never an argument. The command asks for it without showing it or, without a terminal, reads it from the standard input:

  $ pass show unseal/mine | pulumi-steward rekey`;

const nonce = "the nonce of the rekey; without it, the rekey is shown and must be confirmed";
const plaintext = "send the share over plain http to another machine, where anyone on the network can read it";

const neverArgument =
  "(A share is never an argument: the command asks for it, or reads it from the standard input. Treat one that was an argument as compromised.)";

/** `pulumi-steward rekey …`, for holders of shares. */
export function addRekey(program: Command, terminal: Terminal): void {
  const rekey = program
    .command("rekey")
    .description("Take part in a rekey, a change of unseal keys, as the holder of a share.")
    .showHelpAfterError(neverArgument)
    .addHelpText(
      "after",
      `
${neverArgument}

After the start, by a Pulumi program or by Vault's command line, a rekey continues like this:

  $ pulumi-steward rekey status                      what it will make, and for whom
  $ pulumi-steward rekey submit                      each holder, a current share
  $ pulumi-steward rekey decrypt --key me.asc        each holder, the new share, where it is encrypted
  $ pulumi-steward rekey verify                      each holder, the new share, where no stack runs the rekey
${environment}
${exits}`,
    );

  rekey
    .command("status")
    .description("Show the rekey in progress: what it will make, for whom, and how far it is.")
    .option("--json", "print JSON, with the fields of secrets.getRekeyStatus()")
    .addHelpText("after", `${environment}\n\nExit code: 0 with or without a rekey in progress; 1 if the service did not tell.`)
    .action(async (options: { json?: boolean }) => {
      const connection = service(terminal);
      const status = await getStatus(connection);
      const lines = options.json ? JSON.stringify(status, undefined, 2).split("\n") : describe(status, connection);
      for (const line of lines) await print(terminal, line);
    });

  rekey
    .command("submit")
    .description("Submit a current share. The last one returns the new shares.")
    .option("--nonce <nonce>", nonce)
    .option("--output <file>", "write the new shares to this new file, not to the terminal")
    .option("--allow-http", plaintext)
    .addHelpText(
      "after",
      `${shares} submit --nonce 6f1c…

Compare the numbers and the fingerprints before you enter it. If the rekey changes in the meantime, nothing is sent.
The command sends the share once, and again only after a 429, which had no effect. If it is the last one, this one response holds the new shares. They
go to the standard output or, with --output, to a file that only you can read, which is created before your share is sent.
${environment}
${exits}`,
    )
    .action(async (options, command) => {
      assertConfirmable(terminal, command);
      await submit(terminal, options);
    });

  rekey
    .command("verify")
    .description("Verify a new share. The last one commits: from then on the new shares are live.")
    .option("--nonce <nonce>", "the nonce of the verification; without it, the rekey is shown and must be confirmed")
    .option("--allow-http", plaintext)
    .addHelpText(
      "after",
      `${shares} verify --nonce 90ab…

The verification has a nonce of its own, which \`pulumi-steward rekey status\` shows.
Where a stack runs the rekey, bring the new share there, as newShares: it restarts the verification, and the shares that others verified do
not count.
${environment}
${exits}`,
    )
    .action(async (options, command) => {
      assertConfirmable(terminal, command);
      await verify(terminal, options);
    });

  rekey
    .command("restart")
    .description("Restart the verification, under another nonce. The service forgets the new shares verified so far.")
    .option("--nonce <nonce>", "the nonce of the verification; without it, the rekey is shown and must be confirmed")
    .addHelpText("after", `${environment}\n${exits}`)
    .action(async (options: { nonce?: string }, command) => {
      assertConfirmable(terminal, command);
      const connection = service(terminal);
      const shown = await agree(terminal, connection, verifying, "Restart its verification?", options.nonce);
      await assertUnchanged(connection, verifying, shown);
      const verification = await restartVerification(connection, shown.nonce);
      say(terminal, `The verification is restarted. ${verifyHint("the new shares", verification?.nonce)}`);
    });

  rekey
    .command("cancel")
    .description("End the rekey. Nothing of it is committed: the current shares stay valid.")
    .option("--nonce <nonce>", nonce)
    .addHelpText("after", `${environment}\n${exits}`)
    .action(async (options: { nonce?: string }, command) => {
      assertConfirmable(terminal, command);
      const connection = service(terminal);
      const shown = await agree(
        terminal,
        connection,
        cancelling,
        "Cancel this rekey, and discard the shares that holders submitted?",
        options.nonce,
      );
      await cancelAttempt(connection, (await assertUnchanged(connection, cancelling, shown)).nonce);
      say(terminal, "The rekey is cancelled. The current shares stay valid; new ones that were made are worthless.");
    });

  rekey
    .command("backup")
    .description("Fetch the encrypted new shares that the service keeps, or remove them.")
    .option("--fingerprint <fingerprint>", "only the share for the holder of this key")
    .option("--output <file>", "write the shares to this new file, not to the terminal")
    .option("--delete", "remove the backup; needs --nonce")
    .option("--nonce <nonce>", "the nonce of the rekey whose backup it is")
    .addHelpText(
      "after",
      `
  $ pulumi-steward rekey backup --fingerprint "$FINGERPRINT" --output mine.txt
  $ pulumi-steward rekey decrypt --key me.asc --share mine.txt

The service keeps at most one backup. It may belong to a rekey that was never committed: compare its nonce.
${environment}
${exits}`,
    )
    .action(async (options: BackupOptions, command: Command) => {
      if (options.delete && options.nonce === undefined)
        command.showHelpAfterError(false).error("error: --delete needs --nonce, the rekey whose backup is removed");
      if (options.delete && (options.output !== undefined || options.fingerprint !== undefined))
        command
          .showHelpAfterError(false)
          .error(
            "error: --delete removes the shares of all holders: fetch them first, without --delete, and leave out --output and --fingerprint",
          );
      await backup(terminal, options);
    });

  rekey
    .command("decrypt")
    .description("Decrypt a new share with its holder's private key. Nothing is sent.")
    .requiredOption("--key <file>", "the private OpenPGP key, armored, binary or base64")
    .option(
      "--share <file>",
      "the encrypted share, as hex, base64, armored or the printed line; default: asked for, or read from the standard input",
    )
    .option("--passphrase-file <file>", "the passphrase of the key; default: asked for")
    .addHelpText(
      "after",
      `
Prints the share in hex, as \`submit\`, \`verify\` and \`vault operator rekey\` take it:

  $ gpg --armor --export-secret-keys me > /run/user/1000/me.asc
  $ pulumi-steward rekey decrypt --key /run/user/1000/me.asc --share mine.txt | pulumi-steward rekey verify --nonce 90ab…
  $ rm /run/user/1000/me.asc

Where the private key never leaves a card or an agent: xxd -r -p mine.txt | gpg --decrypt
${exits}`,
    )
    .action((options) => decrypt(terminal, options));

  // Last, since each command inherits this when it is added: an unknown command prints the list of commands.
  rekey.showHelpAfterError(true);
}

/** Without a terminal the rekey cannot be confirmed. */
function assertConfirmable({ stdin }: Terminal, command: Command): void {
  if (!stdin.isTTY && command.opts().nonce === undefined)
    command.showHelpAfterError(false).error("error: --nonce is needed where there is no terminal to confirm the rekey");
}
