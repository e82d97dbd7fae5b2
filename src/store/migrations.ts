import type { Migration } from 'kysely';
import * as settings from './migrations/001-settings.ts';
import * as requests from './migrations/002-requests.ts';
import * as serviceRuns from './migrations/010-service-runs.ts';
import * as serviceKeys from './migrations/011-service-keys.ts';
import * as serviceRunLists from './migrations/012-service-run-lists.ts';
import * as requestOrigin from './migrations/030-request-origin.ts';
import * as drafts from './migrations/031-drafts.ts';
import * as mentions from './migrations/032-mentions.ts';
import * as workflowWaits from './migrations/033-workflow-waits.ts';
import * as requestAttention from './migrations/040-request-attention.ts';
import * as oldReplies from './migrations/041-replies-before-there-were-any.ts';
import * as following from './migrations/045-following.ts';
import * as homeViews from './migrations/046-home-views.ts';
import * as followingIndexes from './migrations/047-following-indexes.ts';
import * as doubts from './migrations/050-doubts.ts';
import * as lostMessages from './migrations/051-lost-messages.ts';
import * as followingPace from './migrations/053-following-pace.ts';
import * as serviceRunRestarts from './migrations/056-service-run-restarts.ts';
import * as serviceQueue from './migrations/057-service-queue.ts';
import * as serviceRunUsage from './migrations/059-service-run-usage.ts';
import * as serviceRunMetadata from './migrations/060-service-run-metadata.ts';
import * as serviceRunWords from './migrations/061-service-run-words.ts';
import * as serviceRunMoments from './migrations/061b-service-run-moments.ts';
import * as draftsOfEveryForm from './migrations/063-drafts-of-every-form.ts';
import * as followupKeys from './migrations/065-followup-keys.ts';
import * as notices from './migrations/068-notices.ts';
import * as digests from './migrations/069-digests.ts';
import * as queueSense from './migrations/070-queue-sense.ts';
import * as runCreators from './migrations/073-run-creators.ts';
import * as requestFilters from './migrations/074-request-filters.ts';
import * as requestLinks from './migrations/075-request-links.ts';
import * as pointers from './migrations/082-pointers.ts';
import * as shortMerges from './migrations/090-short-merges.ts';
import * as movedNotices from './migrations/091-moved-notices.ts';
import * as waitsFor from './migrations/092-waits-for.ts';
import * as missingRuns from './migrations/093-missing-runs.ts';
import * as liveInChannel from './migrations/095-live-in-channel.ts';
import * as slimIndexes from './migrations/096-slim-indexes.ts';
import * as slimmerIndexes from './migrations/097-slimmer-indexes.ts';
import * as oneRequestPerRun from './migrations/105-one-request-per-run.ts';
import * as serviceTime from './migrations/106-service-time.ts';

/** In the order of their names; a landed migration is never edited. */
export const migrations: Record<string, Migration> = {
  '001-settings': settings,
  '002-requests': requests,
  '010-service-runs': serviceRuns,
  '011-service-keys': serviceKeys,
  '012-service-run-lists': serviceRunLists,
  '030-request-origin': requestOrigin,
  '031-drafts': drafts,
  '032-mentions': mentions,
  '033-workflow-waits': workflowWaits,
  '040-request-attention': requestAttention,
  '041-replies-before-there-were-any': oldReplies,
  '045-following': following,
  '046-home-views': homeViews,
  '047-following-indexes': followingIndexes,
  '050-doubts': doubts,
  '051-lost-messages': lostMessages,
  '053-following-pace': followingPace,
  '056-service-run-restarts': serviceRunRestarts,
  '057-service-queue': serviceQueue,
  '059-service-run-usage': serviceRunUsage,
  '060-service-run-metadata': serviceRunMetadata,
  '061-service-run-words': serviceRunWords,
  '061b-service-run-moments': serviceRunMoments,
  '063-drafts-of-every-form': draftsOfEveryForm,
  '065-followup-keys': followupKeys,
  '068-notices': notices,
  '069-digests': digests,
  '070-queue-sense': queueSense,
  '073-run-creators': runCreators,
  '074-request-filters': requestFilters,
  '075-request-links': requestLinks,
  '082-pointers': pointers,
  '090-short-merges': shortMerges,
  '091-moved-notices': movedNotices,
  '092-waits-for': waitsFor,
  '093-missing-runs': missingRuns,
  '095-live-in-channel': liveInChannel,
  '096-slim-indexes': slimIndexes,
  '097-slimmer-indexes': slimmerIndexes,
  '105-one-request-per-run': oneRequestPerRun,
  '106-service-time': serviceTime,
};
