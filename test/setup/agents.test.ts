import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironments } from 'runs-service/environments/read-environments';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  environmentExamples,
  exampleUrl,
} from '../../packages/runs-service/test/support/environment-examples.ts';
import { temporaryFolder } from '../../packages/runs-service/test/support/runs-service.ts';
import { agents, environmentsFile } from '../../src/setup/agents.ts';

const examples = environmentExamples();

describe('the environments file that setup writes', () => {
  it.each(agents)('is the documented example for $name', (agent) => {
    const {
      environments: [documented],
      models,
    } = parse(examples.get(agent.harness) ?? '');
    const written = parse(environmentsFile(exampleUrl, agent));
    expect({ ...written.environments[0], name: documented.name }).toEqual(documented);
    expect(written.models).toEqual(models);
  });

  it('names every documented agent', () => {
    const documented = [...examples.keys()].filter((name) => name !== 'script');
    expect(agents.map(({ harness }) => harness)).toEqual(documented);
  });

  it('runs a shell command as it was typed', () => {
    const file = join(temporaryFolder(), 'environments.yml');
    const command = `git grep -c "TODO: 'x'" | wc -l # $AGENT_PROMPT`;
    writeFileSync(file, environmentsFile(exampleUrl, { command }));
    const [environment] = readEnvironments(file);
    expect(environment).toMatchObject({ command: ['sh', '-c', command], network: 'none' });
  });
});
