import { useMemo } from 'preact/hooks';
import { type MarkdownPart, parseMarkdown } from './markdown-parse.ts';
import { Spans } from './mrkdwn.tsx';

export function Markdown({ text }: { text: string }) {
  const parts = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div class="rich-text">
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </div>
  );
}

function Part({ part }: { part: MarkdownPart }) {
  switch (part.type) {
    case 'heading':
      return (
        <p class="lines">
          <strong>
            <Spans spans={part.spans} />
          </strong>
        </p>
      );
    case 'paragraph':
      return (
        <p class="lines">
          <Spans spans={part.spans} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Spans spans={part.spans} />
        </blockquote>
      );
    case 'code':
      return <pre class="code-block">{part.text}</pre>;
    case 'rule':
      return <hr />;
    case 'list': {
      const items = part.items.map((spans, index) => (
        <li key={index}>
          <Spans spans={spans} />
        </li>
      ));
      return part.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
  }
}
