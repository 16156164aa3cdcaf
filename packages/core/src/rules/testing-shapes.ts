import { dmonOf, queryOf, scrapesOf } from './testing-series.ts';

const w = (t: number): number => 560 + (t % 7);

/** Series of healthy GPUs by their cause, each in two tables or more that have little in common. */
export const healthy: Readonly<Record<string, readonly string[]>> = {
  'ok-well-used': [
    dmonOf('gpu pwr sm mem mclk', 14, (t) => [[0, w(t), 97 + (t % 3), 40 + (t % 4), 2619]]),
    dmonOf('gpu pwr gtemp sm mem mclk smutil', 30, (t) => [[2, 520 + (t % 11), 61, 99, 33, 2619, 88 + (t % 5)]]),
  ],
  'ok-memory-bound-well-used': [
    dmonOf('gpu pwr sm mem mclk', 14, (t) => [[0, 430 + (t % 7), 99, 84 + (t % 4), 2619]]),
    dmonOf('gpu pwr sm mclk smutil dramact', 20, (t) => [[1, 470 + (t % 9), 100, 2619, 90, 78 + (t % 5)]]),
  ],
  'ok-compute-bound': [
    dmonOf('gpu pwr sm mem mclk smutil mmaact', 14, (t) => [
      [0, 640 + (t % 9), 100, 30 + (t % 3), 2619, 94, 58 + (t % 4)],
    ]),
    scrapesOf(['gpu="3",Hostname="n1"'], 14, (t) => ({
      DEV_GPU_UTIL: 99,
      DEV_POWER_USAGE: 650 + (t % 7),
      DEV_POWER_MGMT_LIMIT: 700,
      PROF_SM_ACTIVE: 0.93,
      PROF_PIPE_TENSOR_ACTIVE: 0.52 + (t % 3) / 100,
      PROF_DRAM_ACTIVE: 0.31,
    })),
  ],
  'ok-streaming-input': [
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 14, (t) => [[0, 500 + (t % 7), 97, 41, 2619, 9800 + 40 * (t % 6), 210]]),
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 30, (t) => [
      [5, 455 + (t % 9), 95 + (t % 4), 37, 2619, 4100 + 90 * (t % 5), 60 + t],
    ]),
  ],
  'ok-pcie-collectives': [
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 14, (t) => [
      [0, 500 + (t % 7), 98, 42, 2619, 8800 + 40 * (t % 6), 8700],
      [1, 505 + (t % 5), 98, 41, 2619, 8600, 8900 - 30 * (t % 4)],
    ]),
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 20, (t) => [[3, 260 + (t % 7), 96, 38, 9001, 5200 + 70 * (t % 6), 5000]]),
  ],
  'ok-checkpoint-write': [
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 60, (t) =>
      t >= 30 && t < 38 ? [[0, 190, 2, 1, 2619, 90, 9400 - 50 * t]] : [[0, w(t), 97, 41, 2619, 400, 120]],
    ),
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 100, (t) =>
      (t >= 25 && t < 31) || (t >= 80 && t < 85)
        ? [[4, 170 + (t % 3), 0, 0, 2619, 40, 5100 + 20 * t]]
        : [[4, 505 + (t % 9), 99, 36, 2619, 350, 90]],
    ),
  ],
  'ok-training-with-checkpoints': [
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 90, (t) =>
      t % 30 >= 26 && t < 88 ? [[0, 190, 2, 1, 2619, 90, 9400]] : [[0, w(t), 97, 41, 2619, 400, 120]],
    ),
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 140, (t) =>
      t % 35 >= 20 && t % 35 < 23 ? [[1, 160, 0, 0, 2619, 20, 6100]] : [[1, 495 + (t % 9), 98, 44, 2619, 500, 150]],
    ),
  ],
  'ok-training-with-evaluation': [
    dmonOf('gpu pwr sm mem mclk rxpci txpci', 90, (t) =>
      t % 30 >= 26 && t < 88 ? [[0, 230, 6, 3, 2619, 90, 100]] : [[0, w(t), 97, 41, 2619, 400, 120]],
    ),
    dmonOf('gpu pwr sm mem mclk', 120, (t) =>
      t % 40 >= 20 && t % 40 < 25 ? [[1, 210, 4, 2, 2619]] : [[1, 505 + (t % 9), 98, 44, 2619]],
    ),
  ],
  'ok-warm-up': [
    dmonOf('gpu pwr sm mem mclk', 50, (t) => [t < 14 ? [0, 110, 0, 0, 2619] : [0, w(t), 98, 41, 2619]]),
    dmonOf('gpu pwr sm mem mclk', 200, (t) => [t < 30 ? [1, 95, t % 3, 0, 2619] : [1, 520 + (t % 9), 97, 37, 2619]]),
  ],
  'ok-preempted-job': [
    dmonOf('gpu pwr sm mem mclk', 50, (t) => [t >= 36 ? [0, 110, 0, 0, 2619] : [0, w(t), 98, 41, 2619]]),
    dmonOf('gpu pwr sm mem mclk', 150, (t) => [t >= 110 ? [3, 80, 0, 0, 2619] : [3, 520 + (t % 9), 97, 37, 2619]]),
  ],
  'ok-bursty-inference': [
    dmonOf('gpu pwr sm mem mclk fb', 70, (t) => [
      [2, 5, 9, 10, 21, 22, 23, 26, 40, 41, 44, 51, 52, 53, 54, 66].includes(t)
        ? [0, 420, 88, 35, 2619, 60100]
        : [0, 120, 0, 0, 2619, 60100],
    ]),
    dmonOf('gpu pwr sm mem mclk', 90, (t) => [
      [1, 2, 3, 4, 19, 20, 24, 25, 26, 27, 28, 50, 58, 59, 60, 61, 62, 63, 64, 65, 66, 88].includes(t)
        ? [1, 390 + (t % 5), 92, 31, 2619]
        : [1, 110, 1, 0, 2619],
    ]),
  ],
  'ok-diurnal-inference': [
    queryOf('timestamp index utilization.gpu memory.used power.draw', 48, (t) => [
      `2026/03/03 ${String(t >> 1).padStart(2, '0')}:${t % 2 ? '30' : '00'}:05.000`,
      0,
      Math.round(45 - 38 * Math.cos((t / 48) * 2 * Math.PI)),
      61000,
      Math.round(300 - 180 * Math.cos((t / 48) * 2 * Math.PI)),
    ]),
    queryOf('timestamp index utilization.gpu memory.used', 36, (t) => [
      `2026/05/1${t < 24 ? 1 : 2} ${String(t % 24).padStart(2, '0')}:10:00.000`,
      1,
      Math.round(35 + 30 * Math.sin((t / 24) * 2 * Math.PI) + (t % 3)),
      38200,
    ]),
  ],
  'ok-fp64-compute': [
    dmonOf('gpu pwr sm mem mclk fp64act', 14, (t) => [[0, 480 + (t % 7), 99, 25, 2619, 62 + (t % 4)]]),
    scrapesOf(['gpu="1",Hostname="n1"'], 14, (t) => ({
      DEV_GPU_UTIL: 99,
      DEV_POWER_USAGE: 450 + (t % 7),
      PROF_SM_ACTIVE: 0.88,
      PROF_PIPE_TENSOR_ACTIVE: 0,
      PROF_PIPE_FP64_ACTIVE: 0.44 + (t % 3) / 100,
    })),
  ],
  'ok-at-power-limit': [
    queryOf(
      'index utilization.gpu power.draw power.limit power.default_limit clocks.sm clocks_event_reasons.active',
      14,
      (t) => [0, 99, 694 + (t % 5), 700, 700, 1600 + 15 * (t % 4), '0x0000000000000004'],
    ),
    scrapesOf(['gpu="0",Hostname="n1"'], 14, (t) => ({
      DEV_GPU_UTIL: 98,
      DEV_POWER_USAGE: 398 + (t % 3),
      DEV_POWER_MGMT_LIMIT: 400,
      DEV_SM_CLOCK: 1200 + 15 * (t % 4),
      DEV_CLOCK_THROTTLE_REASONS: 4,
    })),
  ],
  'ok-idle': [
    dmonOf('gpu pwr gtemp sm mem mclk', 14, (t) => [[0, 69 + (t % 3), 31, 0, 0, 2619]]),
    scrapesOf(['gpu="0",Hostname="n1"'], 14, (t) => ({
      DEV_GPU_UTIL: 0,
      DEV_POWER_USAGE: 58 + (t % 2),
      DEV_GPU_TEMP: 28,
      DEV_FB_USED: 4,
    })),
  ],
  'ok-idle-inference': [
    dmonOf('gpu pwr gtemp sm mem mclk fb', 40, (t) => [
      t === 21 ? [0, 310, 39, 71, 22, 2619, 61200] : [0, 118, 37, 0, 0, 2619, 61200],
    ]),
    `${dmonOf('gpu pwr gtemp sm mem mclk fb', 14, () => [[0, 118, 37, 0, 0, 2619, 61200]])}\n# gpu         pid   type     sm    mem    enc    dec    command\n# Idx           #    C/G      %      %      %      %    name\n    0       90211     C       0      0      0      0    tritonserver`,
  ],
  'ok-pipeline-stages': [
    dmonOf('gpu pwr sm mem mclk', 14, (t) => [
      [0, 560 + (t % 3), 96, 41, 2619],
      [1, 470 + (t % 3), 79, 35, 2619],
      [2, 390 + (t % 3), 62, 28, 2619],
    ]),
    dmonOf('gpu pwr sm mem mclk', 30, (t) => [
      [0, 420, 70 + (t % 2), 30, 2619],
      [1, 520 + (t % 5), 92, 38, 2619],
      [2, 530, 93, 38, 2619],
      [3, 380, 58, 26, 2619],
    ]),
  ],
  'ok-two-jobs': [
    scrapesOf(['gpu="0",Hostname="n1",pod="train-a-0"', 'gpu="1",Hostname="n1",pod="embed-7c9"'], 12, (t, at) => ({
      DEV_GPU_UTIL: 97,
      DEV_POWER_USAGE: (at === 0 ? 620 : 480) + (t % 5),
      DEV_POWER_MGMT_LIMIT: 700,
      DEV_MEM_COPY_UTIL: 42,
    })),
    `${dmonOf('gpu pwr sm mem mclk', 14, (t) => [[0, w(t), 99, 41, 2619]])}\n# gpu         pid   type     sm    mem    enc    dec    command\n# Idx           #    C/G      %      %      %      %    name\n${Array.from({ length: 4 }, () => '    0       90211     C      61     20      0      0    python3\n    0       90377     C      35     18      0      0    sim').join('\n')}`,
    dmonOf('gpu pwr sm mem mclk fb', 14, (t) => [
      [0, 610 + (t % 3), 98, 41, 2619, 72000],
      [1, 612, 98, 41, 2619, 72100],
      [2, 455 + (t % 4), 97, 30, 2619, 31000],
    ]),
  ],
  'ok-mig-instances': [
    scrapesOf(
      [
        'gpu="0",GPU_I_PROFILE="3g.40gb",GPU_I_ID="1",Hostname="n1"',
        'gpu="0",GPU_I_PROFILE="2g.20gb",GPU_I_ID="3",Hostname="n1"',
      ],
      12,
      (t, at) => ({
        PROF_GR_ENGINE_ACTIVE: (at === 0 ? 0.93 : 0.35) + (t % 4) / 100,
        PROF_DRAM_ACTIVE: 0.3,
        DEV_FB_USED: 17000,
      }),
    ),
    scrapesOf(
      [
        'gpu="1",GPU_I_PROFILE="1g.10gb",GPU_I_ID="7",Hostname="n1"',
        'gpu="1",GPU_I_PROFILE="1g.10gb",GPU_I_ID="8",Hostname="n1"',
        'gpu="1",GPU_I_PROFILE="1g.10gb",GPU_I_ID="9",Hostname="n1"',
      ],
      12,
      (t, at) => ({
        PROF_GR_ENGINE_ACTIVE: [0.7, 0.66, 0][at]! + (at < 2 ? (t % 4) / 100 : 0),
        PROF_SM_ACTIVE: [0.6, 0.62, 0][at]!,
        DEV_FB_USED: [8000, 8100, 12][at]!,
      }),
    ),
  ],
};

const teeth = dmonOf('gpu pwr sm mem mclk', 120, (t) => [t % 10 < 6 ? [0, 480, 92, 30, 2619] : [0, 130, 0, 0, 2619]]);
const orphans = dmonOf('gpu pwr gtemp sm mem mclk fb', 40, () => [[0, 118, 37, 0, 0, 2619, 61200]]);
const slowClock = dmonOf('gpu pwr sm mem mclk pclk', 14, (t) => [
  [0, 520 + (t % 3), 98, 38, 2619, 1920],
  [1, 430 + (t % 3), 99, 38, 2619, 1200],
  [2, 515 + (t % 3), 97, 37, 2619, 1935],
]);
const turns = dmonOf('gpu pwr sm mem mclk rxpci txpci', 120, (t) => [
  t % 10 < 6 ? [0, 480, 92, 30, 2619, 90, 80] : [0, 130, 0, 0, 2619, 9200, 8800],
]);

/** Series that look like the healthy ones and are not, or of which nobody can say, by the cause they are near. */
export const nearMisses: Readonly<Record<string, string>> = {
  'ok-well-used': dmonOf('gpu sm mem', 14, (t) => [[0, 96 + (t % 3), 5]]),
  'ok-memory-bound-well-used': dmonOf('gpu pwr sm mem mclk smutil', 14, (t) => [[0, 228, 100, 3 + (t % 2), 2619, 11]]),
  'ok-compute-bound': dmonOf('gpu pwr sm mem mclk smutil mmaact', 14, (t) => [[0, 228, 100, 3, 2619, 11 + (t % 2), 0]]),
  'ok-streaming-input': dmonOf('gpu pwr sm mem mclk rxpci txpci', 14, (t) => [[0, 160 + t, 98, 2, 2619, 9800, 9100]]),
  'ok-pcie-collectives': scrapesOf(['gpu="0",Hostname="n1"', 'gpu="1",Hostname="n1"'], 12, (t) => ({
    DEV_GPU_UTIL: 98,
    DEV_POWER_USAGE: 470 + (t % 5),
    DEV_MEM_COPY_UTIL: 41,
    PROF_PCIE_RX_BYTES: 9e9,
    PROF_PCIE_TX_BYTES: 8.8e9,
    PROF_NVLINK_RX_BYTES: 0,
    PROF_NVLINK_TX_BYTES: 0,
  })),
  'ok-checkpoint-write': turns,
  'ok-training-with-checkpoints': turns,
  'ok-training-with-evaluation': teeth,
  'ok-warm-up': dmonOf('gpu pwr sm mem mclk rxpci txpci', 120, () => [[0, 240, 100, 0, 2619, 20, 10]]),
  'ok-preempted-job': orphans,
  'ok-bursty-inference': teeth,
  'ok-diurnal-inference': queryOf('timestamp index utilization.gpu memory.used power.draw', 48, (t) => [
    `2026/03/03 ${String(t >> 1).padStart(2, '0')}:${t % 2 === 1 ? '30' : '00'}:05.000`,
    0,
    t < 30 ? 96 : 0,
    t < 30 ? 61000 : 0,
    t < 30 ? 500 : 70,
  ]),
  'ok-fp64-compute': scrapesOf(['gpu="1",Hostname="n1"'], 14, (t) => ({
    DEV_GPU_UTIL: 99,
    DEV_POWER_USAGE: 450 + (t % 7),
    PROF_SM_ACTIVE: 0.88,
    PROF_PIPE_TENSOR_ACTIVE: 0,
    PROF_PIPE_FP32_ACTIVE: 0.6,
    PROF_PIPE_FP64_ACTIVE: 0,
  })),
  'ok-at-power-limit': queryOf(
    'index utilization.gpu power.draw power.limit power.default_limit clocks_event_reasons.active',
    14,
    (t) => [0, 99, 396 + (t % 4), 400, 700, '0x0000000000000004'],
  ),
  'ok-idle': scrapesOf(['gpu="0",Hostname="n1"'], 14, () => ({
    DEV_GPU_UTIL: 0,
    DEV_FB_USED: 0,
    DEV_MEM_COPY_UTIL: 0,
  })),
  'ok-idle-inference': orphans,
  'ok-pipeline-stages': slowClock,
  'ok-two-jobs': slowClock,
  'ok-mig-instances': scrapesOf(
    [1, 2, 3].map((at) => `gpu="0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="${at}",Hostname="n1",pod="train-0"`),
    12,
    (t, at) => ({ PROF_GR_ENGINE_ACTIVE: at === 0 ? 0.95 + (t % 3) / 100 : 0, DEV_FB_USED: 7000 }),
  ),
};
