import type { useCompletions } from './use-completions.ts';

type CompletionListProps = { completions: ReturnType<typeof useCompletions> };

export function CompletionList({ completions }: CompletionListProps) {
  const { id, items, at, isOpen, choose } = completions;
  if (!isOpen) return null;
  return (
    <div class="completions" role="listbox" id={id} aria-label="Suggestions">
      {items.map((item, index) => (
        <div
          key={item.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          class={`popup-item${index === at ? ' is-active' : ''}`}
          // Keeps the focus in the composer.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(item)}
          onKeyDown={(event) => event.key === 'Enter' && choose(item)}
        >
          <span>
            <strong>{item.label}</strong> <span class="muted">{item.hint}</span>
          </span>
          {item.detail && <small>{item.detail}</small>}
        </div>
      ))}
    </div>
  );
}
