import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from '../../../base/test/support/bundle.ts';
import { createGitRepository } from '../support/git-repository.ts';
import { type AgentService, startAgentService } from './agent-service.ts';
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
  const key = (name: string, value: string) => {
    writeFileSync(join(folder, name), value);
    return { [program.keyName]: join(folder, name) };
  };
  const host = await startModelHost();
  const stage = 'checks';
  await host.play(stage, Object.assign({}, ...checks.map(({ script }) => script)));
  const { variables, read_only: more = [], setup = [] } = program.leadTo(host.urlOf(stage), write);
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
    network: host.network,
    read_only: [...new Set([agents, shown, ...more])],
    variables,
    setup,
    secret_files: key('good-key', goodKey),
    mcp: 'any',
    time_limit_seconds: 120,
  };
  const brief = { ...environment, default: false, time_limit_seconds: 45 };
  const service: AgentService = await startAgentService(
    [
      environment,
      { ...environment, id: 'two', default: false, repositories: [site, repository('api')] },
      { ...brief, id: 'brief' },
      { ...brief, id: 'refused', secret_files: key('bad-key', 'sk-bad') },
    ],
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
      await service.stop();
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type Bed = Awaited<ReturnType<typeof startBed>>;
