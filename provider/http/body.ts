import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { bodyTooLarge } from "./failure";

/** A response whose body has not been read. */
export interface Received {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** Reads and decompresses the body of a response. Throws an error with the code `bodyTooLarge` if it exceeds `most` bytes. */
export async function readBody({ statusCode, body, headers }: Received, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > most) return;
      chunks.push(chunk);
    }
  };
  try {
    const zipped = String(headers["content-encoding"]).toLowerCase() === "gzip" && statusCode !== 204;
    await (zipped ? pipeline(body, createGunzip(), collect) : collect(body));
  } catch (error) {
    if (size <= most) throw error;
  }
  // The error of a stream that was not read to its end does not tell this.
  if (size > most) throw Object.assign(new Error(), { code: bodyTooLarge });
  return Buffer.concat(chunks).toString("utf8");
}
