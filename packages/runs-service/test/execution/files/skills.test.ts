import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAgentsResponseSchema, listEnvironmentsResponseSchema } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { isNamedBy, readSkill } from '../../../src/execution/files/skills.ts';
import { createRepository, startRunsService } from '../../support/runs-service.ts';

const report = `---\nname: todo-report\ndescription: What is left\n---\n\nCount them all.\n`;

function environmentWithSkills(): ServiceEnvironment {
  const url = createRepository({
    '.claude/skills/report/SKILL.md': report,
    'skills/plain/SKILL.md': 'Just do it.',
    'SKILL.md': 'not a skill: it has no folder',
  });
  return {
    id: 'demo',
    name: 'Demo',
    isolation: 'none',
    repositories: [{ url, name: 'team/notes' }],
    command: ['sh', '-c', 'echo "$AGENT_BASE_PROMPT"'],
  };
}

describe('a skill', () => {
  it.each([
    ['team/notes:todo-report', true],
    ['team/notes:report', true],
    ['Team/Notes:.claude/skills/report/SKILL.md', true],
    ['team/notes:other', false],
    ['team/other:todo-report', false],
    ['todo-report', false],
  ])('matches %s: %s', (spec, named) => {
    const skill = readSkill('team/notes', '.claude/skills/report/SKILL.md', report);
    expect(isNamedBy(skill, spec)).toBe(named);
  });

  it.each([
    ['no frontmatter', 'Do it.', 'Do it.'],
    ['invalid YAML', '---\n: [\n---\nDo it.', 'Do it.'],
    ['other types in its frontmatter', '---\nname: 3\n---\nDo it.', 'Do it.'],
  ])('with %s is named after its folder', (_name, content, basePrompt) => {
    expect(readSkill('o/r', 'a/b/SKILL.md', content)).toMatchObject({ name: 'b', basePrompt });
  });

  it('is the base prompt of a run, before its own', async () => {
    const service = await startRunsService({ environments: [environmentWithSkills()] });
    const config = { skill_spec: 'team/notes:todo-report', base_prompt: 'Be brief.' };
    const id = await service.begin({ prompt: 'x', config });
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
    expect(output).toBe('Count them all.\n\nBe brief.\n');
  });

  it('that is too large to be a prompt is left out of the list', async () => {
    const url = createRepository({
      'skills/large/SKILL.md': 'x'.repeat(2 * 1024 * 1024),
      'skills/plain/SKILL.md': 'Just do it.',
    });
    const environment = { ...environmentWithSkills(), repositories: [{ url, name: 'team/notes' }] };
    const service = await startRunsService({ environments: [environment] });
    const { agents } = listAgentsResponseSchema.parse(
      await (await service.request('/agent')).json(),
    );
    expect(agents.map(({ name }) => name)).toEqual(['plain']);
  });

  it('that does not exist fails the run, with a list of skills', async () => {
    const service = await startRunsService({ environments: [environmentWithSkills()] });
    const id = await service.begin({ prompt: 'x', config: { skill_spec: 'team/notes:nope' } });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.status_message?.message).toContain('team/notes:skills/plain/SKILL.md');
  });
});

describe('the catalog', () => {
  it('lists environments, and the skills of readable repositories', async () => {
    const broken = {
      ...environmentWithSkills(),
      id: 'broken',
      network_note: 'no internet',
      repositories: [{ url: '/gone' }],
    };
    const service = await startRunsService({ environments: [environmentWithSkills(), broken] });
    const environments = listEnvironmentsResponseSchema.parse(
      await (await service.request('/agent/environments')).json(),
    );
    expect(environments.environments.map(({ uid }) => uid)).toEqual(['demo', 'broken']);
    expect(environments.environments[1]?.config['network_note']).toBe('no internet');
    const { agents } = listAgentsResponseSchema.parse(
      await (await service.request('/agent')).json(),
    );
    expect(agents.map(({ name }) => name)).toEqual(['plain', 'todo-report']);
    expect(agents[1]?.variants[0]).toMatchObject({
      id: 'team/notes:.claude/skills/report/SKILL.md',
      description: 'What is left',
      environments: [{ uid: 'demo', name: 'Demo' }],
    });
    const other = await (await service.request('/agent?repo=team/other')).json();
    expect(other).toEqual({ agents: [] });
  });
});
