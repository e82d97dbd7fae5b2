import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPatchSummary } from '../../../src/execution/git/patch-summary.ts';

const patch = [
  'diff --git a/a.txt b/a.txt',
  '--- a/a.txt',
  '+++ b/a.txt',
  '@@ -1,3 +1,3 @@ title',
  ' same',
  '--- looks like a header',
  '+++ looks like one too',
  ' diff --git a/x b/x',
  '@@ -9 +9,2 @@',
  '-old',
  '+new',
  '\\ No newline at end of file',
  '+é',
  'diff --git a/b.bin b/b.bin',
  'index 1..2 100644',
  'GIT binary patch',
  'literal 3',
  'Kcmb',
  '',
  'diff --git a/old b/new',
  'rename from old',
  'rename to new',
  '',
].join('\n');

it('files and lines of a patch are counted, no matter how it is split', () => {
  const bytes = Buffer.from(patch);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const summary = createPatchSummary();
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      for (const [index, place] of places.entries())
        summary.push(bytes.subarray(place, places[index + 1] ?? place));
      expect(summary.read()).toEqual({
        files: 3,
        insertions: 3,
        deletions: 2,
        largest: [
          { path: 'a.txt', insertions: 3, deletions: 2 },
          { path: 'b.bin', insertions: 0, deletions: 0 },
          { path: 'new', insertions: 0, deletions: 0 },
        ],
      });
    }),
  );
});
