import type { JsonObject } from '../lib/json.ts';
import { type Paragraph, parseMrkdwn, type Span } from '../mrkdwn-parse.ts';
import type { World } from '../world/world.ts';

/**
 * Converts typed text to Slack's format: `&`, `<`, `>` escaped, `@name` and `#channel` as IDs, URLs in angle brackets.
 * `<@U…>` and `<#C…>` stay unchanged.
 */
export function encodeTyped(world: World, teamId: string, typed: string): string {
  const parts = typed.split(/(<(?:[@#!][^<>\s]+|https?:\/\/[^<>\s]+)>)/);
  return parts.map((part, index) => (index % 2 ? part : encodePlain(world, teamId, part))).join('');
}

function encodePlain(world: World, teamId: string, plain: string): string {
  const escaped = escapeControl(plain);
  const people = world.people.flatMap(({ id, name, realName }) => [
    { id, name: realName },
    { id, name },
  ]);
  const longestFirst = people.toSorted((a, b) => b.name.length - a.name.length);
  const mentioned = escaped.replace(
    /(^|[\s(])@([^\s@].*)/g,
    (whole, before: string, rest: string) => {
      const lower = rest.toLowerCase();
      const found = longestFirst.find(({ name }) => startsWithWord(lower, name.toLowerCase()));
      if (!found) return whole;
      const tail = rest.slice(found.name.length);
      return `${before}<@${found.id}>${encodeMentions(tail, longestFirst)}`;
    },
  );
  const channels = world.channels.filter((each) => each.teamId === teamId && each.name);
  return mentioned
    .replace(/(^|\s)#([\w-]+)/g, (whole, before: string, name: string) => {
      const channel = channels.find((each) => each.name === name);
      return channel ? `${before}<#${channel.id}|${channel.name}>` : whole;
    })
    .replace(/(^|\s)(https?:\/\/[^\s<>]+)/g, '$1<$2>');
}

/** Escapes the three characters that Slack always escapes, even in commands. */
export function escapeControl(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

type Named = { id: string; name: string };

function encodeMentions(text: string, people: readonly Named[]): string {
  return text.replace(/(^|\s)@(\S+)/g, (whole, before: string, word: string) => {
    const found = people.find(({ name }) => name.toLowerCase() === word.toLowerCase());
    return found ? `${before}<@${found.id}>` : whole;
  });
}

function startsWithWord(text: string, word: string): boolean {
  return text.startsWith(word) && !/[\w-]/.test(text.charAt(word.length));
}

/**
 * Returns the `rich_text` block of a typed message. Markup such as `*bold*` becomes a style, and text between code
 * fences becomes a code block.
 */
export function richTextOf(text: string, blockId: string): JsonObject {
  return { type: 'rich_text', block_id: blockId, elements: parseMrkdwn(text).map(partOf) };
}

function partOf(paragraph: Paragraph): JsonObject {
  if (paragraph.type === 'code') {
    const elements = [{ type: 'text', text: paragraph.text }];
    return { type: 'rich_text_preformatted', elements, border: 0 };
  }
  const type = paragraph.type === 'quote' ? 'rich_text_quote' : 'rich_text_section';
  return { type, elements: paragraph.spans.flatMap((span) => elementsOf(span, {})) };
}

type Style = { bold?: true; italic?: true; strike?: true; code?: true };

function elementsOf(span: Span, style: Style): JsonObject[] {
  const styled = Object.keys(style).length > 0 && { style };
  switch (span.type) {
    case 'text':
      return [{ type: 'text', text: span.text, ...styled }];
    case 'code':
      return [{ type: 'text', text: span.text, style: { ...style, code: true } }];
    case 'bold':
    case 'italic':
    case 'strike':
      return span.children.flatMap((child) => elementsOf(child, { ...style, [span.type]: true }));
    case 'emoji':
      return [{ type: 'emoji', name: span.name, ...styled }];
    case 'link':
      return [{ type: 'link', url: span.url, ...(span.label && { text: span.label }), ...styled }];
    case 'person':
      return [{ type: 'user', user_id: span.id, ...styled }];
    case 'channel':
      return [{ type: 'channel', channel_id: span.id, ...styled }];
    case 'group':
      return [{ type: 'usergroup', usergroup_id: span.id, ...styled }];
    case 'broadcast':
      return [{ type: 'broadcast', range: span.range, ...styled }];
    case 'date':
      return [{ type: 'text', text: span.fallback, ...styled }];
  }
}
