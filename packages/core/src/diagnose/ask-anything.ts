/** What to run where nothing that was read says anything. */
export const askAnything =
  'nvidia-smi; cat /proc/driver/nvidia/version; dmesg | grep -i nvrm; python -m torch.utils.collect_env';
