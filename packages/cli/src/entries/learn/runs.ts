// Run folders: begin, save, resume and show a run.
export {
  begunRun,
  type Circumstances,
  circumstances,
  decodeState,
  encodeState,
  Interrupted,
  interrupt,
  lineOf,
  type Progress,
  progress,
  type RunFolder,
  resumeRun,
  type Saved,
  startRun,
  type TrainOptions,
  train,
} from "@pliant/learn/runs";
