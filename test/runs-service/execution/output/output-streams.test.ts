import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutputStreams } from '../../../../src/runs-service/execution/output/output-streams.ts';

const secret = 'a secret that is long enough to matter';

function open(secrets: readonly string[]) {
  const seen: string[] = [];
  const streams = createOutputStreams(secrets, (lines, stream) =>
    seen.push(`${stream}: ${lines.toString('utf8')}`),
  );
  const print = (text: string, stream: 'stdout' | 'stderr' = 'stdout') =>
    streams.push(Buffer.from(text), stream);
  return { seen, streams, print };
}

describe('the output of a command', () => {
  it('is passed on at the end of each line, even with longer secrets', () => {
    const { seen, print } = open([secret]);
    print('one\ntwo');
    expect(seen).toEqual(['stdout: one\n']);
    print('\n');
    expect(seen).toEqual(['stdout: one\n', 'stdout: two\n']);
  });

  it('never mixes two streams in a line', () => {
    const { seen, streams, print } = open([]);
    print('{"type":"turn.');
    print('a warning\n', 'stderr');
    print('started"}\nrest');
    print('no end', 'stderr');
    streams.end();
    expect(seen).toEqual([
      'stderr: a warning\n',
      'stdout: {"type":"turn.started"}\n',
      'stdout: rest',
      'stderr: no end',
    ]);
  });

  it('comes in pieces if a line is too long', () => {
    const { seen, print } = open([]);
    const part = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 6; count += 1) print(part);
    expect(seen.length).toBeGreaterThan(0);
  });

  it('is complete and without secrets, no matter how it is split', () => {
    const secrets = ['hunter', 'hunter2-long', 'line-one-of-it\nline-two-of-it\n}', secret];
    const piece = fc.oneof(
      fc.constantFrom(...secrets, 'hunter2-', 'hunt', 'line-one-of-it\n', '\n', ' '),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(200)), (pieces, cuts) => {
        const text = pieces.join('');
        const whole = open(secrets);
        whole.print(text);
        whole.streams.end();
        const cut = open(secrets);
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        for (const [index, place] of places.entries())
          cut.print(text.slice(place, places[index + 1] ?? place));
        cut.streams.end();
        const shown = ({ seen }: { seen: string[] }) =>
          seen.map((each) => each.slice('stdout: '.length)).join('');
        expect(shown(cut)).toBe(shown(whole));
        for (const each of secrets) expect(shown(cut)).not.toContain(each);
      }),
    );
  });
});
