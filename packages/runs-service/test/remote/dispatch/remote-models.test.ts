import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStores } from '../../../src/store/stores.ts';
import { answerMessage, messageBody, messageEvents } from '../../gateway/gateway-bed.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { inProcessScheduler } from '../../support/service/in-process-scheduler.ts';
import {
  callingAgent,
  operatorKey,
  startModelProvider,
} from '../../support/service/model-provider.ts';

const outputOf = (dataDir: string, id: string) =>
  readFileSync(join(dataDir, 'transcripts', id, 'output.log'), 'utf8');

async function database() {
  const db = await openTestDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  return db;
}

describe('a remote run with models', () => {
  it('calls them without a key, and its token is shown nowhere', async () => {
    const provider = await startModelProvider();
    const scheduler = inProcessScheduler();
    const environment = scheduler.environment(`${callingAgent}; env`, provider.settings);
    const { begin, until, dataDir } = await startRunsService({ environments: [environment] });
    const id = await begin({ prompt: 'x' });
    const run = await until(id, 'SUCCEEDED', 'FAILED');
    const output = outputOf(dataDir, id);
    expect([run.state, output]).toEqual(['SUCCEEDED', expect.stringContaining('status 200')]);
    expect(provider.keys()).toEqual([operatorKey]);
    for (const hidden of [operatorKey, 'sam_', provider.keyFile])
      for (const text of [
        output,
        JSON.stringify(run),
        scheduler.log(),
        JSON.stringify(scheduler.dispatches()),
      ])
        expect(text).not.toContain(hidden);
  });

  it('continues with a new call after the service stopped in the middle of a stream', async () => {
    const provider = await startModelProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(messageEvents.start);
    });
    const scheduler = inProcessScheduler();
    const proxy = await startLosingProxy();
    const db = await database();
    const options = {
      environments: [scheduler.environment(callingAgent, provider.settings)],
      db,
      dataDir: temporaryFolder(),
      serviceUrl: proxy.url,
    };
    const first = await startRunsService(options);
    proxy.leadTo(first.service.url);
    const id = await first.begin({ prompt: 'x' });
    await expect.poll(provider.keys).toHaveLength(1);
    await first.service.stop();
    provider.answerWith(answerMessage);
    const second = await startRunsService(options);
    proxy.leadTo(second.service.url);
    expect((await second.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(outputOf(options.dataDir, id)).toContain('status 200');
    const calls = await createStores(db).modelCalls.ofRun(id);
    expect(calls).toMatchObject([{ estimated: 1 }, { outcome: 'completed', estimated: 0 }]);
    expect(calls[0]?.price_micros).toBeGreaterThan(0);
  });

  it('waits at a cap, continues if a person allows more, and ends if the person stops it', async () => {
    const provider = await startModelProvider();
    const scheduler = inProcessScheduler();
    const calls = Array(3).fill(callingAgent).join('; ');
    const environment = scheduler.environment(`echo more >> notes.txt; ${calls}`, {
      ...provider.settings,
      caps: [{ scope: 'run', usd: 0.001_7, per: 'run' }],
      timeZone: 'UTC',
    });
    const { begin, until, request, get, dataDir } = await startRunsService({
      environments: [environment],
    });
    const id = await begin({ prompt: 'x' });
    const ask = async (option_id: string) => {
      await until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED');
      const { agent_progress: progress } = await get(id);
      const answer = await request(`/agent/runs/${id}/answers`, {
        method: 'POST',
        body: JSON.stringify({ question_id: progress?.question?.id, option_id }),
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status, await answer.text()).toBe(200);
    };
    await ask('allow');
    await ask('stop');
    const run = await until(id, 'SUCCEEDED', 'FAILED');
    expect([run.state, run.status_message]).toMatchObject([
      'FAILED',
      { error_code: 'budget_exceeded' },
    ]);
    expect(outputOf(dataDir, id).match(/status (200|402)/g)).toEqual([
      'status 200',
      'status 200',
      'status 402',
    ]);
    expect(readFileSync(join(dataDir, 'transcripts', id, 'changes.patch'), 'utf8')).toContain(
      '+more',
    );
  });

  it("doesn't open the public address with the token of a run on the service's machine", async () => {
    const provider = await startModelProvider();
    const [seen, go] = [join(temporaryFolder(), 'seen'), join(temporaryFolder(), 'go')];
    const script = `echo "$ANTHROPIC_API_KEY" > ${seen}; while [ ! -e ${go} ]; do sleep 0.05; done; ${callingAgent}`;
    const { begin, until, service } = await startRunsService({
      environments: [shellEnvironment(script, provider.settings)],
    });
    const id = await begin({ prompt: 'x' });
    await expect.poll(() => existsSync(seen) && readFileSync(seen, 'utf8')).toMatch(/^sam_.*\n$/);
    const token = readFileSync(seen, 'utf8').trim();
    const response = await fetch(`${service.url}/models/anthropic/v1/messages`, {
      method: 'POST',
      body: messageBody,
      headers: { 'x-api-key': token },
    });
    expect(response.status).toBe(401);
    expect(provider.keys()).toEqual([]);
    writeFileSync(go, '');
    expect((await until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(provider.keys()).toEqual([operatorKey]);
  });
});
