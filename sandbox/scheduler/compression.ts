import { deflateRawSync, gzipSync } from "node:zlib";

const encodings: Record<string, (body: Uint8Array) => Buffer> = { gzip: gzipSync, deflate: deflateRawSync };

/** The response in the first supported encoding of the list. As in Nomad, a weight such as `gzip;q=1.0` disables its encoding. */
export async function compressed(response: Response, accepted: string | undefined): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set("vary", "Accept-Encoding");
  const name = (accepted ?? "")
    .split(",")
    .map((each) => each.trim())
    .find((each) => Object.hasOwn(encodings, each));
  const body = new Uint8Array(await response.arrayBuffer());
  if (name) headers.set("content-encoding", name);
  const sent = new Uint8Array(name ? encodings[name]!(body) : body);
  headers.set("content-length", String(sent.length));
  return new Response(sent, { status: response.status, headers });
}
