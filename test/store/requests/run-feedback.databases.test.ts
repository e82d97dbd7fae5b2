import { beforeEach, expect, it } from 'vitest';
import { createRunFeedback, type Rating } from '../../../src/store/requests/run-feedback.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

type Click = [userId: string, rating: 'good' | 'bad', at: number];

describeOnDatabase('feedback', (database) => {
  const run = { id: 'r1', teamId: 'T1' };
  const feedback = () => createRunFeedback(database());
  const give = ([userId, rating, at]: Click, of = run) =>
    feedback().give(of, { userId, isGood: rating === 'good', at });
  const all = async (...ids: string[]) => {
    const shown = ({ userId, isGood }: Rating) => `${userId} ${isGood ? 'good' : 'bad'}`;
    return (await feedback().ofRuns(ids)).map(shown).sort();
  };
  beforeEach(async () => {
    await database().deleteFrom('run_feedback').execute();
  });

  const cases: [what: string, clicks: Click[], kept: string[]][] = [
    ['one for each person', [['U1', 'good', 1], ['U2', 'bad', 1]], ['U1 good', 'U2 bad']], // biome-ignore format: a table
    ['a repeated click once', [['U1', 'good', 1], ['U1', 'good', 1]], ['U1 good']], // biome-ignore format: a table
    ['the last click', [['U1', 'good', 1], ['U1', 'bad', 2]], ['U1 bad']], // biome-ignore format: a table
    ['the last click even if it arrives first', [['U1', 'bad', 2], ['U1', 'good', 1]], ['U1 bad']], // biome-ignore format: a table
  ];
  it.each(cases)('keeps %s', async (_, clicks, kept) => {
    for (const click of clicks) await give(click);
    expect(await all('r1')).toEqual(kept);
  });

  it('keeps one of a hundred clicks at once by five people, the last of each', async () => {
    const clicks = Array.from({ length: 100 }, (_, index): Click => {
      const at = Math.floor(index / 5);
      return [`U${index % 5}`, at % 2 === 0 ? 'good' : 'bad', at];
    });
    await Promise.all(clicks.map((click) => give(click)));
    expect(await all('r1')).toEqual(['U0 bad', 'U1 bad', 'U2 bad', 'U3 bad', 'U4 bad']);
  });

  it('is read for several runs', async () => {
    await give(['U1', 'good', 1]);
    await give(['U1', 'bad', 1], { id: 'r2', teamId: 'T1' });
    expect(await all('r1', 'r2', 'r3')).toEqual(['U1 bad', 'U1 good']);
    expect(await all('r3')).toEqual([]);
    expect(await all()).toEqual([]);
  });
});
