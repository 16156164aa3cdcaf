import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { selinuxApparmorDeniesDevice } from './selinux-apparmor-denies-device.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault proved when AppArmor denies and CUDA finds nothing',
    'fault proved',
    'audit: type=1400 audit(1700000000.1:88): apparmor="DENIED" operation="open" class="file" profile="snap.app" name="/dev/nvidiactl" pid=912 comm="python3" requested_mask="wr" denied_mask="wr" fsuid=1000 ouid=0\nRuntimeError: No CUDA GPUs are available',
  ],
  [
    'fault likely on a denial alone',
    'fault likely',
    'type=AVC msg=audit(1.1:4): avc:  denied  { read write } for  pid=42 comm="python" name="nvidia-uvm" dev="devtmpfs" ino=9 scontext=u:r:container_t:s0 tcontext=u:r:device_t:s0 tclass=chr_file permissive=0',
  ],
  [
    'unknown when another file is denied',
    'unknown',
    'type=AVC msg=audit(1.1:4): avc:  denied  { read } for  pid=42 comm="sshd" name="motd" dev="sda1" ino=9 scontext=u:r:sshd_t:s0 tcontext=u:r:tmp_t:s0 tclass=file permissive=0\nFailed to initialize NVML: Insufficient Permissions',
  ],
];

describe('host-os/selinux-apparmor-denies-device', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(selinuxApparmorDeniesDevice, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
