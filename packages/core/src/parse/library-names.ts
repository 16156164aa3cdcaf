// Library names without a folder, and devices that a one-line program prints among other things.
//
// $ pip show -f nvidia-cudnn-cu12 | grep libcudnn_ops
//   nvidia/cudnn/lib/libcudnn_ops.so.9
// $ ls torch/lib | grep nvrtc
// libnvrtc-08c4863f.so.11.2
// $ python -c "import torch; print(torch.__version__, torch.cuda.get_device_name(), torch.cuda.get_device_capability())"
// 2.1.0+cu118 NVIDIA L4 (8, 9)
import type { Parser } from './parser.ts';
import { gpuName } from './gpu-state.ts';

const listing = /\b(?:ls|find|locate|plocate|tree|rpm|dpkg|pip3? show|unzip|tar|conda list|grep|fd|xargs|basename)\b/;
const name =
  /^(?:[-\w: ]{0,60} )?((?:[\w.@+-]{1,80}\/){0,12}lib(?:cu|nv|nccl)[\w-]{1,60}\.so(?:\.\d{1,6}){1,5})(?:\s*->\s*\S{1,200})?$/;

export const libraryNames: Parser = {
  id: 'library-names',
  literals: ['.so.'],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told || line.command === null || !listing.test(line.command)) continue;
      // `ldconfig -p` and `ldd` say more than a name; their own readers take them.
      if (line.clean.includes('=>') || /\b(?:ldconfig|ldd)\b/.test(line.command)) continue;
      const found = name.exec(line.clean.trim())?.[1];
      if (found === undefined) continue;
      const folder = /\bls(?: -\w{1,8})* ([\w./@+-]{1,200}?)\/?(?=$|[ |;&])/.exec(line.command)?.[1];
      sink.add(
        'file.exists',
        found.includes('/') || folder === undefined || folder.includes('.so') ? found : `${folder}/${found}`,
        line,
      );
    }
  },
};

export const printedDevices: Parser = {
  id: 'python',
  literals: ['nvidia ', 'tesla ', 'geforce ', 'quadro ', 'major='],
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const properties = /_CudaDeviceProperties\(name='([^']{3,80})', major=(\d{1,2}), minor=(\d)/.exec(line.clean);
      if (properties !== null) {
        const full = gpuName(properties[1]);
        if (full !== null) sink.add('gpu.name', full, line);
        sink.add('gpu.compute-capability', `${properties[2]}.${properties[3]}`, line);
        continue;
      }
      if (line.command === null || !/get_device_(?:name|capability|properties)/.test(line.command)) continue;
      const device = /((?:NVIDIA|Tesla|GeForce|Quadro)[\w -]{2,60}?)(?: \((\d{1,2}), ?(\d)\)|$)/.exec(line.clean);
      if (device === null) continue;
      const full = gpuName(device[1]);
      if (full !== null) sink.add('gpu.name', full, line);
      if (device[2] !== undefined) sink.add('gpu.compute-capability', `${device[2]}.${device[3]}`, line);
    }
  },
};
