/** Keeps only the last bytes. */
export function createOutputTail(bytes: number) {
  let kept = Buffer.alloc(0);
  return {
    push(chunk: Buffer): void {
      kept = Buffer.concat([kept, chunk.subarray(-bytes)]).subarray(-bytes);
    },
    bytes: () => kept,
    text: () => kept.toString('utf8'),
  };
}
