import { expect, it } from 'vitest';
import type { PersonAnswer } from '../../src/harnesses/harness.ts';
import { answerAnswerSchema } from '../../src/remote/protocol.ts';

it.each<PersonAnswer>([
  { optionId: 'yes' },
  { text: 'the main branch' },
  { values: { where: 'eu', count: 3, sure: false, days: ['Mon'] } },
])('every answer of a person reaches an agent in another place: %j', (answer) => {
  expect(answerAnswerSchema.parse({ closed: true, answer })).toEqual({ closed: true, answer });
});
