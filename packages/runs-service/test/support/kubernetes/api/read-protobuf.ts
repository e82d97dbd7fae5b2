import type { ClusterObject } from './object-store.ts';

/** Returns the fields of a message by their numbers: the bytes of strings and messages, without numeric fields. */
function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const readNumber = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = readNumber();
    const length = readNumber();
    if (tag % 8 === 0) continue;
    if (tag % 8 !== 2) throw new Error(`unknown wire type ${tag % 8}`);
    const field = Math.floor(tag / 8);
    fields.set(field, [...(fields.get(field) ?? []), message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

const isMarked = (body: Buffer) => body.subarray(0, 4).toString('latin1') === 'k8s\0';

/** Reads a Secret in the format in which Helm sends its releases. Returns undefined for another format. */
export function readProtobufSecret(body: Buffer): ClusterObject | undefined {
  if (!isMarked(body)) return undefined;
  const only = (fields: Map<number, Buffer[]>, field: number) =>
    fields.get(field)?.[0] ?? Buffer.alloc(0);
  const entries = (fields: Map<number, Buffer[]>, field: number, encoding: BufferEncoding) =>
    Object.fromEntries(
      (fields.get(field) ?? []).map((entry) => {
        const pair = fieldsOf(entry);
        return [only(pair, 1).toString(), only(pair, 2).toString(encoding)];
      }),
    );
  const secret = fieldsOf(only(fieldsOf(body.subarray(4)), 2));
  const metadata = fieldsOf(only(secret, 1));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: only(secret, 3).toString(),
    metadata: { name: only(metadata, 1).toString(), labels: entries(metadata, 11, 'utf8') },
    data: entries(secret, 2, 'base64'),
  };
}
