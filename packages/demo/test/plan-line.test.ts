import { readSteps } from 'runs-service/harnesses/steps/read-steps';
import { expect, it } from 'vitest';
import { planLine } from '../src/agent/plan-line.ts';
import { understand } from '../src/agent/understand.ts';

it('the demo agent reports its plan so that the service reads it', () => {
  const steps = understand('list the files, then wait 2 seconds, then count the TODO comments');
  expect(readSteps(planLine(steps, 1))).toEqual([
    {
      kind: 'plan',
      items: [
        { title: 'List the files', state: 'completed' },
        { title: 'Wait', state: 'in_progress' },
        { title: 'Count the TODO comments', state: 'pending' },
      ],
    },
  ]);
});
