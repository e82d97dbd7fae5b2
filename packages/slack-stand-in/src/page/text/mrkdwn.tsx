import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Paragraph, parseMrkdwn, type Span, unescapeText } from '../../mrkdwn-parse.ts';
import { DateToken, Emoji, Link, Mention } from './inline.tsx';

/** Shows the mrkdwn of a text object or a message with its formatting. */
export function Mrkdwn({ text }: { text: string }) {
  const paragraphs = useMemo(() => parseMrkdwn(text), [text]);
  return <>{paragraphs.map((paragraph, index) => renderParagraph(paragraph, index))}</>;
}

function renderParagraph(paragraph: Paragraph, key: number) {
  switch (paragraph.type) {
    case 'code':
      return (
        <pre key={key} class="code-block">
          {paragraph.text}
        </pre>
      );
    case 'quote':
      return (
        <blockquote key={key}>
          <Spans spans={paragraph.spans} />
        </blockquote>
      );
    case 'lines':
      return (
        <span key={key} class="lines">
          <Spans spans={paragraph.spans} />
        </span>
      );
  }
}

function Spans({ spans }: { spans: Span[] }): ComponentChildren {
  return spans.map((span, index) => <SpanView key={index} span={span} />);
}

function SpanView({ span }: { span: Span }) {
  switch (span.type) {
    case 'text':
      return <>{span.text}</>;
    case 'bold':
      return (
        <strong>
          <Spans spans={span.children} />
        </strong>
      );
    case 'italic':
      return (
        <em>
          <Spans spans={span.children} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Spans spans={span.children} />
        </s>
      );
    case 'code':
      return <code>{span.text}</code>;
    case 'emoji':
      return <Emoji name={span.name} />;
    case 'link':
      return <Link url={span.url}>{span.label || span.url}</Link>;
    case 'person':
    case 'channel':
      return <Mention type={span.type} id={span.id} label={span.label} />;
    case 'group':
      return <span class="mention">{span.label || `@${span.id}`}</span>;
    case 'broadcast':
      return <span class="mention mention-me">@{span.range.split('|')[0]}</span>;
    case 'date':
      return <DateToken token={span} />;
  }
}

/** Shows plain text. As in Slack, replaces emoji names and unescapes `&`, `<` and `>`. */
export function PlainText({ text }: { text: string }) {
  const parts = useMemo(() => text.split(/:([a-z0-9_+'-]+):/u), [text]);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? <Emoji key={index} name={part} /> : unescapeText(part),
      )}
    </>
  );
}
