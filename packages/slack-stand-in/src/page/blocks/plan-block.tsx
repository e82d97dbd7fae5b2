import { Icon, type IconName } from '../icon.tsx';
import { Link } from '../text/inline.tsx';
import { RichText } from '../text/rich-text.tsx';
import type { Task } from './block-types.ts';

/**
 * Shows a plan, which is collapsed at first, as in Slack. An expanded plan stays expanded after updates that keep its
 * `block_id`: https://github.com/slackapi/node-slack-sdk/issues/2701
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

const states: Record<Task['status'], { icon: IconName; word: string }> = {
  pending: { icon: 'circle', word: 'Pending' },
  in_progress: { icon: 'dots', word: 'In progress' },
  complete: { icon: 'check', word: 'Complete' },
  error: { icon: 'close', word: 'Error' },
};

/** Shows one task of a plan, with its state as an icon and as text for screen readers. */
export function TaskCard({ task }: { task: Task }) {
  const { icon, word } = states[task.status] ?? states.pending;
  const parts = [task.details, task.output].filter((part) => part !== undefined);
  return (
    <div class={`task-card task-${task.status}`}>
      <span class="task-state" role="img" aria-label={word} title={word}>
        <Icon name={icon} />
      </span>
      <div>
        {task.title}
        {parts.map((part, index) => (
          <RichText key={index} elements={part.elements} />
        ))}
        {task.sources && (
          <div class="task-sources">
            {task.sources.map(({ url, text }) => (
              <Link key={url} url={url}>
                {text}
              </Link>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
