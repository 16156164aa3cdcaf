import { describe, expect, test } from 'vitest';
import { table } from './testing.ts';

type Expected = Readonly<Record<string, readonly unknown[]>>;

const rows: readonly (readonly [what: string, text: string, expected: Expected])[] = [
  [
    'modules that a search did not show are absent',
    '$ lsmod | grep nvidia\nnvidia              12144640  0\n',
    {
      'modules.loaded': [['nvidia']],
      'modules.absent': [['nvidia_uvm', 'nvidia_modeset', 'nvidia_drm', 'nvidia_peermem', 'nvidia_fs', 'nvidiafb']],
    },
  ],
  [
    'a search that printed nothing',
    "$ lsmod | grep -E 'mlx5_ib|ib_umad' ; echo rc=$?\nrc=1\n",
    { 'modules.absent': [['mlx5_ib', 'ib_umad']] },
  ],
  [
    'a count of none',
    '$ lsmod | grep -c peermem\n0\n',
    { 'modules.absent': [['nvidia_peermem']], 'modules.loaded': [] },
  ],
  [
    'a count that says nothing of names',
    '$ lsmod | grep -c nvidia\n4\n',
    { 'modules.absent': [], 'modules.loaded': [] },
  ],
  [
    'a tool that is not there shows no absence',
    '$ lsmod | grep nvidia\nbash: lsmod: command not found\n',
    { 'modules.absent': [] },
  ],
  [
    'a whole list shows absence',
    '$ lsmod\nModule                  Size  Used by\nnvidia              56553472  0\nnouveau              1716224  1\n',
    { 'modules.loaded': [['nvidia', 'nouveau']] },
  ],
  [
    'device nodes',
    '$ ls /dev/nvidia*\n/dev/nvidia0  /dev/nvidiactl\n',
    { 'devices.listed': [['/dev/nvidia0', '/dev/nvidiactl']] },
  ],
  [
    'no device nodes',
    "$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory\n",
    { 'devices.listed': [[]] },
  ],
  [
    'a link of the driver library names its release',
    '$ ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.1\nlrwxrwxrwx 1 root root 20 May  5 12:01 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.570.124.06\n',
    {
      'driver.library': ['570.124.06'],
      'file.link': [
        { path: '/usr/lib/x86_64-linux-gnu/libcuda.so.1', target: '/usr/lib/x86_64-linux-gnu/libcuda.so.570.124.06' },
      ],
    },
  ],
  [
    'a file that merely lies there does not',
    '$ ls /usr/lib/x86_64-linux-gnu/libcuda.so.*\n/usr/lib/x86_64-linux-gnu/libcuda.so.1\n/usr/lib/x86_64-linux-gnu/libcuda.so.470.256.02\n',
    { 'driver.library': [] },
  ],
  [
    'names below the folder that was listed',
    "$ ls /usr/lib/x86_64-linux-gnu | grep -E 'libcuda.so|nvvm'\nlibcuda.so.1\nlibnvidia-nvvm.so.4\n",
    { 'file.exists': ['/usr/lib/x86_64-linux-gnu/libcuda.so.1', '/usr/lib/x86_64-linux-gnu/libnvidia-nvvm.so.4'] },
  ],
  ['a count of files is no file', '$ ls /sys/class/infiniband 2>/dev/null | wc -l\n0\n', { 'file.exists': [] }],
  ['a variable that is empty', '$ echo $LD_LIBRARY_PATH\n\n', { env: [{ name: 'LD_LIBRARY_PATH', value: '' }] }],
  [
    'two variables between brackets',
    '$ echo "[$LD_LIBRARY_PATH] [$NVIDIA_VISIBLE_DEVICES]"\n[] [all]\n',
    {
      env: [
        { name: 'LD_LIBRARY_PATH', value: '' },
        { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' },
      ],
    },
  ],
  [
    'variables that a search did not find are unset',
    '$ docker inspect web | grep -c NVIDIA_DRIVER\n0\n',
    { env: [{ name: 'NVIDIA_DRIVER_CAPABILITIES', value: '' }] },
  ],
  [
    'variables before a command',
    '$ CUDA_VISIBLE_DEVICES=4,5 torchrun train.py\n',
    { env: [{ name: 'CUDA_VISIBLE_DEVICES', value: '4,5' }] },
  ],
  [
    'variables of a container',
    '$ docker run --rm -e NVIDIA_DRIVER_CAPABILITIES=utility img:1 nvidia-smi\n',
    { env: [{ name: 'NVIDIA_DRIVER_CAPABILITIES', value: 'utility' }] },
  ],
  [
    'a command that a line sets variables for',
    'CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc 2 train.py\n',
    { env: [{ name: 'CUDA_VISIBLE_DEVICES', value: '0,1' }] },
  ],
  [
    'a value with blanks',
    'NVIDIA_REQUIRE_CUDA=cuda>=12.8 brand=tesla,driver>=470\n',
    { 'image.requirement': ['cuda>=12.8 brand=tesla,driver>=470'] },
  ],
  [
    'an instruction that sets two',
    'ENV NVIDIA_VISIBLE_DEVICES=all CUDA_HOME="/usr/local/cuda"\n',
    {
      env: [
        { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' },
        { name: 'CUDA_HOME', value: '/usr/local/cuda' },
      ],
    },
  ],
  [
    'what a project asks for is not installed',
    '$ cat requirements.txt\ntorch==2.1.0\n',
    { package: [], 'torch.version': [] },
  ],
  ['secrets are left alone', 'NCCL_AUTH_TOKEN=abc\nCUDA_SECRET=1\nHF_TOKEN=hf_x\n', { env: [] }],
  [
    'what Python printed, by expression',
    '$ python3 -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"\n2.7.1+cu126 12.6 False\n',
    { 'torch.version': ['2.7.1+cu126'], 'torch.cuda': ['12.6'], 'torch.cuda-available': [false], works: [] },
  ],
  [
    'several prints with a warning between',
    '$ python -c "import torch; print(torch.version.cuda); print(torch.cuda.is_available())"\n/x/torch/cuda/__init__.py:118: UserWarning: CUDA initialization: broken\n  return torch._C._cuda_getDeviceCount() > 0\nNone\nFalse\n',
    { 'torch.cuda': [null], 'torch.cuda-available': [false] },
  ],
  [
    'values below the log of a library',
    '$ python -c "import tensorflow as tf; print(tf.config.list_physical_devices(\'GPU\')); print(tf.__version__)"\n2024-05-05 10:00:00.000000: E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:282] failed call to cuInit: x\n[]\n2.16.1\n',
    { 'framework.devices': [0], 'framework.version': [{ name: 'tensorflow', version: '2.16.1' }] },
  ],
  [
    'answers at a Python prompt',
    ">>> torch.cuda.get_arch_list()\n['sm_50', 'sm_90', 'compute_90']\n>>> torch.cuda.device_count()\n8\n>>> torch.cuda.get_device_capability(0)\n(9, 0)\n",
    {
      'torch.arch-list': [['sm_50', 'sm_90', 'compute_90']],
      'framework.devices': [8],
      'gpu.compute-capability': ['9.0'],
    },
  ],
  ['JAX on the CPU', '>>> jax.devices()\n[CpuDevice(id=0)]\n', { 'framework.devices': [0], works: [] }],
  ['JAX on the GPU', '>>> jax.devices()\n[CudaDevice(id=0), CudaDevice(id=1)]\n', { 'framework.devices': [2] }],
  ['a value behind an arrow', 'driver process: torch.cuda.device_count() -> 8\n', { 'framework.devices': [8] }],
  [
    'a variable of the program',
    'os.environ["CUDA_VISIBLE_DEVICES"] -> \'\'\n',
    { env: [{ name: 'CUDA_VISIBLE_DEVICES', value: '' }] },
  ],
  ['the C library', '$ ldd --version | head -1\nldd (GNU libc) 2.28\n', { 'os.glibc': ['2.28'] }],
  [
    'the kernel of WSL',
    '$ uname -r\n5.15.153.1-microsoft-standard-WSL2\n',
    { 'os.kernel': ['5.15.153.1-microsoft-standard-WSL2'], 'os.platform': ['wsl'] },
  ],
  [
    'Jetson',
    '$ head -1 /etc/nv_tegra_release\n# R32 (release), REVISION: 4.3, GCID: 0, BOARD: t210ref, EABI: aarch64\n',
    { 'os.platform': ['jetson'] },
  ],
  ['secure boot', '$ mokutil --sb-state\nSecureBoot enabled\n', { 'secure-boot': ['enabled'] }],
  [
    'a unit that is not installed',
    '$ systemctl status nvidia-fabricmanager\nUnit nvidia-fabricmanager.service could not be found.\n',
    { 'os.service': [{ unit: 'nvidia-fabricmanager', state: 'missing' }] },
  ],
  [
    'a unit that failed',
    '$ systemctl status nvidia-fabricmanager\n● nvidia-fabricmanager.service - NVIDIA fabric manager service\n     Loaded: loaded\n     Active: failed (Result: exit-code)\n',
    { 'os.service': [{ unit: 'nvidia-fabricmanager', state: 'failed' }] },
  ],
  [
    'packages of the driver',
    '$ dpkg -l | grep nvidia\nii  nvidia-smi                525.85.12-1            amd64  NVIDIA System Management Interface\nii  nvidia-dkms-525           525.85.12-0ubuntu1     amd64  module\nrc  libnvidia-compute-470     470.256.02-0ubuntu1    amd64  removed\n',
    { 'driver.library': ['525.85.12'], 'driver.module-file': ['525.85.12'] },
  ],
  [
    'packages of the driver on an rpm system',
    '$ rpm -qa | grep -i nvidia\nkmod-nvidia-open-dkms-550.54.15-1.el9.x86_64\nnvidia-driver-cuda-libs-550.54.15-1.el9.x86_64\nnvidia-fabric-manager-550.54.15-1.x86_64\n',
    { 'driver.library': ['550.54.15'], 'driver.module-file': ['550.54.15'] },
  ],
  [
    'modules that were built, and one that was only added',
    '$ dkms status\nnvidia/550.54.15, 5.15.0-119-generic, x86_64: installed\nnvidia/570.124.06: added\n',
    {
      'driver.dkms': [
        { module: 'nvidia', version: '550.54.15', kernel: '5.15.0-119-generic', state: 'installed' },
        { module: 'nvidia', version: '570.124.06', kernel: null, state: 'added' },
      ],
      'driver.module-file': ['550.54.15'],
    },
  ],
  [
    'the toolkit of containers',
    '$ nvidia-ctk --version\nNVIDIA Container Toolkit CLI version 1.17.8\n',
    { 'container.toolkit-version': ['1.17.8'] },
  ],
  [
    'the image of a run',
    '$ docker run --rm --gpus all -v /a:/b nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi\n',
    { 'image.reference': ['nvidia/cuda:12.4.1-base-ubuntu22.04'], 'image.cuda': ['12.4.1'] },
  ],
  [
    'a compose file',
    'services:\n  llm:\n    image: vllm/vllm-openai:v0.9.1\n',
    { 'image.reference': ['vllm/vllm-openai:v0.9.1'] },
  ],
  [
    'a Dockerfile',
    'FROM nvcr.io/nvidia/pytorch:24.05-py3 AS base\nENV NVIDIA_VISIBLE_DEVICES all\n',
    {
      'image.reference': ['nvcr.io/nvidia/pytorch:24.05-py3'],
      env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }],
    },
  ],
  [
    'the size of shared memory',
    '$ df -h /dev/shm\nFilesystem      Size  Used Avail Use% Mounted on\nshm              64M     0   64M   0% /dev/shm\n',
    { 'os.shm-mib': [64] },
  ],
  ['locked memory', '$ ulimit -l\n65536\n', { 'os.memlock-kib': [65536] }],
  ['locked memory without a limit', '$ ulimit -l\nunlimited\n', { 'os.memlock-kib': [] }],
  [
    'who holds the devices',
    '$ lsof /dev/nvidia*\nCOMMAND  PID USER   FD   TYPE  DEVICE SIZE/OFF NODE NAME\nXorg    1402 root  mem    CHR 195,255          640 /dev/nvidiactl\n',
    { 'gpu.holders': [['Xorg']] },
  ],
  [
    'access control of a bridge',
    '\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n',
    { 'pci.acs-redirect': ['ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-'] },
  ],
  [
    'access control that is off',
    '\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-\n',
    { 'pci.acs-redirect': [] },
  ],
  ['a list of GPUs that was counted', '$ nvidia-smi -L | wc -l\n8\n', { 'gpu.count': [8], 'driver.answers': [true] }],
  ['an error that was counted', '$ nvidia-smi -L | wc -l\n1\n', { 'gpu.count': [], 'driver.answers': [] }],
  [
    'a part of the long report',
    '$ nvidia-smi -q | grep -A2 Fabric\n    Fabric\n        State                             : In Progress\n        Status                            : N/A\n',
    { 'gpu.fabric-state': ['In Progress'] },
  ],
  [
    'one line of the long report',
    "$ nvidia-smi -q -d COMPUTE | grep 'Compute Mode'\n    Compute Mode                    : Exclusive_Thread\n",
    { 'gpu.compute-mode': ['Exclusive_Thread'] },
  ],
  [
    'a lone field',
    '$ nvidia-smi --query-gpu=driver_version --format=csv,noheader\n418.87.00\n',
    { 'driver.version': ['418.87.00'] },
  ],
  [
    'a lone field that failed',
    '$ nvidia-smi --query-gpu=name --format=csv,noheader\nNo devices were found\n',
    { 'gpu.name': [], 'gpu.state': [] },
  ],
  [
    'a notebook',
    '!nvidia-smi -L\nGPU 0: Tesla T4 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n',
    { 'gpu.name': ['Tesla T4'], 'gpu.count': [1] },
  ],
];

describe('what commands and their output say', () => {
  test.each(rows)('%s', (_what, text, expected) => {
    const found = table(text);
    for (const [id, values] of Object.entries(expected)) expect({ [id]: found[id] ?? [] }).toEqual({ [id]: values });
  });
});

const messages: readonly (readonly [what: string, text: string, expected: Expected])[] = [
  [
    'driver of torch',
    'The NVIDIA driver on your system is too old (found version 11040).',
    { 'driver.cuda': ['11.4'] },
  ],
  [
    'cuDNN of torch',
    'PyTorch was compiled  against (8, 3, 2) but found runtime version (8, 0, 3).',
    { 'cudnn.built-for': ['8.3.2'], 'cudnn.loaded': ['8.0.3'] },
  ],
  [
    'cuDNN of TensorFlow',
    'Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.',
    { 'cudnn.built-for': ['8.1.0'], 'cudnn.loaded': ['8.0.5'] },
  ],
  [
    'cuDNN of JAX',
    'Outdated cuDNN installation found.\nVersion JAX was built against: 8907\nMinimum supported: 9100\nInstalled version: 8907\n',
    { 'cudnn.built-for': ['8.9.7'], 'cudnn.loaded': ['8.9.7'] },
  ],
  [
    'targets of torch',
    'The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_90.',
    { 'torch.arch-list': [['sm_50', 'sm_60', 'sm_90']] },
  ],
  [
    'a range of capabilities',
    'Found GPU0 NVIDIA GB10 which is of cuda capability 12.1. Minimum and Maximum cuda capability supported by this version of PyTorch is (8.0) - (12.0)',
    { 'gpu.name': ['NVIDIA GB10'], 'gpu.compute-capability': ['12.1'], 'torch.capability-range': ['8.0-12.0'] },
  ],
  [
    'PTX',
    "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
    { 'toolkit.ptx-isa': ['8.1'], 'driver.ptx-isa': ['8.0'] },
  ],
  [
    'xFormers',
    '    PyTorch 2.10.0+cu128 with CUDA 1208 (you have 2.11.0+cu130)',
    {
      'package.built-for': [{ name: 'xformers', torch: '2.10.0+cu128', cuda: '12.8' }],
      'torch.version': ['2.11.0+cu130'],
      'torch.cuda': ['13.0'],
    },
  ],
  [
    'llama.cpp',
    'ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\n',
    { 'gpu.name': ['NVIDIA GeForce RTX 3090'], 'gpu.compute-capability': ['8.6'], 'framework.devices': [1] },
  ],
  [
    'Ollama',
    'time=2025-02-01T10:00:00Z level=INFO source=types.go:131 msg="inference compute" id=GPU-0 library=cuda variant=v12 compute=8.9 driver=12.4 name="NVIDIA L40S" total="44.5 GiB"',
    { 'gpu.compute-capability': ['8.9'], 'driver.cuda': ['12.4'], 'gpu.name': ['NVIDIA L40S'] },
  ],
  [
    'a device of TensorFlow',
    'Created device /job:localhost/replica:0/task:0/device:GPU:0 with 13949 MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:00:1e.0, compute capability: 7.5',
    { 'gpu.name': ['Tesla T4'], 'gpu.compute-capability': ['7.5'] },
  ],
  [
    'properties of torch',
    "_CudaDeviceProperties(name='NVIDIA GeForce RTX 3090', major=8, minor=6, total_memory=24259MB, multi_processor_count=82)",
    { 'gpu.name': ['NVIDIA GeForce RTX 3090'], 'gpu.compute-capability': ['8.6'] },
  ],
  [
    'Paddle',
    'W0101 device_context.cc:447] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 12.2, Runtime API Version: 11.8',
    { 'driver.cuda': ['12.2'], 'toolkit.runtime': ['11.8'], 'gpu.compute-capability': ['8.6'] },
  ],
  [
    'DeepSpeed',
    'torch version .................... 2.1.0+cu118\ntorch cuda version ............... 11.8\nnvcc version ..................... 12.1\n',
    { 'torch.version': ['2.1.0+cu118'], 'torch.cuda': ['11.8'], 'toolkit.nvcc': ['12.1'] },
  ],
  [
    'Julia',
    'CUDA runtime 12.2, artifact installation\nCUDA driver 12.4\nNVIDIA driver 550.54.15\n\n1 device:\n  0: NVIDIA GeForce RTX 3070 (sm_86, 7.5 GiB / 8.0 GiB available)\n',
    {
      'toolkit.runtime': ['12.2'],
      'driver.cuda': ['12.4'],
      'driver.version': ['550.54.15'],
      'gpu.name': ['NVIDIA GeForce RTX 3070'],
      'gpu.compute-capability': ['8.6'],
    },
  ],
  [
    'GROMACS',
    '    #0: NVIDIA NVIDIA A100-SXM4-40GB, compute cap.: 8.0, ECC: yes, stat: compatible\nCUDA driver:        12.20\nCUDA runtime:       11.80\n',
    {
      'gpu.name': ['NVIDIA A100-SXM4-40GB'],
      'gpu.compute-capability': ['8.0'],
      'driver.cuda': ['12.2'],
      'toolkit.runtime': ['11.8'],
    },
  ],
  [
    'nvidia-container-cli info',
    'NVRM version:   535.161.08\nCUDA version:   12.2\n\nModel:          Tesla T4\nArchitecture:   7.5\n',
    {
      'driver.version': ['535.161.08'],
      'driver.cuda': ['12.2'],
      'gpu.name': ['Tesla T4'],
      'gpu.compute-capability': ['7.5'],
    },
  ],
  [
    'SYCL',
    '  Device Quadro P6000 (driver version CUDA 11.4), compute capability 6.1',
    { 'driver.cuda': ['11.4'], 'gpu.compute-capability': ['6.1'], 'gpu.name': ['Quadro P6000'] },
  ],
  [
    'TensorFlow on two releases',
    'kernel version 418.67.0 does not match DSO version 418.87.1 -- cannot find working devices',
    { 'driver.module': ['418.67.0'], 'driver.library': ['418.87.1'] },
  ],
  [
    'vLLM',
    '(APIServer pid=1) INFO 12-20 03:14:10 [api_server.py:1839] vLLM API server version 0.11.0',
    { 'framework.version': [{ name: 'vllm', version: '0.11.0' }] },
  ],
];

describe('versions inside messages', () => {
  test.each(messages)('%s', (_what, text, expected) => {
    const found = table(text);
    for (const [id, values] of Object.entries(expected)) expect({ [id]: found[id] ?? [] }).toEqual({ [id]: values });
  });
});

const ends: readonly (readonly [what: string, text: string, expected: unknown])[] = [
  [
    'a traceback with the package of its innermost frame',
    'Traceback (most recent call last):\n  File "train.py", line 88, in <module>\n    main()\n  File "/opt/env/lib/python3.12/site-packages/vllm/engine/arg_utils.py", line 1137, in create\n    return ModelConfig(\nValueError: bad length\n',
    { type: 'ValueError', message: 'bad length', module: 'vllm' },
  ],
  [
    'a traceback of the user',
    'Traceback (most recent call last):\n  File "train.py", line 88, in <module>\n    main()\nKeyError: 7\n',
    { type: 'KeyError', message: '7', module: 'user' },
  ],
  [
    'a traceback of one rank among others',
    '[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\n[rank0]:   File "/x/site-packages/torch/a.py", line 1, in f\n[rank1]:   File "b.py", line 2, in g\n[rank0]: torch.cuda.OutOfMemoryError: CUDA out of memory.\n',
    { type: 'torch.cuda.OutOfMemoryError', message: 'CUDA out of memory.', module: 'torch' },
  ],
  [
    'C++',
    "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: out of memory\n",
    { type: 'c10::Error', message: 'CUDA error: out of memory', module: null },
  ],
  [
    'Rust',
    "thread 'main' panicked at src/main.rs:10:5:\ncalled `Result::unwrap()` on an `Err` value\n",
    { type: 'panic', message: 'called `Result::unwrap()` on an `Err` value', module: null },
  ],
  [
    'Java',
    'Exception in thread "main" java.lang.UnsatisfiedLinkError: no nd4jcuda in path\n',
    { type: 'java.lang.UnsatisfiedLinkError', message: 'no nd4jcuda in path', module: null },
  ],
  [
    'argparse',
    'usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --bf16\n',
    { type: 'ArgumentError', message: 'unrecognized arguments: --bf16', module: 'user' },
  ],
];

describe('how programs end', () => {
  test.each(ends)('%s', (_what, text, expected) => {
    expect(table(text)['program.exception']?.[0]).toEqual(expected);
  });

  test.each([
    ['Exited (137) 2 minutes ago', 137],
    ['exitcode  : -9 (pid: 4711)', -9],
    ['srun: error: gn077: task 0: Exited with exit code 1', 1],
    ['Segmentation fault (core dumped)', 139],
    ['      Exit Code:    137', 137],
    ['$ echo $?\n6', 6],
  ])('%s', (text, code) => {
    expect(table(`${text}\n`)['program.exit']).toEqual([{ code }]);
  });
});

describe('signs of work', () => {
  test.each([
    ['steps:   2%|1         | 24/1600 [01:02<1:08:10,  2.59s/it, avr_loss=0.398]', 'application'],
    ['32/32 [==============================] - 2s 41ms/step - loss: 0.6020', 'application'],
    ['08/25/2025 01:09:36 PM Tensor Parallel iter 9 completed', 'application'],
    ['[2024-11-15 11:44:03 TP0] The server is fired up and ready to roll!', 'application'],
    ['INFO:     Application startup complete.', 'application'],
    ['CUDA available: True', 'framework'],
    ['Created device /job:localhost/replica:0/task:0/device:GPU:0 with 14598 MB memory', 'framework'],
    ['Num GPUs Available:  1', 'framework'],
    ['# Out of bounds values : 0 OK', 'nccl'],
    ['| Overall Health            | Healthy                                                  |', 'driver'],
  ])('%s', (text, layer) => {
    expect(table(`${text}\n`)['works']?.map((each) => (each as { layer: string }).layer)).toEqual([layer]);
  });

  test.each([
    'Steps:   0%|          | 0/3000 [00:00<?, ?it/s]',
    'Downloading shards: 100%|██████████| 3/3 [00:10<00:00,  3.4s/it]',
    'Loading checkpoint shards:  50%|█████     | 2/4 [00:10<00:00,  3.4s/it]',
    'CUDA available: False',
    'Num GPUs Available:  0',
    'Result = FAIL',
    'the server is not ready',
    'Is the server running on host "db" and accepting connections?',
    'make sure the server is running',
    'Epoch 1/5',
    '| Overall Health            | Warning                                                  |',
  ])('none in: %s', (text) => {
    expect(table(`${text}\n`)['works']).toBeUndefined();
  });
});
