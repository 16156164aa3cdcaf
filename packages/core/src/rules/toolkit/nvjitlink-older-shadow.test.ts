import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { nvjitlinkOlderShadow } from './nvjitlink-older-shadow.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'proved by the search path',
    'fault proved',
    'ImportError: libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12\n$ echo $LD_LIBRARY_PATH\n/usr/local/cuda-12.0/lib64:',
  ],
  [
    'likely on the message alone',
    'fault likely',
    'ImportError: libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12',
  ],
  ['silent on another missing name', 'silent', 'ImportError: x.so: undefined symbol: _ZN3c105ErrorC2E'],
];

describe('toolkit/nvjitlink-older-shadow', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(nvjitlinkOlderShadow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});

describe('an image that was read', () => {
  it.each([
    [
      'older comes first',
      'fault proved',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12 soname=libnvJitLink.so.12 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnvJitLink.so.12 version=12.4.127 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12=12.6.85',
    ],
    [
      'near: newer comes first',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12 soname=libnvJitLink.so.12 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnvJitLink.so.12 version=99.0.0 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12=12.6.85',
    ],
    [
      'near: its own',
      'cleared',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12 soname=libnvJitLink.so.12 path=/opt/venv/lib/python3.12/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12 version=12.6.85 by=RPATH others=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnvJitLink.so.12=12.4.127',
    ],
    [
      'near: no version is known',
      'silent',
      'image load asker=/opt/venv/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12 soname=libnvJitLink.so.12 path=/usr/local/cuda-12.4/targets/x86_64-linux/lib/libnvJitLink.so.12 by=LD_LIBRARY_PATH others=/opt/venv/lib/python3.12/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12=12.6.85',
    ],
  ])('%s', (_, expected, text) => {
    const answer = outcomeOf(nvjitlinkOlderShadow, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
