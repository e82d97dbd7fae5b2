import type { Invariant } from './invariant.ts';
import { isTold } from './invariants-of-acts.ts';

/** Promises about people's acts on a run's changes. */
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
      if (pullRequests.length > 0 && !shown.includes('merged')) yield `${id} isn't shown as merged`;
      if (state && messages[0] && offers !== (state === 'offered' || state === 'failed'))
        yield `${id} ${offers ? 'offers' : "doesn't offer"} a pull request, which is ${state}`;
    }
  },

  *'a pull request is merged once'({ done, runs, database, slack }) {
    for (const { id, publication } of runs.runs)
      if (publication && publication.merges > 1)
        yield `${id} is merged ${publication.merges} times`;
    const wanted = database.rows("select id from requests where publish_action = 'merge'");
    for (const { requestId, action, triggerId, userId, atMs } of done.changes) {
      const { merges = 0, rejections = 0 } =
        runs.runs.find((each) => each.requestId === requestId)?.publication ?? {};
      // Include stored wishes, because one that isn't sent after a merge is still noted.
      const isWanted = merges + rejections > 0 || wanted.some(({ id }) => id === requestId);
      if (action !== 'pull-request:merge' || isWanted) continue;
      const answer = slack.viewOf(triggerId)?.view;
      if (JSON.stringify(answer ?? '').includes('Merging the pull request.'))
        yield `the wish to merge ${requestId} got lost`;
      if (!answer && !isTold(slack, userId, atMs))
        yield `nobody heard what came of merging ${requestId}`;
    }
  },

  *'nobody hears that others did what they did'({ slack }) {
    for (const { visibleTo, versions } of slack.messages)
      for (const { text } of versions)
        if (visibleTo && text.includes('Someone already')) yield `${visibleTo} hears "${text}"`;
    for (const { userId, view } of slack.views)
      if (JSON.stringify(view).includes('Someone already')) yield `${userId} sees that`;
  },
};
