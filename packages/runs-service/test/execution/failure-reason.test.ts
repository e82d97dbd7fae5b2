import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/execution/run-command.ts';
import { messageIn } from '../../src/execution/run-end.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

type Printed = { stdout?: readonly unknown[]; stderr?: string };

/** Returns the message of a run whose agent prints this and then ends this way. */
async function messageOf(
  { stdout = [], stderr = '' }: Printed,
  how: 'exits' | 'hangs' | 'reaches its time limit' = 'exits',
) {
  const sandbox: Sandbox = {
    async run({ onOutput, signal }) {
      onOutput(Buffer.from(stdout.map((line) => `${JSON.stringify(line)}\n`).join('')), 'stdout');
      onOutput(Buffer.from(stderr), 'stderr');
      if (how === 'exits') return { how: 'exited', code: 1 };
      if (how === 'hangs' && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { how: 'aborted' };
    },
  };
  const late =
    how === 'reaches its time limit' ? AbortSignal.abort() : new AbortController().signal;
  const context = {
    run: { id: 'run' },
    hidden: [],
    recorder: { write: () => undefined },
    signal: new AbortController().signal,
    clock: { expired: late, limitMs: 900_000 },
    models: undefined,
    sandbox,
    progress: { add() {}, print() {}, changed() {}, usage: () => undefined },
    memory: { learnSession() {} },
  };
  const command = { what: 'The agent', argv: ['agent'], variables: {}, cwd: '/', input: '' };
  const deps = { store: { saveUsage: async () => undefined }, limits: { killGraceMs: 0 } };
  const failure = await runCommand(deps, context, command);
  return failure?.status.message;
}
const messageAtLimit = (printed: Printed) => messageOf(printed, 'reaches its time limit');

const at = { timestamp: '2026-11-01T12:00:00.000Z' };
const stack = (error: string) => `${error}
    at throwErrorIfNotOK (file:///x/bundle/chunk.js:267833:24)
    at async Turn.run (file:///x/bundle/chunk.js:333001:24) {
  status: 401
}
`;
const google = '{"error":{"code":401,"message":"API key not valid.","status":"UNAUTHENTICATED"}}';

/** Output of Claude Code 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0 and OpenCode 1.18.33 when a model answers 401. */
const rejections: [harness: string, printed: Printed, reason: string][] = [
  [
    'claude',
    {
      stdout: [
        {
          type: 'system',
          subtype: 'api_retry',
          attempt: 1,
          max_retries: 1,
          retry_delay_ms: 500,
          error_status: 401,
          error: 'authentication_failed',
        },
        {
          type: 'result',
          subtype: 'success',
          is_error: true,
          api_error_status: 401,
          result: 'Invalid API key · Fix external API key',
        },
      ],
      stderr: 'a warning about something else\n',
    },
    'Invalid API key · Fix external API key',
  ],
  [
    'codex',
    {
      stdout: [
        { type: 'thread.started', thread_id: 't' },
        { type: 'item.completed', item: { id: 'i', type: 'error', message: 'No metadata.' } },
        { type: 'turn.started' },
        { type: 'error', message: 'Reconnecting... 1/1' },
        { type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized' } },
      ],
      stderr: 'Reading prompt from stdin...\n',
    },
    'unexpected status 401 Unauthorized',
  ],
  [
    'gemini',
    {
      stdout: [
        { type: 'init', ...at, session_id: 's', model: 'auto' },
        {
          type: 'result',
          ...at,
          status: 'error',
          error: { type: 'unknown', message: `[API Error: ${google}]` },
          stats: { total_tokens: 0 },
        },
      ],
      stderr: stack(`Error when talking to Gemini API _ApiError: ${google}`),
    },
    '[API Error: API key not valid.]',
  ],
  [
    'opencode',
    {
      stdout: [
        {
          type: 'error',
          timestamp: 1,
          sessionID: 'ses_1',
          error: {
            name: 'APIError',
            data: { message: 'Incorrect API key provided.', statusCode: 401, responseBody: '{}' },
          },
        },
      ],
      stderr: stack('Error: something later'),
    },
    'Incorrect API key provided.',
  ],
];

describe('the reason of a failure', () => {
  it.each(rejections)('is the reason that %s reports', async (_harness, printed, reason) => {
    expect(await messageOf(printed)).toBe(`${reason}\n(The agent exited with code 1.)`);
  });

  it('is the message on standard error, without the stack, if the agent reports nothing', async () => {
    const message = await messageOf({ stderr: stack(`_ApiError: ${google}`) });
    expect(message).toBe(
      '_ApiError: API key not valid.\nstatus: 401\n(The agent exited with code 1.)',
    );
  });

  it('is not an error that the agent recovered from', async () => {
    const stdout = [
      { type: 'error', message: 'Reconnecting... 1/5' },
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    ];
    expect(await messageOf({ stdout, stderr: 'the hook failed\n' })).toBe(
      'the hook failed\n(The agent exited with code 1.)',
    );
  });

  it('is the first lines of an event of any length', async () => {
    const message = `the cause\n${'detail '.repeat(5_000)}`;
    const reason = await messageOf({ stdout: [{ type: 'turn.failed', error: { message } }] });
    expect(reason).toMatch(/^the cause\ndetail detail/);
    expect(reason?.length).toBeLessThan(700);
  });

  it('is a key that claude would try again for minutes', async () => {
    const retry = { type: 'system', subtype: 'api_retry', max_retries: 10, retry_delay_ms: 500 };
    const stdout = [1, 2].map((attempt) => ({ ...retry, attempt, error_status: 401 }));
    const message = await messageOf({ stdout }, 'hangs');
    expect(message).toBe('The agent was stopped. Invalid API key: the model API answered 401.');
  });

  it('includes the last error at a time limit', async () => {
    const stdout = [
      { type: 'error', message: 'Reconnecting... 1/5' },
      { type: 'error', message: 'Reconnecting... 2/5 (401 Unauthorized)' },
    ];
    const message = await messageAtLimit({ stdout });
    expect(message).toContain('time limit of 15 min.\n');
    expect(message).toContain('Last error: Reconnecting... 2/5 (401 Unauthorized)');
  });

  it('includes standard error at a time limit if there is no event', async () => {
    const stderr = stack(`Attempt 2 failed with status 401. _ApiError: ${google}`);
    const message = await messageAtLimit({ stderr });
    expect(message).toContain('Last error output: Attempt 2 failed with status 401.');
    expect(message).not.toContain('{');
  });
});

it('the reason of a harness that only logs its errors comes from its log', async () => {
  const log = (error: string) =>
    `timestamp=2026-11-22T14:24:12.239Z level=ERROR run=9 message="stream error" agent=build error.error="${error}"\n`;
  const stderr = log('AI_APICallError: model \\"m\\" trouble').repeat(3);
  const message = await messageAtLimit({ stderr });
  expect(message).toMatch(/Last error output: AI_APICallError: model "m" trouble$/);
});

describe('the message in a text', () => {
  it.each([
    ['no JSON', 'no JSON'],
    ['a {brace} only', 'a {brace} only'],
    ['{"error":{"message":"inner"}}', 'inner'],
    ['[API Error: [{"error":{"code":4,"message":"inner"}}]]', '[API Error: [inner]]'],
    ['{"message":"{\\"error\\":{\\"message\\":\\"deep\\"}}"}', 'deep'],
    ['{"detail":"Unauthorized"}', 'Unauthorized'],
    ['{"error":null,"message":"m"}', 'm'],
    ['{"code":1}', '{"code":1}'],
  ])('%s is %s', (text, message) => expect(messageIn(text)).toBe(message));
});
