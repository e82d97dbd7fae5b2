/** Cuts a diff into blocks, and blocks into pages that a modal can show. */
import type { KnownBlock } from '@slack/types';
import type { PatchFile, PatchLine } from 'base/read-patch';
import { section } from '../text/blocks.ts';
import { code } from '../text/escape-text.ts';
import { diffBlock } from '../text/rich-text.ts';

/** Max length of a shown diff, in UTF-16 units. */
export const diffLimit = 100 * 1024;
const pageLimit = 30_000;
/** Max blocks of the diff on a page. A view can have 100 blocks, and the list of files needs some. */
const blocksOfAPage = 80;
/** Max length of one block of the diff. Slack accepts 3,000 characters. */
const pieceLimit = 2_900;
const pathLimit = 200;

type DiffPages = {
  /** Blocks of each page. There is at least one page, which may be empty. */
  pages: KnownBlock[][];
  /** True if the pages have only the beginning of the diff. */
  isCut: boolean;
};

export function paginate(files: readonly PatchFile[]): DiffPages {
  let left = diffLimit;
  const pages: KnownBlock[][] = [[]];
  let room = pageLimit;
  const add = (blocks: readonly KnownBlock[], size: number) => {
    const page = pages.at(-1) ?? [];
    if (page.length > 0 && (size > room || page.length + blocks.length > blocksOfAPage)) {
      pages.push([...blocks]);
      room = pageLimit - size;
    } else {
      page.push(...blocks);
      room -= size;
    }
  };
  for (const file of files) {
    if (left <= 0) return { pages, isCut: true };
    const [first = '', ...others] = piecesOf(file, left);
    const heading = section(`*${fileLine(file)}*`);
    add(first ? [heading, diffBlock(first)] : [heading], first.length + pathLimit);
    for (const piece of others) add([diffBlock(piece)], piece.length);
    left -= pathLimit + [first, ...others].join('').length;
  }
  return { pages, isCut: left <= 0 };
}

const changeWords: Record<PatchFile['change'], string> = {
  changed: '',
  added: ' (new)',
  deleted: ' (deleted)',
  renamed: ' (renamed)',
};

export function fileLine({ name, change, binary, added, removed }: PatchFile): string {
  const size = binary ? 'binary' : `+${added} −${removed}`;
  return `${code(name, pathLimit)}${changeWords[change]} ${size}`;
}

/**
 * Cuts the diff of a file into blocks, at line ends where possible.
 * @param most max length of all pieces
 */
function piecesOf({ lines }: PatchFile, most: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let left = most;
  for (const [index, line] of lines.entries()) {
    if (left <= 0) break;
    const [text = ''] = cut(written(line, lines[index + 1]), left);
    left -= text.length + 1;
    if (piece.length + text.length > pieceLimit && piece) {
      pieces.push(piece);
      piece = '';
    }
    const parts = cut(text, pieceLimit);
    pieces.push(...parts.slice(0, -1));
    piece += (piece && '\n') + (parts.at(-1) ?? '');
  }
  return piece ? [...pieces, piece] : pieces;
}

/** Cuts a text between code points, because half of a surrogate pair isn't a character. */
function cut(text: string, limit: number): string[] {
  if (text.length <= limit) return [text];
  const points = [...text];
  const count = Math.ceil(points.length / limit);
  return Array.from({ length: count }, (_, index) =>
    points.slice(index * limit, (index + 1) * limit).join(''),
  );
}

const signs: Record<PatchLine['kind'], string> = {
  same: ' ',
  added: '+',
  removed: '-',
  hunk: '@@',
};

function written({ kind, text }: PatchLine, next: PatchLine | undefined): string {
  if (kind !== 'hunk') return signs[kind] + text;
  const number = next?.newNumber ?? next?.oldNumber;
  return `@@ ${number === undefined ? '' : `line ${number} `}@@ ${text}`.trimEnd();
}
