import { describe, expect, it } from 'vitest';
import { endOfHours, hourAt, knownTimeZone, nextAtHour } from '../../src/time/local-time.ts';

const at = (text: string) => Date.parse(text);
const iso = (time: number | undefined) => time && new Date(time).toISOString();

describe('hours in a time zone', () => {
  it.each([
    ['2026-11-21T07:30:00Z', 9, 'Europe/Berlin', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T08:00:00Z', 9, 'Europe/Berlin', '2026-11-22T08:00:00.000Z'],
    ['2026-11-21T20:00:00Z', 9, 'America/Los_Angeles', '2026-11-22T17:00:00.000Z'],
    ['2026-11-21T20:00:00Z', 0, 'Asia/Kolkata', '2026-11-22T18:30:00.000Z'],
    // Clocks go forward, and back.
    ['2026-03-28T12:00:00Z', 9, 'Europe/Berlin', '2026-03-29T07:00:00.000Z'],
    ['2026-10-24T12:00:00Z', 9, 'Europe/Berlin', '2026-10-25T08:00:00.000Z'],
  ])('after %s the next %i o’clock in %s is %s', (now, hour, zone, expected) => {
    expect(iso(nextAtHour(at(now), hour, zone))).toBe(expected);
  });

  it('use the next hour when a clock change skips one', () => {
    const next = nextAtHour(at('2026-03-29T00:00:00Z'), 2, 'Europe/Berlin');
    expect(iso(next)).toBe('2026-03-29T01:00:00.000Z');
  });

  it.each([
    ['2026-11-21T22:30:00Z', { from: 22, until: 7 }, '2026-11-22T07:00:00.000Z'],
    ['2026-11-21T06:59:00Z', { from: 22, until: 7 }, '2026-11-21T07:00:00.000Z'],
    ['2026-11-21T07:00:00Z', { from: 22, until: 7 }, undefined],
    ['2026-11-21T13:00:00Z', { from: 12, until: 14 }, '2026-11-21T14:00:00.000Z'],
    ['2026-11-21T15:00:00Z', { from: 12, until: 14 }, undefined],
    ['2026-11-21T15:00:00Z', { from: 15, until: 15 }, undefined],
  ])('at %s, %o end in time', (now, hours, expected) => {
    expect(iso(endOfHours(at(now), hours, 'UTC'))).toBe(expected);
  });

  it('use UTC for an unknown time zone', () => {
    expect([knownTimeZone('Mars/Olympus'), knownTimeZone(null)]).toEqual(['UTC', 'UTC']);
    expect(knownTimeZone('Europe/Berlin')).toBe('Europe/Berlin');
    expect(hourAt(at('2026-11-21T15:00:00Z'), 'Asia/Tokyo')).toBe(0);
  });
});
