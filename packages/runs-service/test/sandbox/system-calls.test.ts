import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { deniedCalls, systemCallFilter } from '../../src/sandbox/system-calls.ts';

const { EAFNOSUPPORT, ENOSYS, EPERM } = constants.errno;

type Call = { machine: number; number: number; firstArgument?: number };

/** Runs the filter like the kernel, with the instructions that it uses. Returns the error that the call gets. */
function judge(filter: Buffer, { machine, number, firstArgument = 0 }: Call) {
  const data = new Map([
    [0, number],
    [4, machine],
    [16, firstArgument],
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at);
    const [jumpTrue, jumpFalse] = [filter.readUInt8(at + 2), filter.readUInt8(at + 3)];
    const value = filter.readUInt32LE(at + 4);
    if (code === 0x06) {
      if (value === 0x7fff0000) return 'allowed';
      if (value === 0x80000000) return 'killed';
      return value - 0x00050000;
    }
    if (code === 0x20) loaded = data.get(value) ?? Number.NaN;
    else if (code === 0x15) at += 8 * (loaded === value ? jumpTrue : jumpFalse);
    else if (code === 0x35) at += 8 * (loaded >= value ? jumpTrue : jumpFalse);
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error('the filter has no end');
}

const processors = [
  { processor: 'x64', machine: 0xc000003e, socket: 41, socketpair: 53, getpid: 39 },
  { processor: 'arm64', machine: 0xc00000b7, socket: 198, socketpair: 199, getpid: 172 },
] as const;
const i386 = 0x40000003;

describe.each(processors)('the filter of system calls on $processor', (each) => {
  const { processor, machine, socket, socketpair, getpid } = each;
  const filter = systemCallFilter(processor) ?? Buffer.alloc(0);

  it('denies the calls of the table, and allows their neighbors', () => {
    const numbers: number[] = Object.values(deniedCalls).map((call) => call[processor]);
    for (const call of Object.values(deniedCalls)) {
      expect(judge(filter, { machine, number: call[processor] })).toBe(call.error);
      const after = call[processor] + 1;
      if (!numbers.includes(after))
        expect(judge(filter, { machine, number: after })).toBe('allowed');
    }
    expect(judge(filter, { machine, number: deniedCalls.keyctl[processor] })).toBe(ENOSYS);
    expect(judge(filter, { machine, number: deniedCalls.bpf[processor] })).toBe(EPERM);
    expect(judge(filter, { machine, number: getpid })).toBe('allowed');
  });

  it('allows sockets of four families only', () => {
    const allowed = Array.from({ length: 64 }, (_, family) => family).filter(
      (firstArgument) => judge(filter, { machine, number: socket, firstArgument }) === 'allowed',
    );
    expect(allowed).toEqual([1, 2, 10, 16]);
    for (const number of [socket, socketpair])
      expect(judge(filter, { machine, number, firstArgument: 40 })).toBe(EAFNOSUPPORT);
  });

  it('kills programs for another processor, and knows no other numbers', () => {
    expect(judge(filter, { machine: i386, number: getpid })).toBe('killed');
    expect(judge(filter, { machine, number: 0x40000000 + getpid })).toBe(ENOSYS);
    expect(judge(filter, { machine, number: 0xffffffff })).toBe(ENOSYS);
  });
});

it('there is no filter for other processors, so no sandbox', () => {
  expect(systemCallFilter('riscv64')).toBeUndefined();
});
