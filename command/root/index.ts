import { Command } from "commander";
import { confirmable, encrypted, exits, neverArgument, plaintext, printStatus } from "../rekey";
import { Terminal } from "../terminal";
import { getRootStatus } from "./api";
import { cancel, describe, rootOperation, start, submit } from "./attempt";
import { decrypt, revoke } from "./token";

const environment = `
The address and the token come from BAO_ADDR and BAO_TOKEN for OpenBao 2.6 or later, or from VAULT_ADDR and VAULT_TOKEN for Vault.
Vault up to 1.21 requires no token for this.`;

const nonce = "the nonce of the attempt; without it, the command shows the attempt and asks you to confirm it";

/** Adds `pulumi-steward root …`: an emergency, so it is never in a state. */
export function addRoot(program: Command, terminal: Terminal): void {
  const root = program
    .command("root")
    .description("Generate a root token of Vault or OpenBao in an emergency, and revoke it.")
    .showHelpAfterError(neverArgument)
    .addHelpText(
      "after",
      `
${neverArgument}

  $ pulumi-steward root start --key admin.asc        starts, for the owner of this public OpenPGP key
  $ pulumi-steward root submit                       each holder submits a share; the last one gets the encrypted token
  $ pulumi-steward root decrypt                      decrypts the token with gpg
  $ pulumi-steward root revoke                       revokes it afterwards

A one-time password instead of a key is not supported: a terminal would show it.
${environment}
${exits}`,
    );
  const add = (name: string, description: string): Command =>
    root.command(name).description(description).addHelpText("after", `${environment}\n${exits}`);

  add("status", "Show the attempt in progress: the key and the progress.")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }) => {
      const operation = rootOperation(terminal);
      const status = await getRootStatus(operation);
      await printStatus(terminal, status, describe(status, operation), options);
    });
  add("start", "Start to generate a root token, encrypted to a key. Generates nothing yet.")
    .requiredOption("--key <file>", "the public OpenPGP key, armored, binary or base64")
    .action((options) => start(terminal, options));
  add("submit", "Submit a share. The last one generates the root token, and prints it encrypted.")
    .option("--nonce <nonce>", nonce)
    .addOption(encrypted())
    .option("--allow-http", plaintext)
    .action(confirmable(terminal, (options: Parameters<typeof submit>[1]) => submit(terminal, options)));
  add("decrypt", "Decrypt the root token, with gpg or with the file of a private key. Sends nothing.")
    .option("--token <file>", "the encrypted token (default: a prompt or standard input)")
    .option("--key <file>", "the private OpenPGP key, armored, binary or base64 (default: gpg finds it)")
    .option("--passphrase-file <file>", "the passphrase of the key (default: a prompt)")
    .action((options) => decrypt(terminal, options));
  add("cancel", "Cancel the attempt in progress.")
    .option("--nonce <nonce>", nonce)
    .action(confirmable(terminal, (options: Parameters<typeof cancel>[1]) => cancel(terminal, options)));
  add("revoke", "Revoke a root token, from a prompt or standard input, and the tokens that it created, except orphans.")
    .option("--allow-http", plaintext)
    .action((options) => revoke(terminal, options));
  root.showHelpAfterError(true);
}
