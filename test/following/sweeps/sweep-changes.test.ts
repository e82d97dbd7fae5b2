import { describe, expect, it } from 'vitest';
import { nextSince } from '../../../src/following/sweeps/sweep-changes.ts';

const everyMs = (ms: number, count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => first + index * ms);

describe('the next watermark', () => {
  it.each<[string, number[], number, number]>([
    ['stays after a sweep without changes', [], 500, 500],
    ['few changes: all of them again', [600, 700], 500, 500],
    ['a change long ago: not all that time again', [500, 200_000], 400, 140_000],
    ['many changes: the newest of them again', everyMs(100, 101), 0, 7_500],
    ['very many changes: a quarter of a second again', everyMs(1, 2_001), 0, 1_750],
    ['a thousand at the same time: all of them again', everyMs(0, 1_000, 5_000), 0, 4_750],
    ['a clock that went back: never further back than this one', [100], 500, 500],
  ])('%s', (_, times, since, next) => {
    expect(nextSince(times, since)).toBe(next);
  });
});
