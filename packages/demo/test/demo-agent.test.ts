import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quotedContext } from 'runs-client/prompt-marks';
import { conversationText } from 'runs-service/execution/memory/conversation-text';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRunsService, temporaryFolder } from '../../runs-service/test/support/runs-service.ts';
import { demoAgent } from '../../runs-service/test/support/service/demo-agent.ts';
import { newestRequest } from '../src/agent/newest-request.ts';
import { createDemoEnvironments } from '../src/create-demo-environments.ts';
import { startModelServer } from '../src/model-server/model-server.ts';

const joinPrompt = (prompt: string, context: string) =>
  [prompt, quotedContext, context].join('\n\n');

async function startDemo() {
  const folder = join(temporaryFolder(), 'demo');
  const environments = await createDemoEnvironments({ folder, agent: demoAgent() });
  const service = await startRunsService({ environments });
  const answer = async (body: object) => {
    const run = await service.until(await service.begin(body), 'SUCCEEDED', 'FAILED');
    return { run, text: run.status_message?.message ?? '' };
  };
  return { service, answer };
}

const quoted = `Grace (2026-11-26 10:00 UTC):
> how many lines are there?
> list the files
> fail with a quotation`;

describe('the demo agent with a model', () => {
  it('asks for more at a cap of one cent, and continues when more is allowed', async () => {
    const folder = temporaryFolder();
    const models = await startModelServer({ folder, host: '127.0.0.1', wordMs: 0 });
    onTestFinished(models.stop);
    const { provider } = models;
    const environments = await createDemoEnvironments({
      folder: join(folder, 'demo'),
      agent: demoAgent(),
      provider,
    });
    const service = await startRunsService({ environments });
    const id = await service.begin({ prompt: 'think about rain 5 times' });
    const blocked = await service.until(id, 'BLOCKED');
    const { question } = blocked.agent_progress ?? {};
    expect(question).toMatchObject({ kind: 'spend' });
    expect(question?.text).toContain('of $0.01');
    const body = JSON.stringify({ question_id: question?.id, option_id: 'allow' });
    const headers = { 'content-type': 'application/json' };
    await service.request(`/agent/runs/${id}/answers`, { method: 'POST', headers, body });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('SUCCEEDED');
    const usage = await (await service.request('/agent/usage?group_by=model')).json();
    expect(usage).toMatchObject({ calls: 5, groups: [{ name: 'demo-1', calls: 5 }] });
    const key = readFileSync(provider.key_file ?? '', 'utf8');
    const folderOfOutput = join(service.dataDir, 'transcripts', id);
    expect(readFileSync(join(folderOfOutput, 'output.log'), 'utf8')).not.toContain(key);
  });
});

describe('the newest request', () => {
  it('is the prompt without the messages quoted below it', () => {
    expect(newestRequest(joinPrompt('count the TODO comments', quoted))).toBe(
      'count the TODO comments',
    );
    expect(newestRequest('list the files\n\n> fail')).toBe('list the files');
  });

  it('is what comes after the earlier conversation', () => {
    const earlier = { state: 'SUCCEEDED', status_json: null, followups: [] };
    const text = conversationText([{ ...earlier, prompt: 'list the files' }]);
    const prompt = joinPrompt('count the TODO comments', quoted);
    expect(newestRequest(`${text}\n\n${prompt}`)).toBe('count the TODO comments');
  });
});

describe('the demo agent', () => {
  it('does what it is asked, and nothing that is quoted for context', async () => {
    const { answer } = await startDemo();
    const { run, text } = await answer({ prompt: joinPrompt('count the TODO comments', quoted) });
    expect(run.state).toBe('SUCCEEDED');
    expect(text).toMatch(/^\d+ TODO comments in \d+ files\.$/);
    expect(run.agent_progress?.plan ?? []).toEqual([]);
  });

  it('does only what is new in a conversation', async () => {
    const { service, answer } = await startDemo();
    const first = await answer({ prompt: 'add a line "once" to README.md' });
    const { conversation_id } = first.run;
    const second = await answer({ prompt: 'count the TODO comments', conversation_id });
    expect(second.text).toMatch(/^\d+ TODO comments in \d+ files\.$/);
    const patch = await service.request(`/agent/runs/${second.run.run_id}`);
    expect(await patch.json()).toMatchObject({ agent_progress: { changes: { insertions: 1 } } });
  });

  it('says what it can do, with three examples that work, when it is asked for something else', async () => {
    const { answer } = await startDemo();
    const { text } = await answer({
      prompt: 'Look into why the login page is blank.\nFind the cause and fix it.',
    });
    expect(text).toContain('no language model');
    const examples = [...text.matchAll(/^• (.+)$/gm)].map(([, example = '']) => example);
    expect(examples).toHaveLength(3);
    for (const prompt of examples) {
      const done = await answer({ prompt });
      expect(done.run.state).toBe('SUCCEEDED');
      expect(done.text).not.toContain('no language model');
    }
  });
});
