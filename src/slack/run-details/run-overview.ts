import type { KnownBlock, SectionBlock } from '@slack/types';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { failureMeaning } from '../runs/failed-run.ts';
import { listArtifacts } from '../runs/run-artifacts.ts';
import { contextFacts, originFacts, usageFacts } from '../runs/run-facts.ts';
import { renderLineage } from '../runs/run-lineage.ts';
import { requestLabel } from '../runs/run-state.ts';
import { readRunTimes } from '../runs/run-times.ts';
import { codeBlock, context, escapeText, section, shorten, time } from '../text/blocks.ts';
import { durationText } from '../text/duration.ts';
import { failureSentence } from '../text/failure.ts';
import { linkList } from '../text/rich-text.ts';
import { configurationFacts, type Fact } from './configuration-facts.ts';
import type { DetailedRun } from './detailed-run.ts';

const artifactsShown = 40;
const valueLimit = 300;
const statusLimit = 2_900;

/** The first page of *Details*. `earlier`: the runs that this one repeats, the last first. */
export function renderOverview(
  detailed: DetailedRun,
  earlier: readonly RunRequest[],
): KnownBlock[] {
  const { run, ref, problem } = detailed;
  const label = requestLabel(detailed);
  const status = run?.status_message;
  const meaning = failureMeaning(status?.error_code);
  const words = [problem?.message, status?.message].flatMap((each) => each?.trim() || []);
  const artifacts = listArtifacts(run, artifactsShown);
  const left = (run?.artifacts?.length ?? 0) - artifacts.length;
  return [
    section(`${label.sign} *${escapeText(label.word, 100)}*`),
    ...facts('Runs service', [
      ['State', run?.state],
      ['Error code', status?.error_code],
      ['Tokens and cost', usageFacts(run).join(', ')],
    ]),
    ...(problem ? [section(failureSentence(problem.code))] : []),
    ...(meaning ? [section(meaning.sentence)] : []),
    ...words.map((each) => codeBlock(each, statusLimit)),
    ...(artifacts.length > 0 ? [section('*Results*'), linkList(artifacts)] : []),
    ...(left > 0 ? [context(`… ${left} more in the session`)] : []),
    ...facts('Configuration', configurationFacts(detailed)),
    ...renderLineage(detailed, earlier),
    ...facts('Context', [['From Slack', contextFacts(detailed).join(', ')]]),
    section(`*Timeline*\n${timeline(detailed).join('\n')}`),
    ...facts('IDs', [
      ['Run', run?.run_id ?? detailed.runId],
      ['Session', run?.session_id],
      ['Conversation', run?.conversation_id],
      ['Request', 'requestId' in ref && ref.requestId],
    ]),
  ];
}

function timeline(detailed: DetailedRun): string[] {
  const { asked, started, ended, tookMs } = readRunTimes(detailed);
  const steps: [at: number | null | undefined, what: string][] = [
    [asked, [`requested by ${detailed.creator}`, ...originFacts(detailed)].join(', ')],
    [detailed.createBeganAt, 'sent to the runs service'],
    [started, 'started'],
    [detailed.cancelAskedAt, `cancel requested by <@${detailed.cancelAskedBy}>`],
    [detailed.unfollowedAt, 'stopped following'],
    [ended, `ended${tookMs === undefined ? '' : ` after ${durationText(tookMs)}`}`],
  ];
  return steps
    .flatMap(([at, what]) => (typeof at === 'number' ? [{ at, what }] : []))
    .sort((a, b) => a.at - b.at)
    .map(({ at, what }) => `${time(at)}: ${what}`);
}

/** One section of the known values; none when nothing is known. */
function facts(heading: string, all: readonly Fact[]): SectionBlock[] {
  const lines = all.flatMap(([name, value]) =>
    value
      ? [`${name}: ${escapeText(shorten(value.replace(/\s+/g, ' '), valueLimit), valueLimit)}`]
      : [],
  );
  return lines.length > 0 ? [section([`*${heading}*`, ...lines].join('\n'))] : [];
}
