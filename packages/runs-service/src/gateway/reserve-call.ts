import { sleep } from 'base/sleep';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { NewModelCall, Reservation } from '../store/model-calls.ts';
import { busy } from './body/read-body.ts';
import type { CheckedCall } from './call.ts';
import { resetSentence, spentSentence } from './caps/cap-sentences.ts';
import type { Hold } from './hold.ts';
import { deniedBy, type Rejection } from './rejections.ts';
import type { CallRows } from './settle-call.ts';

const storeMs = 2_000;
/** Time between two attempts while calls in progress have reserved the rest of a cap, in ms. It doubles up to the max. */
const busyMs = 500;
const maxBusyMs = 5_000;

const storeDown: Rejection = {
  status: 503,
  code: 'store_unavailable',
  message: "The runs service can't reach its database. Send the call again.",
  retryAfterSeconds: 5,
};

type ReserveResult = 'reserved' | 'gone' | { rejection: Rejection };

/**
 * Reserves the cost of a call before it's sent. At a cap, waits until a person allows more, or until the call can't wait
 * any longer.
 * @param holdBody called before the call waits. Returns false if its body takes too much memory
 */
export async function reserveCall(
  call: CheckedCall,
  row: NewModelCall,
  { rows, hold, holdBody }: { rows: CallRows; hold: Hold; holdBody: () => boolean },
): Promise<ReserveResult> {
  const { access, provider, early } = call;
  const denied = (code: string, message: string) => ({
    rejection: deniedBy(provider.api, code, message),
  });
  const signal = AbortSignal.any([call.signal, early.late]);
  let reached = '';
  let waitMs = busyMs;
  while (!signal.aborted) {
    const reservation = await tryReserve(rows, call, row);
    const mustWait = reservation?.outcome === 'busy' || reservation?.outcome === 'over';
    if (mustWait && !holdBody()) return { rejection: busy };
    switch (reservation?.outcome) {
      case undefined:
        return { rejection: storeDown };
      case 'reserved':
        return 'reserved';
      case 'ended':
        return denied('run_ended', "This run has ended, so it can't use models anymore.");
      case 'stopped':
        access.onStopped(reservation.message);
        return denied('spend_cap', reservation.message);
      case 'busy':
        reached = `${spentSentence(reservation.state)} Model calls in progress need the rest.`;
        await sleep(waitMs, signal);
        waitMs = Math.min(waitMs * 2, maxBusyMs);
        break;
      case 'over': {
        const { state } = reservation;
        reached = [spentSentence(state), resetSentence(state)].filter(Boolean).join(' ');
        const held = await hold({
          run: access,
          state,
          signal,
          onHeld: access.clock.pause,
          onReleased: access.clock.resume,
        });
        if (held.outcome === 'stopped') {
          access.onStopped(held.message);
          return denied('spend_cap', held.message);
        }
        if (held.outcome === 'gone' && !signal.aborted)
          return denied('run_ended', "This run has ended, so it can't use models anymore.");
      }
    }
  }
  if (call.signal.aborted) return 'gone';
  return denied('spend_cap', `${reached} The run waits for a person who can allow more.`);
}

/** Returns undefined if the store can't be reached. Nothing stays reserved then. */
async function tryReserve(
  rows: CallRows,
  { access }: CheckedCall,
  row: NewModelCall,
): Promise<Reservation | undefined> {
  const work = rows.reserve(row, access.caps);
  try {
    const reservation = await withSoftTimeout(work, storeMs);
    if (reservation) return reservation;
    const undo = () => void rows.release(row.id, { status: 503, outcome: 'unreachable' });
    work.then(undo, undo);
  } catch {
    void rows.release(row.id, { status: 503, outcome: 'unreachable' });
  }
  return undefined;
}
