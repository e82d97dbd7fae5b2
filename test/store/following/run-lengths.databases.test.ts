import { expect, it } from 'vitest';
import { createRunLengths } from '../../../src/store/following/run-lengths.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

describeOnDatabase('the lengths of runs', (database) => {
  it('are the medians of the last twenty runs of an environment, if there are enough', async () => {
    const lengths = createRunLengths(database());
    const note = (index: number, waitedMs: number) =>
      lengths.note({
        requestId: `r${index}`,
        environment: 'shop',
        endedAt: index,
        waitedMs,
        workedMs: index % 2 ? 7 : null,
      });
    for (let index = 0; index < 4; index += 1) await note(index, 10);
    expect(await lengths.usual('shop')).toEqual({ waitMs: undefined, workMs: undefined });
    await note(4, 10);
    await note(4, 99);
    expect((await lengths.usual('shop')).waitMs).toBe(10);
    for (let index = 5; index < 30; index += 1) await note(index, 50);
    expect(await lengths.usual('shop')).toEqual({ waitMs: 50, workMs: 7 });
    expect(await lengths.usual('docs')).toEqual({ waitMs: undefined, workMs: undefined });
  });
});
