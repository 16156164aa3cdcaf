import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing.ts';
import { containerStartedWithoutGpus } from './container-started-without-gpus.ts';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'fault where the command asks for none, and another finds them',
    'fault proved',
    '$ docker run -d --name ollama ollama/ollama\n$ docker logs ollama\ntime=2025-03-02T10:01:22.678Z level=INFO source=gpu.go:377 msg="no compatible GPUs were discovered"\n$ docker run --rm --gpus all ubuntu nvidia-smi -L\nGPU 0: NVIDIA GeForce RTX 4070 (UUID: GPU-52b8d3ef-aaaa-4a36-9f5c-0e4c33f51d90)',
  ],
  [
    'likely where only its command stands there',
    'fault likely',
    '$ podman run --rm pytorch/pytorch python -c "import torch; print(torch.cuda.is_available())"\nFalse',
  ],
  [
    'unknown where the logs are of another container',
    'unknown',
    '$ docker run -d --name web nginx\n$ docker logs ollama\ntime=2025-03-02T10:01:22.678Z level=INFO source=gpu.go:377 msg="no compatible GPUs were discovered"',
  ],
  [
    'fault where the image says so and nothing was asked for',
    'fault proved',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n   Use the NVIDIA Container Toolkit to start this container with GPU support; see\n   https://docs.nvidia.com/datacenter/cloud-native/ .\n$ docker inspect web\n[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Runtime": "runc",\n   "Devices": [],\n   "DeviceRequests": null\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]',
  ],
  [
    'fault where the program finds no GPU',
    'fault proved',
    '$ docker inspect web\n[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Runtime": "runc",\n   "Devices": [],\n   "DeviceRequests": []\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]\n$ docker exec web python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx',
  ],
  [
    'likely where the runtime is not shown',
    'fault likely',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n   Use the NVIDIA Container Toolkit to start this container with GPU support; see\n   https://docs.nvidia.com/datacenter/cloud-native/ .\n$ docker inspect web\n[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Devices": [],\n   "DeviceRequests": null\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]',
  ],
  [
    'cleared where GPUs were asked for',
    'cleared',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n   Use the NVIDIA Container Toolkit to start this container with GPU support; see\n   https://docs.nvidia.com/datacenter/cloud-native/ .\n[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Runtime": "runc",\n   "Devices": [],\n   "DeviceRequests": [\n    {\n     "Driver": "",\n     "Count": -1,\n     "DeviceIDs": null,\n     "Capabilities": [\n      [\n       "gpu"\n      ]\n     ],\n     "Options": {}\n    }\n   ]\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]',
  ],
  [
    'cleared under the NVIDIA runtime',
    'cleared',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n   Use the NVIDIA Container Toolkit to start this container with GPU support; see\n   https://docs.nvidia.com/datacenter/cloud-native/ .\n[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Runtime": "nvidia",\n   "Devices": [],\n   "DeviceRequests": null\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]',
  ],
  [
    'cleared where the nodes were given by hand',
    'cleared',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n   Use the NVIDIA Container Toolkit to start this container with GPU support; see\n   https://docs.nvidia.com/datacenter/cloud-native/ .\n[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Runtime": "runc",\n   "Devices": [\n    {\n     "PathOnHost": "/dev/nvidia0",\n     "PathInContainer": "/dev/nvidia0",\n     "CgroupPermissions": "rwm"\n    }\n   ],\n   "DeviceRequests": null\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]',
  ],
  [
    'unknown by the message alone',
    'unknown',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n   Use the NVIDIA Container Toolkit to start this container with GPU support; see\n   https://docs.nvidia.com/datacenter/cloud-native/ .',
  ],
  [
    'possible where the image asks and nothing was injected',
    'fault possible',
    "@culprit-probe 1 2026-11-30T13:00:13Z root=/tmp/x2 pid=- gate=no\n@ container-marks ls /.dockerenv\n|/.dockerenv\n@= exit=0 ms=0\n@ device-nodes ls -l /dev/nvidia*\n|ls: cannot access '/dev/nvidia*': No such file or directory\n@= exit=absent ms=0\n@ mountinfo cat /proc/self/mountinfo\n|643 512 0:97 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n@= exit=0 ms=0\n@ environment env\n|NVIDIA_VISIBLE_DEVICES=all\n@= exit=0 ms=0\n@culprit-end sections=27 ms=40\n",
  ],
  [
    'silent where the variable asks for none',
    'silent',
    "@culprit-probe 1 2026-11-30T13:00:13Z root=/tmp/x2 pid=- gate=no\n@ container-marks ls /.dockerenv\n|/.dockerenv\n@= exit=0 ms=0\n@ device-nodes ls -l /dev/nvidia*\n|ls: cannot access '/dev/nvidia*': No such file or directory\n@= exit=absent ms=0\n@ mountinfo cat /proc/self/mountinfo\n|643 512 0:97 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n@= exit=0 ms=0\n@ environment env\n|NVIDIA_VISIBLE_DEVICES=void\n@= exit=0 ms=0\n@culprit-end sections=27 ms=40\n",
  ],
  [
    'silent for a container that wants none',
    'silent',
    '[\n {\n  "Id": "abababababababababababababababababababababababababababababababab",\n  "Name": "/web",\n  "State": {\n   "Status": "running",\n   "ExitCode": 0,\n   "OOMKilled": false,\n   "Error": ""\n  },\n  "HostConfig": {\n   "Runtime": "runc",\n   "Devices": [],\n   "DeviceRequests": null\n  },\n  "Config": {\n   "Image": "nvcr.io/nvidia/pytorch:25.01-py3",\n   "Env": [\n    "PATH=/usr/bin"\n   ]\n  }\n }\n]',
  ],
  [
    'Apptainer, with --nv behind the image',
    'fault likely',
    '$ apptainer exec /sw/md.sif --nv nvidia-smi\nbash: nvidia-smi: command not found',
  ],
  [
    'a shell of Singularity without --nv',
    'fault likely',
    '$ singularity shell docker://pytorch/pytorch\nSingularity> python -c "import torch; torch.zeros(1).cuda()"\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx',
  ],
  [
    'near miss: Apptainer with --nv',
    'silent',
    '$ apptainer exec --nv /sw/md.sif gmx mdrun\nbash: gmx: command not found',
  ],
  [
    'near miss: a container for a program that needs no GPU',
    'silent',
    '$ apptainer exec tools.sif samtools --version\nsamtools 1.17',
  ],
];

describe('container-runtime/container-started-without-gpus', () => {
  it.each(cases)('%s', (_, expected, text) => {
    const answer = outcomeOf(containerStartedWithoutGpus, text);
    expect(answer.kind === 'fault' ? `fault ${answer.certainty}` : answer.kind).toBe(expected);
  });
});
