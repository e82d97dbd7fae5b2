import type { Invariant } from './invariant.ts';

/** Promises about what people do with the changes of runs. */
export const brokenByResults: Readonly<Record<string, Invariant>> = {
  *'changes are published once'({ done, runs, database }) {
    for (const { id, requestId, publication } of runs.runs) {
      const asked = done.publishes.filter((each) => each.requestId === requestId);
      const { asks = 0, failures = 0, pullRequests = [] } = publication ?? {};
      if (pullRequests.length > 1) yield `${id} has ${pullRequests.length} pull requests`;
      if (asks - failures > asked.length)
        yield `${id} is published ${asks} times, and asked ${asked.length}`;
      if (asks === 0 && asked.some(({ isAccepted }) => isAccepted))
        yield `the wish to publish ${id} got lost`;
    }
    const unknown = database.rows(
      `select id from requests where publish_asked_at is not null
        and (publish_outcome is null or publish_outcome = 'accepted')`,
    );
    for (const { id } of unknown) yield `nobody knows what came of publishing ${String(id)}`;
  },

  *'only those publish who may'({ database }) {
    const asked = database.rows('select id from requests where publish_asked_by <> creator_id');
    for (const { id } of asked) yield `someone else published ${String(id)}`;
  },

  *'the message shows what was published'(_, outcomes) {
    for (const { id, messages, runs } of outcomes) {
      const shown = messages[0]?.versions.at(-1)?.json ?? '';
      if (shown.includes('Creating the pull request')) yield `${id} is said to be published`;
      const { state, pullRequests = [] } = runs[0]?.publication ?? {};
      for (const { url } of pullRequests) if (!shown.includes(url)) yield `${id} lacks ${url}`;
      const offers = shown.includes('pull-request:create');
      if (state && messages[0] && offers !== (state === 'offered' || state === 'failed'))
        yield `${id} ${offers ? 'offers' : "doesn't offer"} a pull request, which is ${state}`;
    }
  },
};
