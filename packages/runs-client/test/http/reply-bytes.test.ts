import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ReplyBytes } from '../../src/http/exchange.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('the bytes of a reply', () => {
  it.each([0, 1, 1_023, 1_024, 1_025, 5_000])('are whole after %i pieces', (pieces) => {
    const bytes = new ReplyBytes();
    const sent = Array.from({ length: pieces }, (_, at) => Buffer.from(`${at},`));
    for (const each of sent) bytes.add(each);
    expect(bytes.whole().equals(Buffer.concat(sent))).toBe(true);
    expect(bytes.size).toBe(Buffer.concat(sent).length);
  });

  it('take little memory if they come one by one', () => {
    const before = memoryInUse();
    const bytes = new ReplyBytes();
    for (let at = 0; at < 200_000; at += 1) bytes.add(Buffer.from([at % 256]));
    expect(memoryInUse() - before).toBeLessThan(4_000_000);
    expect(bytes.whole()).toHaveLength(200_000);
  });
});
