import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from '../../../base/test/support/bundle.ts';
import { createGitRepository } from '../support/git-repository.ts';
import { type AgentService, type FinishedRun, startAgentService } from './agent-service.ts';
import { checks } from './checks.ts';
import { startModelHost } from './model-host.ts';
import { goodKey } from './model-server/model-server.ts';
import type { AgentProgram } from './programs.ts';

const skill = '---\nname: review\ndescription: Reviews.\n---\nLook for herons in every change.\n';

const files = {
  'notes.txt': 'one\n',
  'test.sh': 'echo "3 of 3 tests passed"\n',
  '.agents/skills/review/SKILL.md': skill,
};

/** Request that the model received. */
export type ModelRequest = { model: string; text: string; at: number };

/** Starts everything around one program: the model, repositories, MCP servers and the runs service. */
export async function startBed(program: AgentProgram, agents: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(folder, 'shown', name)), { recursive: true });
    writeFileSync(join(folder, 'shown', name), content);
    return join(folder, 'shown');
  };
  const shown = write('readme.txt', 'Agents see this folder.\n');
  copyFileSync(
    bundle('packages/runs-service/test/agents/model-server/mcp-stdio.ts'),
    join(shown, 'mcp-stdio.mjs'),
  );
  const host = await startModelHost();
  const stage = 'checks';
  await host.play(stage, Object.assign({}, ...checks.map(({ script }) => script)));
  const { api, model, added = {} } = program;
  const modelId = model.split('/').at(-1) ?? '';
  /** A call costs $0.011, because the model reports 100 tokens of input and 10 of output. */
  const prices = { [modelId]: { input: 100, output: 100 } };
  const provider = (keyName: string, key: string) => {
    writeFileSync(join(folder, keyName), key, { mode: 0o600 });
    const keyFile = join(folder, keyName);
    return { api, prices, key_file: keyFile, ...host.providerOf(stage, api) };
  };
  const repository = (name: string) => ({
    url: createGitRepository(join(folder, name), files),
    name: `acme/${name}`,
  });
  const site = repository('site');
  const environment = {
    id: 'one',
    default: true,
    ...program.environment,
    repositories: [site],
    network: 'none',
    models: [api],
    read_only: [...new Set([agents, shown])],
    ...added,
    mcp: 'any',
    time_limit_seconds: 120,
  };
  const brief = { ...environment, default: false, time_limit_seconds: 45 };
  const environments = [
    environment,
    { ...environment, id: 'two', default: false, repositories: [site, repository('api')] },
    { ...environment, id: 'web', default: false, network: host.network },
    { ...environment, id: 'capped', default: false },
    // Here the program gets a key as operators handed it over before there was a model gateway.
    {
      ...environment,
      id: 'with-key',
      default: false,
      secret_files: { SHOWN_KEY: join(folder, 'good-key') },
    },
    { ...brief, id: 'brief' },
  ];
  // The service has one key for each provider, so the environment with a wrong key needs a second service.
  const service: AgentService = await startAgentService(
    {
      environments,
      models: { [api]: provider('good-key', goodKey) },
      caps: [{ scope: 'run', per: 'run', usd: 0.01, environments: ['capped'] }],
    },
    agents,
  );
  const refused: AgentService = await startAgentService(
    {
      environments: [{ ...brief, default: true }],
      models: { [api]: provider('bad-key', 'sk-bad') },
    },
    agents,
  );
  type Request = { config?: object };
  /** Sets the model, because without one some agents ask a model which one to use. */
  const withModel = <T extends Request>({ config, ...rest }: T) => ({
    ...rest,
    config: { model_id: program.model, ...config },
  });
  return {
    ...service,
    finish: (body: Request & Record<string, unknown>) => service.finish(withModel(body)),
    /** Finishes a run that asks whether it can spend more, with this answer to all of its questions. */
    async finishWithAnswer(
      body: Request & Record<string, unknown>,
      answer: 'allow' | 'stop',
    ): Promise<{ done: FinishedRun; questions: string[] }> {
      const id = await service.begin(withModel(body));
      const questions: string[] = [];
      for (;;) {
        const run = await service.until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED', 'CANCELLED');
        const question = run.agent_progress?.question;
        if (run.state !== 'BLOCKED') return { done: await service.resultOf(run), questions };
        if (!question || questions.includes(question.id)) continue;
        questions.push(question.id);
        await service.answer(id, { question_id: question.id, option_id: answer });
      }
    },
    /** Finishes a run whose provider rejects the key. */
    finishWithBadKey: (body: Request & Record<string, unknown>) => refused.finish(withModel(body)),
    begin: (body: Request & Record<string, unknown>) => service.begin(withModel(body)),
    program,
    mcpServers: {
      stdio: { command: 'node', args: [join(shown, 'mcp-stdio.mjs')] },
      http: { url: `${host.urlOf(stage)}/mcp` },
    },
    /** Returns the model's requests, in order, in the conversation that contains this phrase. */
    async requestsOf(phrase: string): Promise<ModelRequest[]> {
      const { recorded } = await host.requestsOf(stage);
      return recorded
        .filter(({ tools }) => tools.length > 0)
        .map(({ model, messages, at }) => ({
          ...{ model, at },
          text: messages.map(({ text }) => text).join('\n'),
        }))
        .filter(({ text }) => text.includes(phrase));
    },
    async stop() {
      await Promise.all([service.stop(), refused.stop()]);
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type Bed = Awaited<ReturnType<typeof startBed>>;
