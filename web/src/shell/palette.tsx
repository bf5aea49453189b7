import { onDemand } from "~/shell/on-demand";

/** Ctrl K: go anywhere, or open run 42 by typing its number. */
export const {
  open: openPalette,
  prepare: preparePalette,
  Place: Palette,
} = onDemand(() => import("~/shell/palette-dialog"));
