import { z } from 'zod';
import { part } from '../fields.ts';
import { phrases } from '../phrases.ts';
import { choosable, withPlaceholder } from './element-fields.ts';

/** An existing day: not 2026-02-30. */
const day = z.string().refine(isDay, phrases.notOfForm('date'));

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, phrases.notOfForm('time'));

/** Unix seconds, ten digits. */
const moment = z.int().min(1_000_000_000).max(9_999_999_999);

export const datepicker = part('datepicker', {
  ...choosable,
  ...withPlaceholder,
  initial_date: day.optional(),
});

export const timepicker = part('timepicker', {
  ...choosable,
  ...withPlaceholder,
  initial_time: timeOfDay.optional(),
  timezone: z.string().refine(isTimeZone, phrases.notOfForm('timezone')).optional(),
});

export const datetimepicker = part('datetimepicker', {
  ...choosable,
  initial_date_time: moment.optional(),
});

function isTimeZone(name: string): boolean {
  // Intl also accepts offsets such as +02:00, which aren't IANA names.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
