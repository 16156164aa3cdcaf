import type { Command } from './command.ts';

export const image: Command = {
  name: 'image',
  summary: 'say what is in a container image, and what it does on which node, without running it',
  arguments: '[REF|PATH…]',
  details: [
    'Takes a registry reference, an OCI layout, an archive of docker, podman or skopeo, or a folder with a root file system. Nothing of it is run or unpacked to disk; layers are read once, and their digests are verified.',
    'With --on it says for each node which injection mode runs, whether NVIDIA_REQUIRE_* lets the container start, who switches compat libraries on, which libcuda the program ends up with, and whether what is inside runs. A key that is left out is not known: it is tried in every way it can be.',
    'Keys of --on: driver, gpu, flavour (open, proprietary), toolkit (version of the NVIDIA Container Toolkit), mode (legacy, csv, cdi, jit-cdi, auto, none), docker (version of the engine), start (runtime, gpus, cdi), cuda-compat-mode, disable-require, libdir (folder of the driver libraries on the host), entrypoint (kept, replaced), platform; runtime (nvidia, runc) and device-list (envvar, volume-mounts, cdi-annotations, cdi-cri) of Kubernetes; library, cdi-spec and started (before, after) of a driver that was changed on disk.',
    '--on also takes a file with many nodes (YAML or JSON: a list, or nodes: by name, with defaults:), what culprit check --save wrote, the JSON of kubectl get nodes, and node/NAME or nodes of the current cluster. Several images give a table.',
    '--fail-on makes a gate for a pipeline: the exit status is 1 if any image comes to that on any node, and else 0.',
    '--dockerfile looks at Dockerfiles and compose files before anything is built: driver packages, stubs and compat folders on search paths, an entrypoint that is replaced, CPU builds, CUDA majors that do not fit, services that ask for no GPU.',
  ],
  flags: [
    {
      name: 'on',
      value: 'NODES',
      summary: 'keys of a node, a file of nodes, a snapshot, node/NAME or nodes',
      multiple: true,
    },
    { name: 'platform', value: 'OS/ARCH', summary: 'platform of a multi-platform image: linux/arm64' },
    { name: 'quick', summary: 'read the configuration only, no layers' },
    { name: 'deep', summary: 'list the GPU code of every library' },
    { name: 'cache', value: 'DIR', summary: 'keep what was read of a layer there, by digest' },
    { name: 'insecure', summary: 'accept plain HTTP and certificates that nobody vouches for' },
    { name: 'ca', value: 'FILE', summary: 'certificates (PEM) to trust besides those of the system' },
    { name: 'auth-file', value: 'FILE', summary: 'credentials, in place of those of docker and podman' },
    { name: 'containerd', value: 'DIR', summary: 'look the reference up in this store: /var/lib/containerd' },
    { name: 'namespace', value: 'NAME', summary: 'namespace of containerd' },
    { name: 'pid', value: 'PID', summary: 'read the root file system of this process; the reference is only its name' },
    {
      name: 'fail-on',
      value: 'ANSWER',
      summary: 'exit with 1 on this answer, else with 0',
      choices: ['does-not-run', 'cannot-tell', 'runs-if', 'fault'],
      multiple: true,
    },
    { name: 'dockerfile', value: 'FILE', summary: 'look at this Dockerfile or compose file instead', multiple: true },
    { name: 'context', value: 'NAME', summary: 'context of kubectl, for node/NAME' },
    { name: 'kubeconfig', value: 'FILE', summary: 'configuration of kubectl, for node/NAME' },
  ],
  formats: ['text', 'json', 'markdown', 'csv', 'junit', 'sarif', 'github', 'html'],
  examples: [
    { command: 'culprit image nvcr.io/nvidia/pytorch:24.10-py3', does: 'what is in it' },
    {
      command: 'culprit image team/app:1 --on driver=535.104.05,gpu=H100,toolkit=1.17.8,mode=legacy',
      does: 'does it run there, and by which libcuda',
    },
    { command: 'culprit image app.tar other.tar --on pool.yaml -f markdown', does: 'a table of images and nodes' },
    {
      command: 'culprit image team/app:1 --on pool.yaml --fail-on does-not-run -f junit',
      does: 'a gate in a pipeline',
    },
    { command: 'culprit image --dockerfile Dockerfile --dockerfile compose.yaml', does: 'mistakes before a build' },
  ],
  exits: [
    { status: 0, when: 'nothing is wrong, it runs on every node; with --fail-on, none of its answers occurred' },
    { status: 1, when: 'a fault in the image, or it does not run; with --fail-on, one of its answers occurred' },
    { status: 3, when: 'it runs on a condition, or it cannot be told' },
  ],
  load: async () => (await import('./image.ts')).run,
};
