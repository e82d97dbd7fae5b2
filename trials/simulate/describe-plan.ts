import type { Act, CallFault, Fault, Plan } from './plan.ts';

/** Describes a plan as a list that people can read. */
export function describePlan({
  seed,
  replicas,
  hasEvents,
  workspaces,
  isOutside,
  acts,
  faults,
}: Plan): string[] {
  const bots = replicas === 1 ? 'one replica' : `${replicas} replicas`;
  const service = hasEvents ? 'a service with events' : 'a service without events';
  return [
    `seed ${seed}: ${bots}, ${service}, ${workspaces === 1 ? 'one workspace' : 'two workspaces'}${isOutside ? ', outside the first channel' : ''}`,
    ...acts.toSorted((one, other) => one.atMs - other.atMs).map(describeAct),
    ...faults.map(describeFault),
  ];
}

function describeAct(act: Act): string {
  const { type, atMs, run } = act;
  const what = `  ${atMs} ms: ${type} of run ${run}`;
  if (!('fate' in act)) return what;
  const { end, afterMs, asks, changes } = act.fate;
  const published = changes === 'none' ? '' : `, changes: ${changes}`;
  return `${what}, ${asks ? 'asks, then ' : ''}${end} after ${afterMs} ms${published}`;
}

function describeFault(fault: Fault): string {
  switch (fault.type) {
    case 'call':
      return `  ⚡ ${fault.target} number ${fault.nth + 1}: ${describeCallFault(fault.fault)}`;
    case 'click':
    case 'delivery': {
      const when = 'afterSteps' in fault ? ` after ${fault.afterSteps} events` : '';
      return `  ⚡ ${fault.type} number ${fault.nth + 1}: ${fault.how}${when}`;
    }
    case 'disconnect': {
      const how = fault.silentMs === undefined ? '' : ` without notice, for ${fault.silentMs} ms`;
      return `  ⚡ replica ${fault.replica + 1} loses connection ${fault.connection + 1} at ${fault.atMs} ms${how}`;
    }
    case 'crash':
      return `  ⚡ replica ${fault.replica + 1} crashes after ${fault.atStep} events, for ${fault.downMs} ms`;
    case 'freeze':
      return `  ⚡ replica ${fault.replica + 1} freezes after ${fault.atStep} events, for ${fault.ms} ms`;
    case 'clock':
      return `  ⚡ replica ${fault.replica + 1}: its clock is wrong by ${fault.byMs} ms from ${fault.atMs} ms on`;
  }
}

export function describeCallFault(fault: CallFault): string {
  if ('ms' in fault) return `${fault.kind} (${fault.ms} ms)`;
  return 'seconds' in fault ? `${fault.kind} (${fault.seconds} s)` : fault.kind;
}
