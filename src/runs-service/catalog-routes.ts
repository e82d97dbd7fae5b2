import { Hono } from 'hono';
import type { ListEnvironmentsResponse } from '../runs-api/contract.ts';
import type { CallerVariables } from './authentication.ts';
import { repositoryName, type ServiceEnvironment } from './environments.ts';

export type CatalogRoutesOptions = { environments: () => readonly ServiceEnvironment[] };

/** What a run can be started with. */
export function createCatalogRoutes({ environments }: CatalogRoutesOptions) {
  const app = new Hono<{ Variables: CallerVariables }>();
  app.get('/agent/environments', (context) => {
    const answer: ListEnvironmentsResponse = {
      environments: environments().map((environment) => ({
        uid: environment.id,
        config: {
          name: environment.name ?? environment.id,
          ...(environment.description !== undefined && { description: environment.description }),
          github_repos: environment.repositories.map((repository) => {
            const [owner = '', repo = ''] = repositoryName(repository).split('/');
            return { owner, repo };
          }),
        },
      })),
    };
    return context.json(answer);
  });
  return app;
}
