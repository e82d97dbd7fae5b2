/** Schedules in words, such as "every weekday at 9:00", and as cron expressions. */
import { cronProblem } from 'base/schedule/cron';
import { shorten } from 'base/shorten';

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const cronDays = weekdays.map((name) => name.slice(0, 3).toUpperCase());
const positions = ['first', 'second', 'third', 'fourth', 'last'];
const cronPositions = ['1', '2', '3', '4', 'L'];

const examples =
  'Type it like “every weekday at 9:00”, “every Monday and Thursday at 14:30”, “first Monday of the month at 8:30”, “every 15 minutes”, or in cron, “0 9 * * 1-5”.';

type ReadSchedule = { cron: string } | { problem: string };

/** Reads a schedule in words or as cron. The problem is a sentence that says what to type. */
export function readSchedule(text: string): ReadSchedule {
  const words = text.trim().replace(/\s+/g, ' ');
  if (/^(?:cron:? )?[\d*]\S*(?: \S+){4}$/i.test(words))
    return readCron(words.replace(/^cron:? /i, ''));
  if (words === '') return { problem: `Say when it runs. ${examples}` };
  const lower = words.toLowerCase().replace(/[.]$/, '');
  const often = readOften(lower);
  if (often) return often;
  const [, daysText = '', timesText] = /^(.*?)(?: at (.*))?$/.exec(lower) ?? [];
  const days = readDays(daysText.replace(/^(?:(?:every|each|on) )?(?:the )?/, ''));
  const shown = shorten(words, 60);
  if (days === undefined) return { problem: `“${shown}” isn't a schedule. ${examples}` };
  if (timesText === undefined) return { problem: `Add a time, such as “${shown} at 9:00”.` };
  const times = timesText.split(/, and |, | and /).map(readTime);
  if (!times.every((time) => time !== undefined))
    return {
      problem: `“${shorten(timesText, 60)}” isn't a time. Type it like 9:00, 17:30 or 5 pm.`,
    };
  const [{ minute = 0 } = {}] = times;
  if (times.some((time) => time.minute !== minute))
    return { problem: 'All times must have the same minutes, such as 9:30 and 17:30.' };
  const hours = [...new Set(times.map(({ hour }) => hour))].sort((a, b) => a - b);
  return { cron: `${minute} ${hours.join(',')} ${days}` };
}

function readCron(cron: string): ReadSchedule {
  const why = cronProblem({ cron, timeZone: 'UTC' });
  return why === undefined ? { cron } : { problem: `“${cron}” can't be used, because ${why}.` };
}

/** Reads a schedule with a time between runs, such as "every 15 minutes". */
function readOften(words: string): ReadSchedule | undefined {
  if (words === 'every minute') return { cron: '* * * * *' };
  const [, minute] = /^(?:every hour|hourly)(?: at :?([0-5]?\d))?$/.exec(words) ?? [words];
  if (/^(?:every hour|hourly)/.test(words) && (minute !== undefined || !words.includes(' at ')))
    return { cron: `${Number(minute ?? 0)} * * * *` };
  const [, count, unit] = /^every (\d{1,3}) (minute|hour)s?$/.exec(words) ?? [];
  if (count === undefined) return undefined;
  const [step, whole] = [Number(count), unit === 'hour' ? 24 : 60];
  if (step === 0 || step === whole || whole % step !== 0)
    return { problem: `${count} ${unit}s can't be repeated evenly. Use a divisor of ${whole}.` };
  if (unit === 'hour') return { cron: step === 1 ? '0 * * * *' : `0 */${step} * * *` };
  return { cron: step === 1 ? '* * * * *' : `*/${step} * * * *` };
}

/** Reads days in words. Returns the cron fields for day of the month, month, and day of the week. */
function readDays(words: string): string | undefined {
  if (words === 'day' || words === 'daily') return '* * *';
  if (/^(?:weekdays?|monday (?:to|through) friday)$/.test(words)) return '* * MON-FRI';
  if (/^weekends?$/.test(words)) return '* * SAT,SUN';
  const inMonth = /^(.*?) (?:of|in) (?:the|every|each) month$/.exec(words)?.[1];
  if (inMonth !== undefined) return readDayOfMonth(inMonth);
  const days = words.split(/, and |, | and /).map((name) => dayOf(name.replace(/s$/, '')));
  if (!days.every((day) => day >= 0)) return undefined;
  // A week starts on Monday, so Sunday comes last.
  const sorted = [...new Set(days)].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  return `* * ${sorted.map((day) => cronDays[day]).join(',')}`;
}

/** Returns the number of a weekday from its name or the first three letters, or -1. */
const dayOf = (name: string): number =>
  weekdays.findIndex((day) => [day, day.slice(0, 3)].some((each) => each.toLowerCase() === name));

function readDayOfMonth(words: string): string | undefined {
  if (words === 'first day') return '1 * *';
  if (words === 'last day') return 'L * *';
  const [, number] = /^(?:day )?(\d{1,2})(?:st|nd|rd|th)?$/.exec(words) ?? [];
  if (number !== undefined)
    return Number(number) >= 1 && Number(number) <= 31 ? `${Number(number)} * *` : undefined;
  const [position = '', name = ''] = words.split(' ');
  const [nth, day] = [cronPositions[positions.indexOf(position)], cronDays[dayOf(name)]];
  return nth && day && `* * ${day}#${nth}`;
}

function readTime(words: string): { hour: number; minute: number } | undefined {
  if (words === 'noon') return { hour: 12, minute: 0 };
  if (words === 'midnight') return { hour: 0, minute: 0 };
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?::([0-5]\d))? ?(am|pm)?$/.exec(words) ?? [];
  if (hours === undefined) return undefined;
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (half === undefined) return hour <= 23 ? { hour, minute } : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return { hour: (hour % 12) + (half === 'pm' ? 12 : 0), minute };
}

/**
 * Returns a cron expression in words, such as "every weekday at 9:00". `readSchedule` reads them. An expression that
 * has no words is returned as it is, after "cron".
 */
export function scheduleWords(cron: string): string {
  const fields = cron.trim().toUpperCase().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const words = often(minute, hour, [day, month, weekday].join(' ')) ?? onDays();
  return words ?? `cron ${cron.trim()}`;

  function onDays(): string | undefined {
    const days = month === '*' ? daysInWords(day, weekday) : undefined;
    const isPlain = /^\d{1,2}$/.test(minute) && /^\d{1,2}(?:,\d{1,2})*$/.test(hour);
    if (days === undefined || !isPlain) return undefined;
    const times = hour.split(',').map((each) => `${Number(each)}:${minute.padStart(2, '0')}`);
    return `${days} at ${list(times)}`;
  }
}

function often(minute: string, hour: string, days: string): string | undefined {
  if (days !== '* * *') return undefined;
  const everyMinutes = hour === '*' && /^\*\/(\d+)$/.exec(minute)?.[1];
  const everyHours = minute === '0' && /^\*\/(\d+)$/.exec(hour)?.[1];
  if (everyMinutes && 60 % Number(everyMinutes) === 0) return `every ${everyMinutes} minutes`;
  if (everyHours && 24 % Number(everyHours) === 0) return `every ${everyHours} hours`;
  if (hour !== '*') return undefined;
  if (minute === '*') return 'every minute';
  if (minute === '0') return 'every hour';
  return /^\d{1,2}$/.test(minute) ? `every hour at :${minute.padStart(2, '0')}` : undefined;
}

function daysInWords(day: string, weekday: string): string | undefined {
  if (weekday === '*') {
    if (day === '*') return 'every day';
    if (day === 'L') return 'on the last day of the month';
    return /^\d{1,2}$/.test(day) ? `on day ${Number(day)} of the month` : undefined;
  }
  if (day !== '*') return undefined;
  const [, name = '', nth = ''] = /^(\w+)#(\w)$/.exec(weekday) ?? [];
  const position = positions[cronPositions.indexOf(nth)];
  const dayName = weekdays[numberOf(name)];
  if (position && dayName) return `on the ${position} ${dayName} of the month`;
  const days = weekday.split(',').flatMap(rangeOf);
  const known = new Set(days);
  if (days.some((each) => each < 0)) return undefined;
  if (known.size === 7) return 'every day';
  if (known.size === 5 && !known.has(0) && !known.has(6)) return 'every weekday';
  const names = [1, 2, 3, 4, 5, 6, 0].filter((each) => known.has(each));
  return `every ${list(names.map((each) => weekdays[each] ?? ''))}`;
}

/** Returns the number of a weekday in a cron field, which can be a name. Sunday is 0 or 7. */
const numberOf = (field: string): number =>
  /^[0-7]$/.test(field) ? Number(field) % 7 : cronDays.indexOf(field);

/** Returns the weekdays of a range such as `MON-FRI`, or -1 for anything that isn't a range or a day. */
function rangeOf(field: string): number[] {
  const [from = '', to = from, ...rest] = field.split('-');
  const [first, last] = [numberOf(from), numberOf(to)];
  if (rest.length > 0 || first < 0 || last < 0) return [-1];
  const count = ((last - first + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) % 7);
}

function list(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
