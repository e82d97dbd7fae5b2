import { withSoftTimeout } from 'base/time/soft-timeout';
import { Hono } from 'hono';
import type { ListAgentsResponse, ListEnvironmentsResponse } from 'runs-client/contract';
import {
  type EnvironmentSource,
  isolationOf,
  repositoryName,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import { problemsOf } from '../execution/environment-problems.ts';
import { type Skills, skillId } from '../execution/files/skills.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { CallerVariables } from './keys/authentication.ts';
import { assertSupported } from './read-request.ts';

type CatalogRoutesOptions = {
  environments: EnvironmentSource;
  sandboxes: Pick<Sandboxes, 'problemOf' | 'warningOf'>;
  /** Search path for programs, like `PATH`. */
  path: string;
  runnerProblem: (environment: ServiceEnvironment) => Promise<string | undefined>;
  skills: Skills;
};

export function createCatalogRoutes({ environments, skills, ...machine }: CatalogRoutesOptions) {
  const app = new Hono<{ Variables: CallerVariables }>();
  app.get('/agent/environments', async (context) => {
    assertSupported(new URL(context.req.url).searchParams, () => false);
    const problem = environments.problem();
    const answer: ListEnvironmentsResponse = {
      ...(problem !== undefined && { problem }),
      environments: await Promise.all(
        environments.current().map((environment) => presentEnvironment(environment, machine)),
      ),
    };
    return context.json(answer);
  });

  app.get('/agent', async (context) => {
    assertSupported(new URL(context.req.url).searchParams, (name) => name === 'repo');
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

const problemWaitMs = 2_000;

/**
 * Converts an environment to the API's format, with extensions. `problem` says why runs can fail to start. `isolation`
 * and `warning` say what an agent can reach.
 */
async function presentEnvironment(
  environment: ServiceEnvironment,
  machine: Pick<CatalogRoutesOptions, 'sandboxes' | 'path' | 'runnerProblem'>,
): Promise<ListEnvironmentsResponse['environments'][number]> {
  const { description, network_note } = environment;
  // Wait only briefly for the check, because it may download an image.
  const found = withSoftTimeout(problemsOf(environment, machine), problemWaitMs);
  const messages = ((await found) ?? []).map(({ message }) => message);
  const warning = machine.sandboxes.warningOf(environment);
  const hint = [description, warning].filter(Boolean).join(' ');
  return {
    uid: environment.id,
    ...(messages.length > 0 && { problem: messages.join('; ') }),
    config: {
      name: environment.name ?? environment.id,
      ...(hint !== '' && { description: hint }),
      ...(network_note !== undefined && { network_note }),
      isolation: isolationOf(environment),
      ...(warning !== undefined && { warning }),
      github_repos: environment.repositories.map((repository) => {
        const [owner = '', repo = ''] = repositoryName(repository).split('/');
        return { owner, repo };
      }),
    },
  };
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
