// Tasks that the kernel finds blocked, each with the stack below its line.
//
// INFO: task python:48213 blocked for more than 120 seconds.
//       Tainted: P           OE     5.15.0-91-generic #101-Ubuntu
// "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
// task:python          state:D stack:    0 pid:48213 ppid: 29990 flags:0x00004002
// Call Trace:
//  <TASK>
//  __schedule+0x2cd/0x890
//  schedule+0x69/0x110
//  ll_file_io_generic+0x3a8/0xa70 [lustre]
//
// Source: kernel/hung_task.c of Linux. The first frame that belongs to a file system, a disk, an adapter or the GPU
// driver says where the task waits: the frames above it are the scheduler and its locks.
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { Parser } from './parser.ts';

type Hung = FactValues['os.hung-task'];

const mostLines = 90;
const mostFrames = 40;

/** Kernel modules of file systems, network file systems and disks. */
const storageModules: Readonly<Record<string, string>> = {
  nfs: 'NFS',
  nfsv3: 'NFS',
  nfsv4: 'NFS',
  nfsd: 'NFS',
  sunrpc: 'NFS',
  rpcrdma: 'NFS',
  lockd: 'NFS',
  lustre: 'Lustre',
  lov: 'Lustre',
  mdc: 'Lustre',
  osc: 'Lustre',
  ptlrpc: 'Lustre',
  obdclass: 'Lustre',
  lmv: 'Lustre',
  fid: 'Lustre',
  ksocklnd: 'Lustre',
  ko2iblnd: 'Lustre',
  lnet: 'Lustre',
  mmfs26: 'GPFS',
  mmfslinux: 'GPFS',
  tracedev: 'GPFS',
  wekafsio: 'WekaFS',
  wekafsgw: 'WekaFS',
  beegfs: 'BeeGFS',
  ceph: 'Ceph',
  libceph: 'Ceph',
  rbd: 'Ceph',
  cifs: 'SMB',
  fuse: 'FUSE',
  gfs2: 'GFS2',
  ocfs2: 'OCFS2',
  ext4: 'ext4',
  jbd2: 'ext4',
  xfs: 'XFS',
  btrfs: 'Btrfs',
  zfs: 'ZFS',
  spl: 'ZFS',
  overlay: 'overlayfs',
  f2fs: 'F2FS',
  nvme: 'NVMe',
  nvme_core: 'NVMe',
  dm_mod: 'device mapper',
  md_mod: 'MD',
  raid1: 'MD',
  raid456: 'MD',
  scsi_mod: 'SCSI',
  sd_mod: 'SCSI',
  libata: 'ATA',
  nvidia_fs: 'GPUDirect Storage',
};

/** Functions that are built in, by the start of their names. */
const storageNames: readonly (readonly [RegExp, string])[] = [
  [/^(?:nfs\d?_|nfs4_|rpc_|xprt_|__rpc_)/, 'NFS'],
  [/^(?:ll_|osc_|ptlrpc_|ldlm_|mdc_|lov_|cl_(?:io|sync|lock|object)_)/, 'Lustre'],
  [/^(?:mmfs|cxi|gpfs)/i, 'GPFS'],
  [/^(?:FhgfsOps|beegfs|__FhgfsOps)/, 'BeeGFS'],
  [/^weka/, 'WekaFS'],
  [/^ceph_/, 'Ceph'],
  [/^(?:cifs_|smb2_|SMB2_)/, 'SMB'],
  [/^(?:fuse_|request_wait_answer|__fuse_)/, 'FUSE'],
  [
    /^(?:ext4_|__ext4_|jbd2_|do_get_write_access|wait_transaction_locked|add_transaction_credits|start_this_handle)/,
    'ext4',
  ],
  [/^(?:xfs_|xlog_)/, 'XFS'],
  [/^btrfs_/, 'Btrfs'],
  [/^(?:zfs_|zio_|txg_|dmu_|zil_|arc_)/, 'ZFS'],
  [/^(?:nvme_|nvmf_)/, 'NVMe'],
  [
    /^(?:io_schedule|bit_wait_io|wait_on_page|wait_on_buffer|__wait_on_buffer|folio_wait|wait_on_page_bit|blk_|bdev_|blkdev_|submit_bio|__submit_bio|bio_|dm_|md_|iomap_|filemap_|__filemap_|wait_for_completion_io|jbd_|sync_inodes|writeback_|wb_wait|balance_dirty_pages|rq_qos_|scsi_|__bread)/,
    'block layer',
  ],
];

const driverModules: ReadonlySet<string> = new Set([
  'nvidia',
  'nvidia_uvm',
  'nvidia_modeset',
  'nvidia_drm',
  'nvidia_peermem',
]);
const driverNames = /^(?:nvidia_|uvm_|nvlink_|nvswitch_|_nv\d{3,7}rm|nvkms_|rm_(?!map)\w)/;
const networkModules = /^(?:mlx[45]_|ib_|rdma_|iw_|bnxt_|irdma|efa|hfi1|qed)/;
const networkNames = /^(?:mlx[45]_|ib_|rdma_|rtnl_lock|rtnetlink_|ucma_|uverbs_|wait_for_device|netdev_)/;

/** Where one stack waits; null where no frame says. */
export function waitsIn(
  frames: readonly { readonly name: string; readonly module: string | null }[],
): Pick<Hung, 'where' | 'files'> {
  for (const { name, module } of frames) {
    const fromModule = module === null ? undefined : storageModules[module];
    if (fromModule !== undefined) return { where: 'storage', files: fromModule };
    if ((module !== null && driverModules.has(module)) || driverNames.test(name))
      return { where: 'gpu-driver', files: null };
    if (module !== null && networkModules.test(module)) return { where: 'network', files: null };
    const named = storageNames.find(([pattern]) => pattern.test(name));
    // The block layer waits for whichever file system stands below it.
    if (named !== undefined) return { where: 'storage', files: named[1] === 'block layer' ? below(frames) : named[1] };
    if (module === null && networkNames.test(name)) return { where: 'network', files: null };
  }
  return { where: 'unknown', files: null };
}

function below(frames: readonly { readonly name: string; readonly module: string | null }[]): string {
  for (const { name, module } of frames) {
    const found =
      (module === null ? undefined : storageModules[module]) ??
      storageNames.find(([pattern]) => pattern.test(name))?.[1];
    if (found !== undefined && found !== 'block layer') return found;
  }
  return 'block layer';
}

export const hungTasks: Parser = {
  id: 'kernel-log-hung',
  failures: true,
  literals: [' blocked for more than'],
  keep: { before: 0, after: 45 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      if (hit.prompt || hit.told) continue;
      const head = /\bINFO: task (\S{1,40}(?: \S{1,16}){0,3}):(\d{1,9}) blocked for more than (\d{1,6}) seconds/.exec(
        hit.clean,
      );
      if (head === null) continue;
      const { frames, lines } = stackBelow(document, hit);
      const { where, files } = waitsIn(frames);
      const telling = lines.filter((line) => where !== 'unknown' && tells(line.clean, where)).slice(0, 2);
      sink.add(
        'os.hung-task',
        {
          task: head[1]!,
          pid: Number(head[2]),
          seconds: Number(head[3]),
          where,
          files,
          frames: frames.slice(0, 12).map((frame) => frame.name),
        },
        [hit, ...telling],
      );
    }
  },
};

const frame = /(?:^|[\s\]])(\?? ?)([A-Za-z_][\w.]{1,90})\+0x[0-9a-f]{1,8}\/0x[0-9a-f]{1,8}(?: \[(\w{1,40})\])?/;

function tells(text: string, where: Hung['where']): boolean {
  const match = frame.exec(text);
  return match !== null && waitsIn([{ name: match[2]!, module: match[3] ?? null }]).where === where;
}

function stackBelow(
  document: Document,
  head: Line,
): {
  readonly frames: readonly { readonly name: string; readonly module: string | null }[];
  readonly lines: readonly Line[];
} {
  const frames: { name: string; module: string | null }[] = [];
  const lines: Line[] = [];
  for (const line of document.lines.slice(head.index + 1, head.index + mostLines)) {
    if (line.prompt || line.told || frames.length >= mostFrames) break;
    const text = line.clean;
    if (/\bINFO: |\binvoked oom-killer|\bCPU: \d|Sending NMI/.test(text)) break;
    if (head.origin.host !== undefined && line.origin.host !== undefined && line.origin.host !== head.origin.host)
      continue;
    const match = text.length > 400 ? null : frame.exec(text);
    // Frames with a question mark are leftovers of the stack, not callers. `RIP:` begins the registers of user space.
    if (/\bRIP: /.test(text)) break;
    if (match === null || match[1]!.startsWith('?')) continue;
    frames.push({ name: match[2]!, module: match[3] ?? null });
    lines.push(line);
  }
  return { frames, lines };
}
