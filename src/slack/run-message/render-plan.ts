import type { PlanBlock, SectionBlock } from '@slack/types';
import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import type { PlanItem } from 'runs-client/contract';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { stepsDone } from '../runs/showing/run-outcome.ts';
import { section } from '../text/blocks.ts';
import { escapeText, shorten } from '../text/escape-text.ts';

const tasksShown = 10;
const titleLimit = 150;

/** Task of a plan. Unlike a task card outside a plan, it has no type. */
type Task = { task_id: string; title: string; status: 'pending' | 'in_progress' | 'complete' };

/**
 * Renders the plan of a run in progress. Slack shows only the title until someone opens the plan, so the title has the
 * current step. With the same ID, the plan stays open when the message is updated:
 * https://github.com/slackapi/node-slack-sdk/issues/2701
 */
export function renderPlan(request: RunRequest): PlanBlock[] {
  const items = request.run?.agent_progress?.plan ?? [];
  if (items.length === 0 || request.step === 'ended') return [];
  const tasks = choose(items).map((index) => taskOf(items, index));
  return [{ type: 'plan', block_id: 'plan', title: titleOf(items), tasks }];
}

/** Renders the plan as text, for a workspace in which Slack rejects plans. */
export function plainPlan({ title, tasks = [] }: PlanBlock): SectionBlock {
  const lines = (tasks as Task[]).map(
    (task) => `${statusTexts[task.status]}: ${escapeText(task.title, titleLimit)}`,
  );
  return section([`*${escapeText(title, 2 * titleLimit)}*`, ...lines].join('\n'));
}

const statusTexts: Record<Task['status'], string> = {
  complete: '✅ Done',
  in_progress: '▶️ Now',
  pending: '⏳ To do',
};

function titleOf(items: readonly PlanItem[]): string {
  const index = items.findIndex(({ state }) => state === 'in_progress');
  if (index < 0) return `${stepsDone(items)} done`;
  return `Step ${index + 1} of ${items.length}: ${stepTitle(items[index])}`;
}

/** Returns the indexes of the next open steps and the latest finished ones, in the order of the plan. */
function choose(items: readonly PlanItem[]): number[] {
  const isDone = (index: number) => items[index]?.state === 'completed';
  const all = [...items.keys()];
  const open = all.filter((index) => !isDone(index)).slice(0, tasksShown);
  const done = all.filter(isDone);
  const newest = done.slice(Math.max(0, done.length + open.length - tasksShown));
  return [...newest, ...open].sort((a, b) => a - b);
}

function taskOf(items: readonly PlanItem[], index: number): Task {
  const state = items[index]?.state;
  const status =
    state === 'completed' ? 'complete' : state === 'in_progress' ? 'in_progress' : 'pending';
  return { task_id: `${index + 1}`, title: stepTitle(items[index]), status };
}

const stepTitle = (item: PlanItem | undefined): string =>
  shorten(readableLine(shownText(item?.title ?? '')), titleLimit) || 'Untitled step';
