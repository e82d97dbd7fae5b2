import { expect, it } from 'vitest';
import { planLine } from '../../../src/runs-service/demo/agent/plan-line.ts';
import { understand } from '../../../src/runs-service/demo/agent/understand.ts';
import { readSteps } from '../../../src/runs-service/harnesses/steps/read-steps.ts';

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
