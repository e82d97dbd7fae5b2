import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { bundleSlashAgent } from '../../../base/test/support/bundle.ts';
import { untilExit } from '../../../base/test/support/program.ts';
import { environmentExamples, exampleUrl } from '../support/environment-examples.ts';
import { createGitRepository } from '../support/git-repository.ts';
import { asOtherUser } from './agent-service.ts';
import { type ModelHost, startModelHost } from './model-host.ts';
import { goodKey } from './model-server/model-server.ts';
import { type AgentProgram, agentPrograms } from './programs.ts';

const { folder: agents, problem } = inject('agents');
const { claude, codex, gemini, opencode } = agentPrograms;
const programs: [harness: string, program: AgentProgram][] = [
  ['claude', claude],
  ['codex', codex],
  ['gemini', gemini],
  ['opencode', opencode],
];
type Example = { environments: object[]; models: Record<string, object> };
const prompt = 'Count the files';

/**
 * Follows docs/environments.md as a reader would. Saves an example with another repository, then tries it with a key.
 */
describe.skipIf(problem)(
  `the examples of the docs${problem ? ` (skipped: ${problem})` : ''}`,
  () => {
    let host: ModelHost;
    const folder = mkdtempSync(join(tmpdir(), 'examples-'));
    beforeAll(async () => {
      host = await startModelHost();
      await host.play('examples', {
        [prompt]: [{ run: 'ls | wc -l' }, { say: 'There are two files.' }],
      });
    });
    afterAll(async () => {
      await host?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(programs)('%s answers', async (harness, program) => {
      const home = join(folder, program.name);
      mkdirSync(home);
      const url = createGitRepository(join(home, 'site'), { 'a.txt': 'a\n', 'b.txt': 'b\n' });
      const example = (environmentExamples().get(harness) ?? '').replace(exampleUrl, url);
      // Point the program at the scripted model. The program isn't installed for everyone, so the sandbox has to show
      // it.
      const { environments, models } = parse(example) as Example;
      const { variables } = program.added ?? {};
      const shown = { read_only: [agents], ...(variables && { variables }) };
      const scripted = host.providerOf('examples', program.api);
      const file = stringify({
        environments: environments.map((environment) => ({ ...environment, ...shown })),
        models: { [program.api]: { ...models[program.api], ...scripted } },
      });
      writeFileSync(join(home, 'environments.yml'), file);

      const [name = '', ...args] = [
        ...(process.getuid?.() === 0 ? asOtherUser : []),
        ...[process.execPath, bundleSlashAgent(), 'try', 'environments.yml', prompt],
        // The scripted model has this model's protocol.
        ...['--model', program.model],
      ];
      const keyName = `${program.api.toUpperCase()}_API_KEY`;
      const PATH = `${join(agents, 'node_modules/.bin')}:${process.env['PATH']}`;
      const child = spawn(name, args, { cwd: home, env: { PATH, [keyName]: goodKey } });
      const { code, output } = await untilExit(child);
      expect(output).toContain('There are two files.');
      expect(output).not.toContain(goodKey);
      expect(code).toBe(0);
      const { recorded } = await host.requestsOf('examples');
      expect(recorded.at(-1)?.key).toContain(goodKey);
    });
  },
);
