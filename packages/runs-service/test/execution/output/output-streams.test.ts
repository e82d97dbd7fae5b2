import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutputStreams } from '../../../src/execution/output/output-streams.ts';

/** Built from parts, so that secret scanners don't report this file. */
const dashes = '-'.repeat(5);

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

  it('never has what looks like a key, no matter how it is split', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const body = Array.from({ length: 20 }, (_, index) => `MII${index}${'x'.repeat(60)}`);
    const key = [`${dashes}BEGIN KEY${dashes}`, ...body, `${dashes}END KEY${dashes}`]
      .join('\n')
      .replaceAll(' KEY', ' PRIVATE KEY');
    const event = { type: 'x', text: `cat .env\nPASSWORD="hunter2-hunter2"`, input: { key } };
    const named = { type: 'x', input: { api_key: 'hunter2-hunter2' } };
    const color = '\u001b[1;31m';
    const text = [
      token,
      `${color}${token}`,
      `äöü ${token}`,
      key,
      JSON.stringify(event),
      JSON.stringify(named),
    ]
      .map((line) => `${line}\n`)
      .join('after\n');
    for (const size of [1, 7, 60, 1000, 100_000]) {
      const { seen, streams } = open([]);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size)
        streams.push(bytes.subarray(at, at + size), 'stdout');
      streams.end();
      const shown = seen.map((each) => each.slice('stdout: '.length)).join('');
      for (const secret of [token, 'hunter2', 'MII', 'xxxx']) expect(shown).not.toContain(secret);
      expect(shown).toContain('äöü [masked secret 1]\n');
      expect(shown.match(/^after$/gm)).toHaveLength(5);
      const events = shown.split('\n').filter((line) => line.startsWith('{'));
      expect(events.map((line) => JSON.parse(line).type)).toEqual(['x', 'x']);
    }
  });

  it('keeps bytes that are not text, and JSON that is nested too deeply', () => {
    const streams = { seen: [] as Buffer[] };
    const { push, end } = createOutputStreams([], (lines) => streams.seen.push(lines));
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`;
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00, 0xa0, 0x0a]), Buffer.from(deep)]);
    push(bytes, 'stdout');
    end();
    expect(Buffer.concat(streams.seen).equals(bytes)).toBe(true);
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
