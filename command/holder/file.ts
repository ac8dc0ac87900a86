import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { StewardError } from "../../provider/contract/errors";

// The size of one share, encrypted to the largest keys in use.
const bytesOfOne = 8 * 1024;

/** The file for the new shares. It is created before a share is sent, with enough space for a later write to succeed. */
export class NewSharesFile {
  private readonly descriptor: number;
  private written = false;

  constructor(
    readonly path: string,
    count: number,
  ) {
    try {
      this.descriptor = openSync(path, "wx", 0o600);
    } catch (error) {
      throw unusable(error, "; nothing was sent");
    }
    try {
      this.put(Buffer.alloc(count * bytesOfOne));
    } catch (error) {
      this.close();
      throw unusable(error, "; nothing was sent");
    }
  }

  /** Writes the shares. Returns false if that fails. */
  write(lines: readonly string[]): boolean {
    try {
      this.put(Buffer.from(lines.map((line) => `${line}\n`).join("")));
      this.written = true;
    } catch {
      // The caller prints them instead.
    }
    return this.written;
  }

  /** Closes the file, and removes it if it holds no shares. */
  close(): void {
    closeSync(this.descriptor);
    if (!this.written) unlinkSync(this.path);
  }

  private put(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at, bytes.length - at, at);
    ftruncateSync(this.descriptor, bytes.length);
    fsyncSync(this.descriptor);
  }
}

/** Writes a new file that only its owner can read, and its folder. */
export function writePrivate(option: string, path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw unusable(error, "", option);
  }
}

/** The error of a file that cannot be created. `more` follows the reason. */
export const unusable = (error: unknown, more = "", option = "--output"): StewardError =>
  new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `the ${option} file cannot be created (${(error as NodeJS.ErrnoException).code})${more}`,
    hint: "Choose a file that does not exist yet, in a folder with enough space.",
  });

/** Decodes a file: UTF-8, the UTF-16 of PowerShell, or else the binary form, which begins with a byte above 127. */
export function textOf(bytes: Buffer, binary: BufferEncoding): string {
  const first = bytes[0] ?? 0;
  const encoding = first === 0xff ? "utf16le" : first < 128 || first === 0xef ? "utf8" : binary;
  return bytes.toString(encoding).replace(/^\ufeff/, "");
}
