import { describe, expect, it } from 'vitest';
import {
  describeKept,
  describeMessageCount,
  lastQuotedMessages,
  quoteThread,
} from '../../../../src/slack/runs/reading/prompt-context.ts';

const said = (text: string) => ({ author: 'Ada', sentAt: 'now', text });
const quoted = (text: string) => `Ada (now):\n> ${text}`;
const threadOf = (count: number) =>
  Array.from({ length: count }, (_, index) => said(`message ${index + 1}`));

describe('a quoted thread', () => {
  it('is whole if it fits', () => {
    const text = [1, 2, 3].map((number) => quoted(`message ${number}`)).join('\n\n');
    expect(quoteThread(threadOf(3))).toEqual({ text, messages: 3, left: 0 });
    expect(quoteThread([])).toEqual({ text: '', messages: 0, left: 0 });
  });

  it('keeps the first message, which states the topic, and the newest', () => {
    const gap = '[… 7 messages omitted]';
    const text = [quoted('message 1'), gap, quoted('message 9'), quoted('message 10')];
    const room = 50 + 3 * [...quoted('message 10')].length;
    expect(quoteThread(threadOf(10), room)).toEqual({
      text: text.join('\n\n'),
      messages: 3,
      left: 7,
    });
  });

  it('cuts a long first message to make room for the newest', () => {
    const { text, messages } = quoteThread([said('long '.repeat(500)), said('what now?')], 400);
    expect(text).toMatch(/more characters omitted\]\n\nAda \(now\):\n> what now\?$/);
    expect(messages).toBe(2);
  });

  it.each([
    [{ messages: 1 }, '1 message'],
    [{ messages: 3, left: 0 }, '3 messages'],
    [{ messages: 121, left: 80 }, '121 of 201 messages'],
  ])('%j is %j', (counted, words) => {
    expect(describeMessageCount(counted)).toBe(words);
  });

  it.each([
    [2, 'the first and the newest'],
    [40, 'the first and the 39 newest'],
  ])('says which %s messages it keeps', (messages, words) => {
    expect(describeKept(messages)).toBe(words);
  });

  it('shows its last messages, each whole', () => {
    const { text } = quoteThread(threadOf(4));
    const last = [quoted('message 3'), quoted('message 4')].join('\n\n');
    expect(lastQuotedMessages(text, 1_000)).toBe(text);
    expect(lastQuotedMessages(text, [...last].length + 5)).toBe(last);
    const long = quoteThread([said('hello'), said('x'.repeat(300))]).text;
    expect(lastQuotedMessages(long, 200)).toMatch(/> x+\n> \[… \d+ more characters omitted\]$/);
  });
});
