import { deflateRawSync, gzipSync } from "node:zlib";

const encodings: Record<string, (body: Uint8Array) => Buffer> = { gzip: gzipSync, deflate: deflateRawSync };

/** The answer in the first encoding of the list that is known. A weight hides the name in front of it, as in the real product. */
export async function compressed(answer: Response, accepted: string | undefined): Promise<Response> {
  const headers = new Headers(answer.headers);
  headers.set("vary", "Accept-Encoding");
  const name = (accepted ?? "")
    .split(",")
    .map((each) => each.trim())
    .find((each) => Object.hasOwn(encodings, each));
  const body = new Uint8Array(await answer.arrayBuffer());
  if (name) headers.set("content-encoding", name);
  const sent = new Uint8Array(name ? encodings[name]!(body) : body);
  headers.set("content-length", String(sent.length));
  return new Response(sent, { status: answer.status, headers });
}
