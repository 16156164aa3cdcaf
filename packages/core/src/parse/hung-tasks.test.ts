import { describe, expect, it } from 'vitest';
import { valuesOf } from './testing.ts';
import { waitsIn } from './hung-tasks.ts';

const stacks: readonly (readonly [string, string, string | null])[] = [
  ['nfs4_file_open+0x11a/0x2a0 [nfsv4]', 'storage', 'NFS'],
  ['rpc_wait_bit_killable+0x1e/0x90 [sunrpc]', 'storage', 'NFS'],
  ['ptlrpc_set_wait+0x18a/0x6f0 [ptlrpc]', 'storage', 'Lustre'],
  ['cxiWaitEventWait+0x1cd/0x2f0 [mmfslinux]', 'storage', 'GPFS'],
  ['wekafs_wait_for_response+0x6a/0x120 [wekafsio]', 'storage', 'WekaFS'],
  ['FhgfsOps_read_iter+0x11c/0x2b0 [beegfs]', 'storage', 'BeeGFS'],
  ['wait_transaction_locked+0x88/0xd0 [jbd2]', 'storage', 'ext4'],
  ['xfs_log_force_seq+0x8e/0x160 [xfs]', 'storage', 'XFS'],
  ['io_schedule+0x46/0x80', 'storage', 'block layer'],
  ['nvfs_io_start_op+0x1a/0x90 [nvidia_fs]', 'storage', 'GPUDirect Storage'],
  ['uvm_va_space_down_write+0x1c/0x30 [nvidia_uvm]', 'gpu-driver', null],
  ['os_acquire_mutex+0x3c/0x60 [nvidia]', 'gpu-driver', null],
  ['nvidia_ioctl+0x1a2/0x8b0', 'gpu-driver', null],
  ['mlx5_cmd_exec+0x1c/0x40 [mlx5_core]', 'network', null],
  ['rtnl_lock+0x15/0x20', 'network', null],
  ['process_one_work+0x178/0x350', 'unknown', null],
];

function report(frames: readonly string[]): string {
  return [
    'INFO: task python:48213 blocked for more than 122 seconds.',
    '      Tainted: P           OE      6.8.0-51-generic #52-Ubuntu',
    'task:python          state:D stack:0     pid:48213 tgid:48213 ppid:2981   flags:0x00004002',
    'Call Trace:',
    ' <TASK>',
    ' __schedule+0x27c/0x6b0',
    ' schedule+0x33/0x110',
    ' rwsem_down_write_slowpath+0x26c/0x560',
    ...frames.map((frame) => ` ${frame}`),
    ' </TASK>',
  ].join('\n');
}

describe('a hung task', () => {
  it.each(stacks)('waits below %s: %s', (frame, where, files) => {
    expect(valuesOf(report([frame]), 'os.hung-task')).toMatchObject([
      { task: 'python', pid: 48213, seconds: 122, where, files },
    ]);
  });

  it('has its own stack, not that of the next task', () => {
    const text = `${report(['process_one_work+0x178/0x350'])}\n${report(['nfs_wait_on_request+0x3a/0x60 [nfs]'])}`;
    expect(valuesOf(text, 'os.hung-task').map((task) => task.where)).toEqual(['unknown', 'storage']);
  });

  it('does not take a leftover of the stack for a caller', () => {
    expect(valuesOf(report(['? nfs_file_read+0x5/0x10 [nfs]']), 'os.hung-task')[0]?.where).toBe('unknown');
  });

  it('is named by the file system below the block layer', () => {
    expect(
      waitsIn([
        { name: 'io_schedule', module: null },
        { name: 'xfs_buf_lock', module: 'xfs' },
      ]),
    ).toEqual({ where: 'storage', files: 'XFS' });
  });

  it('without a stack waits nobody knows where', () => {
    expect(valuesOf('INFO: task kworker/u64:3:911 blocked for more than 120 seconds.', 'os.hung-task')).toEqual([
      { task: 'kworker/u64:3', pid: 911, seconds: 120, where: 'unknown', files: null, frames: [] },
    ]);
  });
});
