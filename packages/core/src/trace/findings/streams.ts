import type { Detector } from './detector.ts';

export const streams: Detector = () => [];
