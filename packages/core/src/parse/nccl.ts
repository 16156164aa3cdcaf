// Lines of NCCL_DEBUG and of nccl-tests.
//
// trn-0412:52011:52011 [0] NCCL INFO cudaDriverVersion 12040
// NCCL version 2.21.5+cuda12.4
// trn-0412:52011:52144 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.4.12<0>
// trn-0412:52011:52144 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'
// trn-0412:52011:52144 [0] NCCL INFO Using network IB
// trn-0412:52011:52144 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive] via NET/IB/0/GDRDMA
// trn-0412:52011:52144 [0] NCCL INFO ncclCommInitRank comm 0x55d1c2a0 rank 0 nranks 16 ... - Init COMPLETE
// #  Rank  0 Group  0 Pid 919753 on     node-a device  0 [0x18] NVIDIA H100 80GB HBM3
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { gpuName } from './gpu-state.ts';
import { cudaMinor, ncclRelease } from './releases.ts';

export const nccl: Parser = {
  id: 'nccl',
  literals: ['nccl', 'net/socket', 'net/ib', '[0x', 'init complete', 'using network'],
  parse(_document, hits, sink) {
    const transports = new Set<string>();
    for (const line of hits) {
      if (line.prompt) continue;
      const text = line.clean;
      // nccl-tests prints `# ` before its lines.
      const rank =
        /^# {1,6}Rank {1,6}\d{1,6}(?: Group {1,4}\d{1,4})? Pid {1,8}\d{1,9} on {1,40}\S{1,80} device {1,4}\d{1,3} \[\S{2,20}\] (\S.{1,80})$/.exec(
          text,
        );
      if (rank !== null) {
        const name = gpuName(rank[1]);
        if (name !== null) sink.add('gpu.name', name, line, { told: false });
        continue;
      }
      if (line.told) continue;
      readVersions(text, line, sink);
      readNetwork(text, line, sink);
      if (/\bInit COMPLETE\b/.test(text)) {
        sink.add('nccl.init-complete', true, line);
        sink.add('works', { what: 'NCCL set up its communicator', layer: 'nccl' }, line);
      }
      const via = /\bvia ((?:P2P|SHM|NET|COLLNET|NVLS|direct)[\w/ .-]{0,60})/.exec(text)?.[1]?.trim();
      if (via !== undefined && !transports.has(via) && transports.size < 40) {
        transports.add(via);
        sink.add('nccl.transport', via.replace(/^NET\/(\w{1,20})\/\d{1,4}/, 'NET/$1'), line);
      }
    }
  },
};

function readVersions(text: string, line: Line, sink: FactSink): void {
  const version = ncclRelease(/\bNCCL version (\d{1,2}\.\d{1,2}\.\d{1,2}(?:\+cuda\d{1,2}\.\d{1,2})?)/.exec(text)?.[1]);
  if (version !== null) sink.add('nccl.version', version, line);
  const driver = cudaMinor(/\bcudaDriverVersion (\d{4,5})\b/.exec(text)?.[1]);
  if (driver !== null) sink.add('driver.cuda', driver, line);
  const mismatch =
    /Mismatched NCCL version detected : rank \d{1,6} version (\d{4,5}) rank \d{1,6} version (\d{4,5})/.exec(text);
  for (const code of mismatch === null ? [] : [mismatch[1]!, mismatch[2]!]) {
    const found = ncclRelease(code);
    if (found !== null) sink.add('nccl.version', found, line);
  }
}

function readNetwork(text: string, line: Line, sink: FactSink): void {
  const socket = /\bNET\/Socket ?: Using (\[\d{1,3}\].{1,1900})$/.exec(text);
  if (socket !== null) {
    const names = [...socket[1]!.matchAll(/\[\d{1,3}\]([\w.@-]{1,40}):/g)].map((match) => match[1]!);
    if (names.length > 0) sink.add('nccl.interfaces', names, line);
  }
  const bootstrap = /\bBootstrap ?: Using (?:\[\d{1,3}\])?([\w.@-]{1,40}):/.exec(text);
  if (bootstrap !== null) sink.add('nccl.interfaces', [bootstrap[1]!], line);
  const ib = /\bNET\/IB ?: Using (\[\d{1,3}\].{1,1900})$/.exec(text);
  if (ib !== null) {
    const names = [...ib[1]!.matchAll(/\[\d{1,3}\]([\w.-]{1,40}):\d{1,3}\/(?:IB|RoCE)/g)].map((match) => match[1]!);
    if (names.length > 0) sink.add('nccl.interfaces', names, line);
  }
  const network = /\bUsing network (\S.{0,59}?)\s{0,8}$/.exec(text);
  if (network !== null) sink.add('nccl.net', network[1]!, line);
  else if (socket !== null) sink.add('nccl.net', 'Socket', line);
  const gdr = /\bGPU Direct RDMA (?:\(\w{1,20}\) )?(Enabled|Disabled) for HCA \d{1,3} '([^']{1,40})'/i.exec(text);
  if (gdr !== null) sink.add('nccl.gdr', { adapter: gdr[2]!, enabled: /^enabled$/i.test(gdr[1]!) }, line);
}
