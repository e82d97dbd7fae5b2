import type { ComponentChildren } from 'preact';
import type { RichElement, RichSpan, RichStyle } from '../blocks/block-types.ts';
import { DateToken, Emoji, Link, Mention } from './inline.tsx';

/** Shows the elements of a rich_text block. */
export function RichText({ elements }: { elements: RichElement[] }) {
  return (
    <div class="rich-text">
      {elements.map((element, index) => (
        <RichPart key={index} element={element} />
      ))}
    </div>
  );
}

function RichPart({ element }: { element: RichElement }) {
  switch (element.type) {
    case 'rich_text_section':
      return <p class="lines">{element.elements.map(renderSpan)}</p>;
    case 'rich_text_preformatted':
      return <pre class="code-block">{element.elements.map(renderSpan)}</pre>;
    case 'rich_text_quote':
      return <blockquote>{element.elements.map(renderSpan)}</blockquote>;
    case 'rich_text_list': {
      const items = element.elements.map((item, index) => (
        <li key={index}>{item.elements.map(renderSpan)}</li>
      ));
      const indent = `list-indent-${Math.min(element.indent ?? 0, 5)}`;
      if (element.style === 'ordered') {
        return (
          <ol class={indent} start={(element.offset ?? 0) + 1}>
            {items}
          </ol>
        );
      }
      return <ul class={indent}>{items}</ul>;
    }
  }
}

function renderSpan(span: RichSpan, index: number): ComponentChildren {
  return <Styled key={index} style={span.style} content={contentOf(span)} />;
}

function contentOf(span: RichSpan): ComponentChildren {
  switch (span.type) {
    case 'text':
      return span.text;
    case 'link':
      return <Link url={span.url}>{span.text || span.url}</Link>;
    case 'emoji':
      return <Emoji name={span.name} />;
    case 'user':
      return <Mention type="person" id={span.user_id} />;
    case 'channel':
      return <Mention type="channel" id={span.channel_id} />;
    case 'usergroup':
      return <span class="mention">@{span.usergroup_id}</span>;
    case 'team':
      return <span class="mention">@{span.team_id}</span>;
    case 'broadcast':
      return <span class="mention mention-me">@{span.range}</span>;
    case 'color':
      return <code>{span.value}</code>;
    case 'date': {
      const { timestamp, format, url = '', fallback = '' } = span;
      return <DateToken token={{ seconds: timestamp, format, link: url, fallback }} />;
    }
  }
}

function Styled(props: { style: RichStyle | undefined; content: ComponentChildren }) {
  const { style = {}, content } = props;
  let styled = content;
  if (style.code) styled = <code>{styled}</code>;
  if (style.strike) styled = <s>{styled}</s>;
  if (style.italic) styled = <em>{styled}</em>;
  if (style.bold) styled = <strong>{styled}</strong>;
  return <>{styled}</>;
}
