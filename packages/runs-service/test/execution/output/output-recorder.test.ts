import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutputRecorder } from '../../../src/execution/output/output-recorder.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

describe('the output recorder', () => {
  function record(limitBytes: number, ...chunks: string[]): string {
    const file = join(temporaryFolder(), 'deep', 'output.log');
    const recorder = createOutputRecorder(file, limitBytes);
    for (const chunk of chunks) recorder.write(Buffer.from(chunk), 'one');
    expect(recorder.close()).toBeUndefined();
    recorder.write(Buffer.from('late'), 'one');
    return readFileSync(file, 'utf8');
  }

  it('keeps everything up to the limit', () => {
    expect(record(10, '12345', '67890')).toBe('1234567890');
  });

  it('keeps the start and the end of longer output, and counts what is missing', () => {
    const output = record(10, '1234567890', 'x'.repeat(20_000), 'end');
    expect(output).toMatch(/^1234567890\n\[… 3619 bytes skipped/);
    expect(output).toMatch(/xxxend$/);
  });

  it('starts a new line for another source if the line before is unfinished', () => {
    const file = join(temporaryFolder(), 'output.log');
    const recorder = createOutputRecorder(file, 100);
    for (const [text, source] of ['1-one', '1-more', '2-two\n', '1-three', '2-'].map(
      (each) => [each, each[0]] as const,
    ))
      recorder.write(Buffer.from(text), source);
    recorder.close();
    expect(readFileSync(file, 'utf8')).toBe('1-one1-more\n2-two\n1-three\n2-');
  });
});
