import type { Task } from './block-types.ts';
import { TaskCard } from './task-card.tsx';

/**
 * Closed at first, as in Slack. It stays open through updates that keep its `block_id`.
 * https://github.com/slackapi/node-slack-sdk/issues/2701
 */
export function PlanBlock({ title, tasks }: { title: string; tasks: Task[] }) {
  return (
    <details class="plan-block">
      <summary>{title}</summary>
      <ol>
        {tasks.map((task) => (
          <li key={task.task_id}>
            <TaskCard task={task} />
          </li>
        ))}
      </ol>
    </details>
  );
}
