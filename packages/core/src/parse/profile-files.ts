// What the head of a profile tells of the machine it was made on.
//
// {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0}],
//  "cuda_runtime_version": 12060, "cuda_driver_version": 12080, "distributedInfo": {"nccl_version": "2.21.5"}, "traceEvents": [ … ]}
// INSERT INTO TARGET_INFO_GPU VALUES (0,0,'NVIDIA H100 80GB HBM3','0000:19:00.0', … ,9,0);     (Nsight Systems, SQLite)
import type { Parser } from './parser.ts';
import { gpuName } from './gpu-state.ts';
import { objectsOf } from './objects.ts';
import { cudaMinor, ncclRelease } from './releases.ts';
import { at, listAt, textAt } from './tree.ts';

export const traceHead: Parser = {
  id: 'kineto',
  literals: ['"deviceproperties"', '"cuda_driver_version"'],
  keep: { before: 2, after: 40 },
  parse(document, _hits, sink) {
    for (const { root } of objectsOf(document)) {
      if (at(root, 'deviceProperties') === undefined && at(root, 'traceEvents') === undefined) continue;
      for (const device of listAt(root, 'deviceProperties')) {
        const name = at(device, 'name');
        const model = gpuName(name?.text ?? undefined);
        if (name !== undefined && model !== null) sink.add('gpu.name', model, name.line);
        const cc = `${textAt(device, 'computeMajor') ?? ''}.${textAt(device, 'computeMinor') ?? ''}`;
        if (/^\d{1,2}\.\d$/.test(cc)) sink.add('gpu.compute-capability', cc, at(device, 'computeMajor')!.line);
      }
      for (const [key, id] of [
        ['cuda_driver_version', 'driver.cuda'],
        ['cuda_runtime_version', 'toolkit.runtime'],
      ] as const) {
        const value = at(root, key);
        const cuda = value?.text === '0' ? null : cudaMinor(value?.text ?? undefined);
        if (value !== undefined && cuda !== null) sink.add(id, cuda, value.line);
      }
      const nccl = at(root, 'distributedInfo', 'nccl_version');
      const version = ncclRelease(nccl?.text ?? undefined);
      if (nccl !== undefined && version !== null) sink.add('nccl.version', version, nccl.line);
    }
  },
};

export const systemsExport: Parser = {
  id: 'nsys-sqlite',
  literals: ['target_info_gpu'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      const row = /^INSERT INTO "?TARGET_INFO_GPU"? VALUES ?\(\d{1,6},\d{1,6},'([^']{2,80})',/.exec(line.clean);
      const name = gpuName(row?.[1]);
      if (name === null || line.prompt) continue;
      sink.add('gpu.name', name, line);
      const cc = /,(\d{1,2}),(\d)\);?\s*$/.exec(line.clean);
      if (cc !== null) sink.add('gpu.compute-capability', `${cc[1]!}.${cc[2]!}`, line);
    }
  },
};
