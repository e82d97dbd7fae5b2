import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import type { PublisherParts } from '../../src/publishing/publisher-parts.ts';
import { trackPublication } from '../../src/publishing/track-publication.ts';
import { workOnPublication } from '../../src/publishing/work-on-publication.ts';
import { createServiceRuns } from '../../src/store/runs/service-runs.ts';
import { createServicePublications } from '../../src/store/service-publications.ts';
import { useDatabase } from '../support/databases.ts';

import { aServiceRun } from '../support/service/service-run-builder.ts';

const database = useDatabase();

it('changes are not shown as failed when the database stores that they are published, and its answer is lost', async () => {
  const run = await createServiceRuns(database()).create(aServiceRun());
  const publications = createServicePublications(database());
  await publications.ask({ run, branch: 'agent/1', wanted: {} });
  const [leased] = await publications.claim('one', 60_000, 1);
  if (!leased) throw new Error('nothing was due');
  const lost = async () => {
    await publications.announce(leased, { done: 1, problem: null }, 'Published');
    throw new Error('the connection was lost');
  };
  const parts = {
    publications,
    logger: createLogger('silent'),
    environments: () => [],
    runs: { get: lost },
  };
  const tracked = trackPublication(publications, leased);
  await workOnPublication(
    parts as unknown as PublisherParts,
    tracked,
    new AbortController().signal,
  );
  // It's published once more, which adds nothing.
  expect((await publications.ofRuns([run.id])).get(run.id)).toMatchObject({ asked: 1, done: 0 });
});
