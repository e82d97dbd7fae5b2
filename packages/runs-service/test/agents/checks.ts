import { expect } from 'vitest';
import { createPrices } from '../../src/gateway/prices.ts';
import { createUsageMeter, readSteps } from '../../src/harnesses/steps/read-steps.ts';
import type { FinishedRun } from './agent-service.ts';
import type { Bed } from './bed.ts';
import type { Script } from './model-server/script.ts';
import type { AgentProgram } from './programs.ts';

/** Check that runs with each program. `run` does the check, and `script` is the behavior of the model. */
export type Check = {
  title: string;
  script: Script;
  /** True if the check mostly waits, so that others can run meanwhile. */
  waits?: true;
  /** Can return what the program itself reported. */
  run(bed: Bed): Promise<string | undefined> | Promise<void>;
};

/** Expects success. If the run failed, the message shows what the agent printed. */
const expectSuccess = ({ run, output }: FinishedRun) =>
  expect(run, output.slice(-2000)).toMatchObject({ state: 'SUCCEEDED' });

/**
 * Shell command that prints how many places have the key of the model. It doesn't find its own text. It has no command
 * substitution, which Gemini CLI rejects.
 */
const searchForKey = `(env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'
  find / \\( -path /proc -o -path /sys -o -path /dev -o -path /usr -o -path '*/node_modules' \\) -prune -o -type f -size -5M -print0 |
    xargs -0 -r grep -hEao 'sk-[g]ood-key[a-z-]*') 2>/dev/null | grep -cE 'sk-[g]ood-key' |
  sed 's/^/places with the key: /'`;

/** Returns the usage that the program reported in its output, of what its calls cost at the prices of the list. */
function comparedUsage({ run, output }: FinishedRun, { api, model }: AgentProgram): string {
  const meter = createUsageMeter();
  for (const line of output.split('\n')) for (const step of readSteps(line) ?? []) meter.add(step);
  const { tokens, costUsd } = meter.total() ?? {};
  const { total_tokens: counted, models } = run.request_usage ?? {};
  const calls = (models ?? []).reduce((sum, each) => sum + (each.calls ?? 0), 0);
  // The scripted model reports 100 tokens of input and 10 of output for each call.
  const usage = { ...noTokens, input: 100, output: 10 };
  const read = { usage, isFinal: true, model: undefined, tier: undefined, outputBytes: 0 };
  const called = model.split('/').at(-1) ?? model;
  const { micros } = createPrices().priceCall({
    provider: { api },
    model: called,
    read,
    requestBytes: 0,
    cut: undefined,
  });
  const reportedTokens = tokens === undefined ? 'none' : tokens.toLocaleString('en-US');
  const cost =
    costUsd === undefined
      ? ''
      : `, $${costUsd.toFixed(4)} of $${((micros * calls) / 1e6).toFixed(4)}`;
  return `${reportedTokens} of ${counted} tokens${cost}`;
}

const noTokens = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0, webSearches: 0 };

export const checks: Check[] = [
  {
    title: 'The prompt, the model and the base prompt arrive',
    script: { 'Greet the team': [{ say: 'Hello, team.' }] },
    async run({ finish, requestsOf, program }) {
      const config = { base_prompt: 'Be brief like a heron.' };
      const done = await finish({ prompt: 'Greet the team', config });
      const [first] = await requestsOf('Greet the team');
      expectSuccess(done);
      expect(program.model.endsWith(first?.model ?? 'none')).toBe(true);
      expect(first?.text).toContain('Be brief like a heron.');
    },
  },
  {
    title: 'A skill of the repository arrives',
    script: { 'Use your skill': [{ say: 'Used.' }] },
    async run({ finish, requestsOf }) {
      const config = { skill_spec: 'acme/site:review' };
      const done = await finish({ prompt: 'Use your skill', config });
      const [first] = await requestsOf('Use your skill');
      expectSuccess(done);
      expect(first?.text).toContain('Look for herons in every change.');
    },
  },
  {
    title: 'Its answer is shown',
    script: { 'How many files': [{ say: 'There are two files.' }] },
    async run({ finish }) {
      const done = await finish({ prompt: 'How many files' });
      expectSuccess(done);
      expect(done.page).toContain('There are two files.');
    },
  },
  {
    title: 'It runs a shell command, in bubblewrap, not as root',
    script: { 'Run the tests': [{ run: 'sh test.sh && id -u > user' }, { say: 'All passed.' }] },
    async run({ finish, requestsOf }) {
      const done = await finish({ prompt: 'Run the tests' });
      const last = (await requestsOf('Run the tests')).at(-1);
      expectSuccess(done);
      expect(last?.text).toContain('3 of 3 tests passed');
      expect(done.patch).toMatch(/^\+[1-9]\d*$/m);
    },
  },
  {
    title: 'A file that it writes is in the changes',
    script: { 'Fix the page': [{ write: 'page.txt', content: 'fixed\n' }, { say: 'Fixed.' }] },
    async run({ finish }) {
      const done = await finish({ prompt: 'Fix the page' });
      expectSuccess(done);
      expect(done.patch).toContain('+fixed');
    },
  },
  {
    title: 'It works in two repositories',
    script: {
      'Change both': [
        { run: 'echo more >> site/notes.txt; echo more >> api/notes.txt' },
        { say: 'Changed both.' },
      ],
    },
    async run({ finish }) {
      const config = { environment_id: 'two' };
      const done = await finish({ prompt: 'Change both', config });
      expectSuccess(done);
      expect(done.patch.match(/^\+more$/gm)).toHaveLength(2);
    },
  },
  ...(['stdio', 'http'] as const).map((way) => ({
    title: `It calls a tool of an MCP server over ${way === 'http' ? 'HTTP' : way}`,
    script: {
      [`Note it over ${way}`]: [
        { mcp: 'take_note', input: { text: 'a heron' } },
        { say: 'Noted.' },
      ],
    },
    async run({ finish, requestsOf, mcpServers }: Bed) {
      const config = {
        mcp_servers: { notes: mcpServers[way] },
        ...(way === 'http' && { environment_id: 'web' }),
      };
      const done = await finish({ prompt: `Note it over ${way}`, config });
      const last = (await requestsOf(`Note it over ${way}`)).at(-1);
      expectSuccess(done);
      expect(last?.text).toContain(`noted over ${way}: a heron`);
    },
  })),
  {
    title: 'Its plan is shown',
    script: { 'Plan it': [{ plan: ['Look at the page', 'Fix it'] }, { say: 'Planned.' }] },
    async run({ finish }) {
      const done = await finish({ prompt: 'Plan it' });
      expectSuccess(done);
      const plan = done.run.agent_progress?.plan;
      expect(plan?.[0]?.title, done.output.slice(-2000)).toBe('Look at the page');
    },
  },
  {
    title: 'Its tokens are counted',
    script: { 'Count it': [{ run: 'true' }, { say: 'Counted.' }] },
    async run({ finish, program }) {
      const done = await finish({ prompt: 'Count it' });
      expectSuccess(done);
      expect(done.run.request_usage?.total_tokens).toBeGreaterThanOrEqual(220);
      return comparedUsage(done, program);
    },
  },
  {
    title: "It can't find the key of its model, and finds one that it's given as a secret",
    script: {
      'Search for the key': [{ run: searchForKey }, { say: 'Searched.' }],
      'Search for a secret': [{ run: searchForKey }, { say: 'Searched.' }],
    },
    async run({ finish, requestsOf }) {
      expectSuccess(await finish({ prompt: 'Search for the key' }));
      const last = (await requestsOf('Search for the key')).at(-1);
      expect(last?.text).toContain('places with the key: 0');
      const config = { environment_id: 'with-key' };
      expectSuccess(await finish({ prompt: 'Search for a secret', config }));
      const control = (await requestsOf('Search for a secret')).at(-1);
      expect(control?.text).toMatch(/places with the key: [1-9]/);
    },
  },
  {
    title: 'At its spending cap it waits, and continues when someone allows more',
    waits: true,
    script: { 'Spend more': [{ run: 'true' }, { run: 'true' }, { say: 'Spent.' }] },
    async run({ finishWithAnswer, requestsOf }) {
      const config = { environment_id: 'capped' };
      const { done, questions } = await finishWithAnswer({ prompt: 'Spend more', config }, 'allow');
      expectSuccess(done);
      expect(questions.length).toBeGreaterThan(0);
      expect(done.page).toContain('Spent.');
      expect(await requestsOf('Spend more')).toHaveLength(3);
    },
  },
  {
    title:
      'At its spending cap it ends with the reason when someone stops it, and keeps its changes',
    waits: true,
    script: { 'Stop there': [{ write: 'page.txt', content: 'half\n' }, { say: 'Not reached.' }] },
    async run({ finishWithAnswer }) {
      const config = { environment_id: 'capped' };
      const { done, questions } = await finishWithAnswer({ prompt: 'Stop there', config }, 'stop');
      expect(questions, JSON.stringify(done.run.request_usage)).toHaveLength(1);
      expect(done.run.state, done.output.slice(-2000)).toBe('FAILED');
      expect(done.run.status_message?.error_code).toBe('budget_exceeded');
      expect(done.run.status_message?.message).toContain('$0.01');
      expect(done.page).not.toContain('Not reached.');
    },
  },
  {
    title: 'It ends when its run is canceled',
    script: { 'Wait forever': [{ hang: true }] },
    async run({ begin, until, cancel, requestsOf }) {
      const id = await begin({ prompt: 'Wait forever' });
      await expect.poll(() => requestsOf('Wait forever'), { timeout: 60_000 }).not.toEqual([]);
      await cancel(id);
      await until(id, 'CANCELLED');
    },
  },
  {
    title: 'A next run of the conversation remembers a word',
    script: {
      'Remember the word pelican': [{ say: 'I will.' }],
      'Which word was it': [{ recall: 'the word (\\w+)' }],
    },
    async run({ finish, requestsOf }) {
      const done = await finish({ prompt: 'Remember the word pelican' });
      const second = await finish({
        prompt: 'Which word was it',
        conversation_id: done.run.conversation_id,
        config: { base_prompt: 'Be brief like a stork.' },
      });
      expectSuccess(second);
      expect(second.page).toContain('pelican');
      const asked = (await requestsOf('Which word was it')).at(-1);
      expect(asked?.text, 'in its own session').not.toContain("that you don't remember");
      expect(asked?.text, 'with the settings of this run').toContain('like a stork');
    },
  },
  {
    title: 'It tries again when the model is overloaded',
    script: { 'Insist on it': [{ fail: 529, times: 1 }] },
    async run({ finish, requestsOf }) {
      const done = await finish({ prompt: 'Insist on it' });
      expectSuccess(done);
      expect((await requestsOf('Insist on it')).length).toBeGreaterThan(1);
    },
  },
  {
    title: 'It waits as long as a rate limit says',
    waits: true,
    script: { 'Take your turn': [{ fail: 429, times: 1, retryAfterSeconds: 6 }] },
    async run({ finish, requestsOf }) {
      const done = await finish({ prompt: 'Take your turn' });
      expectSuccess(done);
      const [first, second] = await requestsOf('Take your turn');
      // Check a little less than the wait, because responses take some time too.
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(5_500);
    },
  },
  {
    title: 'It waits for a model that takes 20 seconds, and streams slowly',
    waits: true,
    script: { 'Take your time': [{ say: 'Slowly.', afterSeconds: 20, secondsBetween: 2 }] },
    async run({ finish, requestsOf }) {
      const done = await finish({ prompt: 'Take your time' });
      expectSuccess(done);
      expect(done.page).toContain('Slowly.');
      expect(await requestsOf('Take your time')).toHaveLength(1);
    },
  },
  {
    title: 'A model that always fails ends the run by its time limit, and it says so',
    waits: true,
    script: { 'Fail at it': [{ fail: 500 }] },
    async run({ finish }) {
      const config = { environment_id: 'brief' };
      const done = await finish({ prompt: 'Fail at it', config });
      expect(done.run.state).toBe('FAILED');
      expect(done.run.status_message?.message).toMatch(
        /\b500\b|internal server error|high demand/i,
      );
      expect(done.run.run_time).toMatch(/^PT[1-5]?\d(\.\d+)?S$/);
    },
  },
  {
    title: 'A rejected key fails the run within 30 seconds, and it says so',
    waits: true,
    script: {},
    async run({ finishWithBadKey }) {
      const done = await finishWithBadKey({ prompt: 'Try it' });
      expect(done.run.state).toBe('FAILED');
      expect(done.run.status_message?.message).toMatch(/rejected the key/i);
      expect(done.run.run_time).toMatch(/^PT[12]?\d(\.\d+)?S$/);
    },
  },
];
