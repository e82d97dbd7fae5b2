/** How many pieces are merged into one. Node keeps more than a hundred bytes for each buffer, however small it is. */
const piecesAtOnce = 1_024;

/** Collects the body of a reply. One that comes byte by byte takes little more memory than one that comes whole. */
export class ReplyBytes {
  readonly #merged: Buffer[] = [];
  #recent: Buffer[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#recent.push(chunk);
    if (this.#recent.length < piecesAtOnce) return;
    this.#merged.push(Buffer.concat(this.#recent));
    this.#recent = [];
  }

  whole(): Buffer {
    const pieces = [...this.#merged, ...this.#recent];
    const [first] = pieces;
    return first && pieces.length === 1 ? first : Buffer.concat(pieces);
  }
}
