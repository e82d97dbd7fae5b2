import { readPatch } from 'base/read-patch';
import { describe, expect, it } from 'vitest';
import { terminalLines } from '../../../src/pages/session/terminal-lines.ts';

const esc = '\u001b';

describe('terminal output as HTML', () => {
  const cases: [name: string, output: string, html: string][] = [
    ['plain text', 'a & b', 'a &amp; b'],
    ['a color', `${esc}[31mred${esc}[0m plain`, '<span class="t-c1">red</span> plain'],
    ['bold and bright', `${esc}[1;92mx`, '<span class="t-bold t-c10">x</span>'],
    ['256 colours, skipped', `${esc}[38;5;200mx`, 'x'],
    ['full colors, skipped', `${esc}[1;38;2;1;2;3mx`, '<span class="t-bold">x</span>'],
    ['an unknown code', `${esc}[999mx`, 'x'],
    ['cursor movements', `${esc}[2J${esc}[Hx`, 'x'],
    ['a window title', `${esc}]0;<b>title\u0007x`, 'x'],
    ['a cut sequence', `x${esc}[`, 'x'],
    ['a progress line', '10%\r50%\r100%', '100%'],
    ['NUL and bells', 'a\u0000\u0007b', 'ab'],
    ['text that would change direction', 'a\u202eb', 'ab'],
    ['markup in a color', `${esc}[32m<script>`, '<span class="t-c2">&lt;script&gt;</span>'],
  ];
  it.each(cases)('shows %s', (_name, output, html) => {
    expect(terminalLines(output).lines).toEqual([html]);
  });

  it('keeps a color across lines and parts', () => {
    const first = terminalLines(`${esc}[31ma\nb`);
    expect(first.lines).toEqual(['<span class="t-c1">a</span>', '<span class="t-c1">b</span>']);
    expect(terminalLines('c', first.style).lines).toEqual(['<span class="t-c1">c</span>']);
  });
});

describe('a patch', () => {
  it('is split into files with numbered lines', () => {
    const [file, ...others] = readPatch(
      [
        'diff --git a/a.txt b/a.txt',
        'index 1..2 100644',
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,2 +1,2 @@ title',
        ' same',
        '-old',
        '+new',
        '\\ No newline at end of file',
      ].join('\n'),
    );
    expect(others).toEqual([]);
    expect(file).toEqual({
      name: 'a.txt',
      change: 'changed',
      binary: false,
      added: 1,
      removed: 1,
      lines: [
        { kind: 'hunk', text: 'title' },
        { kind: 'same', text: 'same', oldNumber: 1, newNumber: 1 },
        { kind: 'removed', text: 'old', oldNumber: 2 },
        { kind: 'added', text: 'new', newNumber: 2 },
      ],
    });
  });

  it.each([
    ['new', 'diff --git a/x b/x\nnew file mode 100644', { name: 'x', change: 'added' }],
    ['deleted', 'diff --git a/x b/x\ndeleted file mode 100644', { change: 'deleted' }],
    [
      'renamed',
      'diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z',
      { name: 'y z', change: 'renamed' },
    ],
    ['binary', 'diff --git a/x b/x\nBinary files a/x and b/x differ', { binary: true }],
    ['whole binary', 'diff --git a/x b/x\nGIT binary patch\nliteral 2\nJc$', { binary: true }],
  ])('knows a %s file', (_name, patch, expected) => {
    expect(readPatch(patch)[0]).toMatchObject(expected);
  });

  it('keeps lines of a file that look like headers', () => {
    const [file] = readPatch('diff --git a/x b/x\n@@ -0,0 +1,2 @@\n+++ b/y\n+diff --git a/y b/y');
    expect(file).toMatchObject({ name: 'x', added: 2 });
  });

  it.each(['', 'rubbish', 'diff --git', '@@ -1 +1 @@\n+x'])('takes %j', (patch) => {
    expect(readPatch(patch).flatMap(({ lines }) => lines)).toEqual([]);
  });
});
