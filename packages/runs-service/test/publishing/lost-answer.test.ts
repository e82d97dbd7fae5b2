import { expect, it } from 'vitest';
import { trackPublication } from '../../src/publishing/branch-work.ts';
import { workOnPublication } from '../../src/publishing/publisher.ts';
import { createPublications } from '../../src/store/publications.ts';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';

import { aServiceRun } from '../support/service/service-run-builder.ts';
import { publisherDeps } from './publisher-deps.ts';

const database = useDatabase();

it('changes are not shown as failed when the database stores that they are published, and its answer is lost', async () => {
  const run = await createRuns(database()).create(aServiceRun());
  const publications = createPublications(database());
  await publications.ask({ run, branch: 'agent/1', wanted: {} });
  const [leased] = await publications.claim('one', 60_000, 1);
  if (!leased) throw new Error('nothing was due');
  const lost = async () => {
    await publications.announce(leased, { done: 1, problem: null }, 'Published');
    throw new Error('the connection was lost');
  };
  const deps = { ...publisherDeps(database()), publications, runs: { get: lost } };
  const tracked = trackPublication(publications, leased);
  await workOnPublication(deps, tracked, new AbortController().signal);
  // The changes will be published again, which adds nothing.
  expect((await publications.ofRuns([run.id])).get(run.id)).toMatchObject({ asked: 1, done: 0 });
});
