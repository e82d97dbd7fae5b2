import type { Entity } from '../../entities/entity-schema.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { EntityCard } from '../entity/entity-card.tsx';
import { Link } from '../text/inline.tsx';
import { Mrkdwn } from '../text/mrkdwn.tsx';

/** One of Slack's legacy attachments, which alert bots still use. */
type Attachment = {
  color?: string;
  pretext?: string;
  author_name?: string;
  title?: string;
  title_link?: string;
  text?: string;
  fallback?: string;
  footer?: string;
  fields?: { title?: string; value?: string; short?: boolean }[];
  blocks?: unknown[];
  entity?: Entity;
};

export function Attachments({ attachments }: { attachments: unknown[] }) {
  return (
    <>
      {(attachments as Attachment[]).map((attachment, index) => (
        <div key={index}>
          {attachment.pretext && <Mrkdwn text={attachment.pretext} />}
          <div class="attachment" style={{ borderLeftColor: safeColour(attachment.color) }}>
            <AttachmentBody attachment={attachment} />
          </div>
        </div>
      ))}
    </>
  );
}

const named: Record<string, string> = { good: '#2f855a', warning: '#b7791f', danger: '#c53030' };

function safeColour(color = ''): string {
  if (Object.hasOwn(named, color)) return named[color] ?? '';
  return /^#?[0-9a-f]{6}$/i.test(color) ? `#${color.replace('#', '')}` : '';
}

function AttachmentBody({ attachment }: { attachment: Attachment }) {
  const { author_name, title, title_link, text, fields, footer, blocks, fallback, entity } =
    attachment;
  if (entity) return <EntityCard entity={entity} />;
  if (blocks) return <Blocks blocks={blocks} />;
  const isEmpty = !author_name && !title && !text && !fields;
  return (
    <>
      {author_name && <div class="muted">{author_name}</div>}
      {title && (
        <div class="attachment-title">
          {title_link ? <Link url={title_link}>{title}</Link> : <Mrkdwn text={title} />}
        </div>
      )}
      {text && <Mrkdwn text={text} />}
      {isEmpty && fallback && <Mrkdwn text={fallback} />}
      {fields && (
        <div class="section-fields">
          {fields.map((field, index) => (
            <div key={index}>
              <strong>{field.title}</strong>
              <br />
              <Mrkdwn text={field.value ?? ''} />
            </div>
          ))}
        </div>
      )}
      {footer && <small class="muted">{footer}</small>}
    </>
  );
}
