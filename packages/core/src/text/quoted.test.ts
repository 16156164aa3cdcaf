import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSpokenOf } from './quoted.ts';

const message = 'NVRM: Xid (PCI:0000:01:00): 79';
const before = (line: string): string => line.slice(0, line.indexOf(message));

describe('isSpokenOf', () => {
  it.each([
    `If you see ${message}, call support.`,
    `We no longer see ${message} after the update.`,
    `      return "${message}";`,
    `  // ${message}`,
    `    raise RuntimeError("${message}")`,
    `grep -rn '${message}' /var/log`,
    `with pytest.raises(RuntimeError, match='${message}'):`,
    `We never saw ${message}.`,
    `No ${message} were found.`,
    `Can ${message} be caused by a bad riser?`,
    `/usr/share/doc/xid.md:12:${message}`,
    `    line = "${message}"`,
    `    "${message}",`,
    `  example: "${message}"`,
    `Fix ${message} on GKE nodes`,
    `[chaos] injecting fake fault: ${message}`,
    `the line \`${message}\` in the log`,
    `logger.error("the kernel said ${message}")`,
    `suppose a node prints ${message}`,
    `You would see ${message}`,
    `users keep asking about ${message}`,
    `Lines such as ${message}`,
    `last time nvidia-smi said ${message}`,
    `[PASS] ${message}`,
  ])('is true for %s', (line) => expect(isSpokenOf(before(line))).toBe(true));

  it.each([
    message,
    `kernel: ${message}`,
    `RuntimeError: ${message}`,
    `{"level":"error","message":"${message}"}`,
    `msg="${message}" code=3`,
    `failed to inject CDI devices: failed to inject devices: ${message}`,
    `E0712 worker.cc:41] call failed: ${message}`,
    `thread 'main' panicked at src/main.rs:6:8: ${message}`,
    `Error { code: GenericFailure, message: "${message}`,
    `since last week nvidia-smi says ${message}`,
    `it worked last week, now it says ${message}`,
    `we get lines like ${message}`,
    `[FAIL] ${message}`,
  ])('is false for %s', (line) => expect(isSpokenOf(before(line))).toBe(false));

  it.each([
    ['', 'uncorrectable ECC error encountered', ': 0 times'],
    ['', 'cudaErrorSystemDriverMismatch', ' = 803,'],
    ['- ', 'CUDA_ERROR_OUT_OF_MEMORY', ' is now retried'],
    ['-RuntimeError: ', 'The NVIDIA driver on your system is too old', ''],
    ['In der Anleitung steht: bei "', 'GPU has fallen off the bus', '" den Knoten neu starten.'],
    ['We had "', 'uncorrectable ECC error encountered', '" last year too.'],
    ['    line = "NVRM: ', 'Xid (PCI:0000:5d:00): 79', ''],
  ])('is true for %j %j %j', (before, message, after) => expect(isSpokenOf(before, message, after)).toBe(true));

  it.each([
    ['error="', 'CUDA error: out of memory', '"'],
    ['time=09:20 level=ERROR msg="', 'no CUDA-capable device is detected', '"'],
    ['Error: failed to start the container because "', 'could not select device driver', '"'],
    ['', 'uncorrectable ECC error encountered', ''],
    ['cudaGetDeviceCount returned ', '35', ''],
  ])('is false for %j %j %j', (before, message, after) => expect(isSpokenOf(before, message, after)).toBe(false));

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        isSpokenOf(text);
      }),
    );
  });
});
