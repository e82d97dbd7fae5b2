import { Hono } from 'hono';
import type { ListAgentsResponse, ListEnvironmentsResponse } from 'runs-client/contract';
import {
  type EnvironmentSource,
  repositoryName,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import { problemsOf } from '../execution/environment-problems.ts';
import { type Skills, skillId } from '../execution/skills.ts';
import type { CallerVariables } from './authentication.ts';

export type CatalogRoutesOptions = {
  environments: EnvironmentSource;
  /** Where to look for programs. */
  path: string;
  skills: Skills;
};

/** Environments and skills. */
export function createCatalogRoutes({ environments, path, skills }: CatalogRoutesOptions) {
  const app = new Hono<{ Variables: CallerVariables }>();
  app.get('/agent/environments', (context) => {
    const problem = environments.problem();
    const answer: ListEnvironmentsResponse = {
      ...(problem !== undefined && { problem }),
      environments: environments.current().map((environment) => ({
        uid: environment.id,
        ...problemMember(environment, path),
        config: {
          name: environment.name ?? environment.id,
          ...(environment.description !== undefined && { description: environment.description }),
          ...(environment.network_note !== undefined && { network_note: environment.network_note }),
          github_repos: environment.repositories.map((repository) => {
            const [owner = '', repo = ''] = repositoryName(repository).split('/');
            return { owner, repo };
          }),
        },
      })),
    };
    return context.json(answer);
  });

  app.get('/agent', async (context) => {
    const repository = context.req.query('repo')?.toLowerCase();
    const found = await skills.listAll(environments.current(), context.req.raw.signal);
    const variants = found
      .filter(({ skill }) => !repository || skill.repository.toLowerCase() === repository)
      .map((each) => ({ name: each.skill.name, variant: presentVariant(each) }));
    const names = [...new Set(variants.map(({ name }) => name))];
    const answer: ListAgentsResponse = {
      agents: names.map((name) => ({
        name,
        variants: variants.filter((each) => each.name === name).map(({ variant }) => variant),
      })),
    };
    return context.json(answer);
  });
  return app;
}

/** An extension of the API: why runs may not start. */
function problemMember(environment: ServiceEnvironment, path: string): { problem?: string } {
  const messages = problemsOf(environment, path).map(({ message }) => message);
  return messages.length > 0 ? { problem: messages.join('; ') } : {};
}

function presentVariant({ skill, environments }: Awaited<ReturnType<Skills['listAll']>>[number]) {
  const [owner = '', name = ''] = skill.repository.split('/');
  return {
    id: skillId(skill),
    description: skill.description,
    base_prompt: skill.basePrompt,
    source: { owner, name, skill_path: skill.path },
    environments: environments.map(({ id, name: label }) => ({ uid: id, name: label ?? id })),
  };
}
