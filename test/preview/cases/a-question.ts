import type { Question } from 'runs-client/contract';

export const question: Question = {
  id: 'q1',
  text: 'Allow "Run the tests"?',
  details: 'npm test -- --run test/login.test.ts\nrm -rf coverage',
  options: [
    { id: 'once', label: 'Allow once', kind: 'allow_once' },
    { id: 'always', label: 'Always allow', kind: 'allow_always' },
    { id: 'no', label: 'Reject', kind: 'reject_once' },
  ],
  takes_text: false,
  asked_at: '2026-11-01T12:00:00.000Z',
  expires_at: '2026-11-01T12:40:00.000Z',
};

/** Changes that make a run wait for an answer. */
export const waiting = { state: 'BLOCKED', agent_progress: { question } };

/** A run that has reached its cap asks for more. */
export const spendQuestion: Question = {
  id: 'q2',
  kind: 'spend',
  details: null,
  text: 'This run has spent $5.00 of $5.00.\nIf you allow $5.00 more, it continues. Otherwise, it ends here.',
  options: [
    { id: 'allow', label: 'Allow $5.00 more', kind: 'allow_once' },
    { id: 'stop', label: 'Stop here', kind: 'reject_once' },
  ],
  takes_text: false,
  asked_at: '2026-11-01T12:00:00.000Z',
  expires_at: '2026-11-01T12:15:00.000Z',
};
