import { describe, expect, it } from 'vitest';
import { permissionsOf, type ServiceEnvironment } from '../../../src/environments/environments.ts';
import { answerPermissionRequest } from '../../../src/harnesses/acp/acp-questions.ts';

/** Returns the answer to a permission request, in a test where nobody answers questions. */
async function answerTo(tool: object, environment: Partial<ServiceEnvironment>) {
  const permissions = permissionsOf({ id: 'e', repositories: [], command: ['x'], ...environment });
  const { signal } = new AbortController();
  const asked: object[] = [];
  const ask = async (question: object) => void asked.push(question);
  const { outcome } = await answerPermissionRequest(
    { permissions, ask, signal },
    {
      sessionId: 's',
      toolCall: { toolCallId: 'c', ...tool },
      options: [
        { optionId: 'always', name: 'Yes, always', kind: 'allow_always' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    },
  );
  return { said: outcome.outcome === 'selected' ? outcome.optionId : undefined, asked };
}

const test = { kind: 'execute', title: 'npm test' };
const open = { isolation: 'none' } as const;

describe('a tool that needs permission', () => {
  it.each<[name: string, tool: object, environment: Partial<ServiceEnvironment>, said: string]>([
    ['is allowed by default in a sandbox', test, {}, 'yes'],
    ['is rejected if the environment says so', test, { permissions: 'deny' }, 'no'],
    ['is allowed by its kind', test, { permissions: 'deny', allow_tools: ['execute'] }, 'yes'],
    ['is allowed by its title', test, { permissions: 'deny', allow_tools: ['npm test'] }, 'yes'],
    ['is rejected without a sandbox', test, open, 'no'],
    ['may be an edit without a sandbox', { kind: 'edit', title: 'notes.txt' }, open, 'yes'],
  ])('%s', async (_name, tool, environment, said) => {
    expect(await answerTo(tool, environment)).toEqual({ said, asked: [] });
  });

  it('is rejected if a person was asked, and nobody answered', async () => {
    const { said, asked } = await answerTo(test, { permissions: 'ask' });
    expect([said, asked]).toMatchObject(['no', [{ text: 'Allow "npm test"?' }]]);
  });
});
