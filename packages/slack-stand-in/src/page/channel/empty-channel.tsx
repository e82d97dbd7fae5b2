import { usePage } from '../state/page-context.ts';

type EmptyChannelProps = { onSuggest?: ((text: string) => void) | undefined };

/** Shown in a channel without messages. A click on an example puts it into the composer. */
export function EmptyChannel({ onSuggest }: EmptyChannelProps) {
  const { welcome } = usePage().team;
  if (!welcome || !onSuggest) return <p class="empty muted">No messages yet.</p>;
  return (
    <section class="welcome" aria-label="Welcome">
      <h2>{welcome.title}</h2>
      <p>{welcome.text}</p>
      <ul>
        {welcome.examples.map((example) => (
          <li key={example}>
            <button type="button" class="button" onClick={() => onSuggest(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
