import { type PatchFile, readPatch } from 'base/read-patch';
import { describe, expect, it } from 'vitest';
import { diffLimit, paginate } from '../../../src/slack/changes/changes-pages.ts';
import { renderChanges } from '../../../src/slack/changes/changes-view.ts';
import { aRun } from '../../support/builders.ts';
import { textOf } from '../../support/product/product.ts';

const fileOf = (name: string, lines: readonly string[]): PatchFile[] =>
  readPatch(
    [`diff --git a/${name} b/${name}`, '@@ -1 +1 @@', ...lines.map((line) => `+${line}`)].join(
      '\n',
    ),
  );

/** Returns the texts of the diff on each page. */
function piecesOf(files: readonly PatchFile[]): string[][] {
  return paginate(files).pages.map((blocks) =>
    blocks.flatMap((block) =>
      block.type === 'rich_text'
        ? block.elements.flatMap((each) =>
            each.elements.flatMap((text) => ('text' in text && text.text ? [text.text] : [])),
          )
        : [],
    ),
  );
}

const size = (text: string) => [...text].length;

describe('the pages of a diff', () => {
  it('have everything, in whole lines', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
    const pieces = piecesOf(fileOf('a.ts', lines)).flat();
    expect(pieces.join('\n')).toBe(['@@ line 1 @@', ...lines.map((line) => `+${line}`)].join('\n'));
    expect(Math.max(...pieces.map(size))).toBeLessThanOrEqual(2_900);
  });

  it.each([
    ['a line beyond the limit', fileOf('a.min.js', ['x'.repeat(150_000)])],
    ['a line of emoji', fileOf('a.txt', ['😀'.repeat(110_000)])],
    ['a thousand files', Array.from({ length: 1_000 }, (_, n) => fileOf(`${n}`, ['x'])).flat()],
    ['names without end', fileOf('n'.repeat(10_000), ['x'])],
  ])('fit into Slack with %s', (_, files) => {
    const { pages } = paginate(files);
    for (const page of pages.keys()) {
      const place = { ref: { requestId: 'r' }, page };
      const view = renderChanges(place, aRun(), { files, isLonger: false, download: undefined });
      expect(view.blocks.length).toBeLessThanOrEqual(100);
      expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(250_000);
    }
    const pieces = piecesOf(files).flat();
    expect(pieces.every((piece) => size(piece) <= 3_000)).toBe(true);
    expect(pieces.join('')).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    expect(size(pieces.join(''))).toBeLessThanOrEqual(diffLimit + 10);
  });

  it('say what happened to files without lines', () => {
    const patch = [
      'diff --git a/logo.png b/logo.png',
      'new file mode 100644',
      'Binary files /dev/null and b/logo.png differ',
      'diff --git a/old.ts b/new.ts',
      'rename from old.ts',
      'rename to new.ts',
    ].join('\n');
    const shown = textOf(paginate(readPatch(patch)).pages);
    expect(shown).toContain('`logo.png` (new) binary');
    expect(shown).toContain('`new.ts` (renamed) +0 −0');
  });

  it('are one for no files', () => {
    expect(paginate([])).toEqual({ pages: [[]], isCut: false });
  });
});
